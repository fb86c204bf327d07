@testable import LikesCore

/// Something that a test breaks in a state, and what a verification must say of it.
struct Damage: Sendable, CustomStringConvertible {
    let description: String
    /// A part of the place that is named.
    let place: String
    /// What a full recount counts.
    var drift = 1
    var orphans = 0
    /// Whether the likes themselves say how to set it right.
    var isRepaired = true
    let plant: @Sendable (LikesState, Handles) -> Void

    /// Some news and users to be damaged: see `Damage.bench`.
    struct Handles {
        let news: UInt32
        let user: UInt32
        let author: UInt32

        init(_ state: LikesState) throws {
            guard let news = state.catalog.find("n1"), let user = state.users.find("u1"),
                let author = state.users.find("a1")
            else { throw Answer.Surprise() }
            self.news = news
            self.user = user
            self.author = author
        }
    }

    /// A mediator with six news of four authors, of which n1 to n5 have 5 likes and more, some taken back.
    static func bench() throws -> Bench {
        let bench = try Bench()
        for number in 0..<6 {
            try bench.put(.news(number), author: .init(stringLiteral: "a\(number % 4)"), baseLikes: Int64(number % 3))
        }
        for number in 1..<6 {
            for user in 0..<4 + number { try bench.like(.news(number), by: .user(user)) }
        }
        for user in 5..<8 { try bench.unlike("n5", by: .user(user)) }
        try bench.ask(.removeNews("n4"))
        return bench
    }

    private static func damageHead(_ chain: Chain, _ owner: UInt32, _ log: LikeLog) {
        var head = log.head(chain, of: owner)
        head.count += 1
        log.setHead(head, chain, of: owner)
    }

    /// The addresses of a chain, newest first.
    private static func addresses(_ chain: Chain, _ owner: UInt32, _ log: LikeLog) -> [UInt32] {
        var addresses: [UInt32] = []
        var address = log.head(chain, of: owner).newest
        while address != EntryRing.none {
            addresses.append(address)
            address = log.ring[address][chain]
        }
        return addresses
    }

    private static func link(
        _ chain: Chain, _ owner: UInt32, _ log: LikeLog, _ from: Int, to target: ([UInt32]) -> UInt32
    ) {
        let addresses = addresses(chain, owner, log)
        log.ring[addresses[from]][chain] = target(addresses)
    }

    private static func orders(
        _ state: LikesState, newest: ([UInt32]) -> [UInt32] = { $0 }, top: ([UInt32]) -> [UInt32] = { $0 }
    ) {
        func changed(_ order: FeedOrder, _ change: ([UInt32]) -> [UInt32]) -> OrderedHandles {
            OrderedHandles(change(state.feed.page(order, after: nil, limit: .max)))
        }
        state.feed.correct((newest: changed(.newest, newest), top: changed(.top, top)))
    }

    /// A damage of each kind that is a count or an order, and can be set right.
    static let repairable: [Damage] = [
        Damage(description: "a news' number of likes", place: "the count of news \"n1\"") {
            damageHead(.ofNews, $1.news, $0.log)
        },
        Damage(description: "a user's number of likes", place: "the count of user \"u1\"") {
            damageHead(.ofUser, $1.user, $0.log)
        },
        Damage(description: "a detail's count", place: "the detail's count of news \"n1\"") {
            $0.detail.correct($1.news, to: 77)
        },
        Damage(description: "a feed's count", place: "the feed's count of news \"n1\"") {
            $0.feed.correct($1.news, to: -1)
        },
        Damage(description: "given likes", place: "the given likes of user \"u1\"") {
            $0.profile.correct($1.user, to: 9)
        },
        Damage(description: "received likes", place: "the received likes of user \"a1\"") {
            var total = $0.profile.total($1.author)
            total.likes -= 1
            $0.profile.correct($1.author, to: total)
        },
        Damage(description: "the number of an author's news", place: "the number of news by user \"a1\"") {
            var total = $0.profile.total($1.author)
            total.news += 1
            $0.profile.correct($1.author, to: total)
        },
        Damage(description: "an author who wrote nothing", place: "the received likes of user \"u1\"", drift: 2) {
            $0.profile.correct($1.user, to: AuthorTotals.Total(likes: 4, news: 1))
        },
        Damage(description: "a news out of order in newest", place: "the feed in the order newest") { state, _ in
            orders(state, newest: { $0.reversed() })
        },
        Damage(description: "a news out of order in top", place: "the feed in the order top") { state, _ in
            orders(state, top: { [$0[1], $0[0]] + $0[2...] })
        },
        Damage(description: "a news that is not in the feed", place: "the feed in the order top") { state, _ in
            orders(state, top: { Array($0.dropLast()) })
        },
        Damage(description: "a news twice in the feed", place: "the feed in the order newest") { state, _ in
            orders(state, newest: { $0 + [$0[0]] })
        },
        Damage(description: "a news in the feed that is gone", place: "the feed in the order newest") { state, _ in
            orders(state, newest: { $0.dropLast() + [4] })
        },
        Damage(description: "the number of all likes", place: "the number of all likes", drift: 2) { state, _ in
            state.log.correct(count: state.log.count + 1)
        },
        Damage(description: "all counts of a news and of a user", place: "count of news \"n1\"", drift: 5) {
            damageHead(.ofNews, $1.news, $0.log)
            damageHead(.ofUser, $1.user, $0.log)
            $0.detail.correct($1.news, to: 0)
            $0.feed.correct($1.news, to: 1)
            $0.profile.correct($1.user, to: 100)
        },
    ]

    /// A damage of each kind that only a restart sets right.
    static let lasting: [Damage] = [
        Damage(description: "a like that is not found", place: "the index, of news \"n1\"", isRepaired: false) {
            let address = addresses(.ofNews, $1.news, $0.log)[1]
            $0.log.noteMoved(from: address, to: $0.log.ring.base, entry: $0.log.ring[address])
        },
        Damage(
            description: "a chain of a news that leaves likes out", place: "the chain of news \"n1\"", isRepaired: false
        ) {
            link(.ofNews, $1.news, $0.log, 1) { $0[3] }
        },
        Damage(
            description: "a chain of a user that leaves likes out", place: "the chain of user \"u1\"", isRepaired: false
        ) {
            link(.ofUser, $1.user, $0.log, 0) { $0[2] }
        },
        Damage(description: "a chain that goes round", place: "the chain of news \"n1\"", isRepaired: false) {
            link(.ofNews, $1.news, $0.log, 4) { $0[0] }
        },
        Damage(description: "a chain that leads to another's", place: "the chain of user \"u1\"", isRepaired: false) {
            let other = addresses(.ofUser, $1.user - 1, $0.log)
            link(.ofUser, $1.user, $0.log, 2) { _ in other[2] }
        },
        Damage(description: "a chain that leads out of the log", place: "the chain of news \"n1\"", isRepaired: false) {
            let end = $0.log.ring.end
            link(.ofNews, $1.news, $0.log, 2) { _ in end &+ 100_000 }
        },
        Damage(description: "a news with another id", place: "the place of news \"n1x\"", isRepaired: false) {
            let news = $0.catalog[$1.news].news
            $0.catalog.update(
                $1.news,
                to: News(id: "n1x", title: "", author: news.author, baseLikes: news.baseLikes), author: $1.author)
        },
        Damage(description: "a withdrawn like that is not found", place: "withdrawn like 1", isRepaired: false) {
            state, _ in
            state.withdrawn.damage(at: 1)
        },
        Damage(description: "likes in a wrong order", place: "the order of the log", drift: 2, isRepaired: false) {
            let addresses = addresses(.ofNews, $1.news, $0.log)
            let (first, second) = ($0.log.ring[addresses[0]], $0.log.ring[addresses[1]])
            // The times of two likes, and with them the sequences, change places.
            $0.log.ring[addresses[0]].distance = second.distance
            $0.log.ring[addresses[1]].distance = first.distance
        },
        Damage(
            description: "likes by a user who is not known", place: "the user who was at place", drift: 0, orphans: 4,
            isRepaired: false
        ) { $0.users.erase($1.user) },
    ]
}
