/// Whether two states are the same in all that can be observed: one that was replayed, say, and one that was loaded.
package struct StateComparison {
    /// The first differences, in words; empty when there are none.
    package private(set) var differences: [String] = []
    private let left: LikesState
    private let right: LikesState
    private let limit: Int
    /// The handles on the right of the news and users on the left; `HandleIndex.none` for those that are not there.
    private let news: [UInt32]
    private let users: [UInt32]

    /// Compares two states, and tells up to `limit` differences.
    package init(_ left: LikesState, _ right: LikesState, limit: Int = 5) {
        self.left = left
        self.right = right
        self.limit = limit
        news = (0..<UInt32(left.catalog.handleCount)).map { handle in
            left.catalog.stored(handle).flatMap { right.catalog.findStored($0.news.id) } ?? HandleIndex.none
        }
        users = (0..<UInt32(left.users.count)).map { handle in
            left.users.isKnown(handle)
                ? right.users.find(left.users.id(of: handle)) ?? HandleIndex.none : HandleIndex.none
        }
        compareWhole()
        for handle in 0..<UInt32(left.catalog.handleCount) where !isFull { compareNews(handle) }
        for handle in 0..<UInt32(left.users.count) where !isFull { compareUser(handle) }
        if !isFull { compareWithdrawn() }
    }

    /// Whether everything is the same.
    package var isEqual: Bool { differences.isEmpty }

    private var isFull: Bool { differences.count >= limit }

    private mutating func expect<Value: Equatable>(_ left: Value, _ right: Value, _ what: @autoclosure () -> String) {
        guard left != right, !isFull else { return }
        differences.append("\(what()): \(left) and \(right)")
    }

    private mutating func compareWhole() {
        expect(left.position, right.position, "the sequence")
        expect(left.catalog.count, right.catalog.count, "the number of news")
        expect(left.catalog.leavingHandles.count, right.catalog.leavingHandles.count, "the number of leaving news")
        expect(left.users.knownCount, right.users.knownCount, "the number of users")
        expect(left.log.count, right.log.count, "the number of likes")
        expect(left.withdrawn.count, right.withdrawn.count, "the number of withdrawn likes")
        expect(left.feed.changedAt, right.feed.changedAt, "the last change of the feed")
        expect(
            left.redirects.pairs.map { "\($0.old.text) > \($0.target.text)" },
            right.redirects.pairs.map { "\($0.old.text) > \($0.target.text)" }, "the merged ids")
        compareSerials()
        for order in [FeedOrder.newest, .top] {
            let orders = [left, right].map { state in
                state.feed.page(order, after: nil, limit: .max).map { state.catalog.stored($0)?.news.id.text }
            }
            compareLists(orders[0], orders[1], "the feed in the order \(order)")
        }
    }

    /// The order in which the news were made.
    private mutating func compareSerials() {
        let made = [left, right].map { state in
            (0..<UInt32(state.catalog.handleCount)).compactMap { state.catalog.stored($0) }
                .sorted { $0.serial < $1.serial }.map(\.news.id.text)
        }
        compareLists(made[0], made[1], "the order in which news were made")
    }

    private mutating func compareLists<Element: Equatable>(
        _ left: [Element], _ right: [Element], _ what: @autoclosure () -> String
    ) {
        expect(left.count, right.count, "the length of \(what())")
        guard let index = zip(left, right).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset else {
            return
        }
        expect(left[index], right[index], "place \(index) of \(what())")
    }

    private mutating func compareNews(_ handle: UInt32) {
        guard let stored = left.catalog.stored(handle) else { return }
        let id = stored.news.id.text
        let other = news[Int(handle)]
        guard other != HandleIndex.none else { return differences.append("news \"\(id)\" is on one side only") }
        let counterpart = right.catalog[other]
        expect(stored.news, counterpart.news, "news \"\(id)\"")
        expect(stored.createdAt, counterpart.createdAt, "when news \"\(id)\" was made")
        expect(
            left.catalog.isLeaving(handle), right.catalog.isLeaving(other), "whether news \"\(id)\" is being deleted")
        expect(left.detail.likesCount(handle), right.detail.likesCount(other), "the detail's count of news \"\(id)\"")
        expect(left.feed.likesCount(handle), right.feed.likesCount(other), "the feed's count of news \"\(id)\"")
        expect(left.detail.changedAt(handle), right.detail.changedAt(other), "the last change of news \"\(id)\"")
        compareChains(.ofNews, handle, other, users, "the likes of news \"\(id)\"")
    }

    private mutating func compareUser(_ handle: UInt32) {
        guard left.users.isKnown(handle) else { return }
        let id = left.users.id(of: handle).text
        let other = users[Int(handle)]
        guard other != HandleIndex.none else { return differences.append("user \"\(id)\" is on one side only") }
        let (mine, theirs) = (left.profile, right.profile)
        expect(mine.numberOfGivenLikes(handle), theirs.numberOfGivenLikes(other), "the given likes of user \"\(id)\"")
        expect(mine.total(handle).likes, theirs.total(other).likes, "the received likes of user \"\(id)\"")
        expect(mine.total(handle).news, theirs.total(other).news, "the number of news by user \"\(id)\"")
        expect(mine.changedAt(handle), theirs.changedAt(other), "the last change of user \"\(id)\"")
        compareChains(.ofUser, handle, other, news, "the likes by user \"\(id)\"")
    }

    /// A like in a list, with the other side's handle on the right.
    private struct Like: Equatable {
        let other: UInt32
        let sequence: UInt64
        let at: Timestamp
    }

    /// Compares two chains a page at a time.
    ///
    /// - Parameter counterparts: the handles on the right of the other side of the likes.
    private mutating func compareChains(
        _ chain: Chain, _ owner: UInt32, _ otherOwner: UInt32, _ counterparts: [UInt32],
        _ what: @autoclosure () -> String
    ) {
        expect(left.log.count(chain, of: owner), right.log.count(chain, of: otherOwner), "the number of \(what())")
        var places: (left: UInt64?, right: UInt64?)
        while !isFull {
            let limit = Limits.pageMaximum
            let mine = left.log.part(chain, of: owner, before: places.left, limit: limit, steps: .max)
            let theirs = right.log.part(chain, of: otherOwner, before: places.right, limit: limit, steps: .max)
            compareLists(
                mine.likes.map { Like(other: counterparts[Int($0.handle)], sequence: $0.sequence, at: $0.at) },
                theirs.likes.map { Like(other: $0.handle, sequence: $0.sequence, at: $0.at) }, what())
            // Dead entries at an end may make one of them name a place behind which there is nothing.
            guard mine.likes.count == limit, theirs.likes.count == limit else { return }
            places = (mine.likes.last?.sequence, theirs.likes.last?.sequence)
        }
    }

    /// What is known of likes that were taken back, of those that can be given again.
    private mutating func compareWithdrawn() {
        for (mine, theirs, isForward) in [(left, right, true), (right, left, false)] {
            let serials = Self.serials(mine)
            for place in 0..<UInt32(mine.withdrawn.count) where !isFull {
                let (serial, user) = mine.withdrawn.like(at: place)
                guard let handle = serials[serial], mine.users.isKnown(user) else { continue }
                let id = mine.catalog[handle].news.id
                let userID = mine.users.id(of: user)
                guard let otherNews = theirs.catalog.findStored(id), let otherUser = theirs.users.find(userID),
                    theirs.withdrawn.contains(serial: theirs.catalog[otherNews].serial, user: otherUser)
                else {
                    let side = isForward ? "first" : "second"
                    differences.append(
                        "that user \"\(userID.text)\" liked news \"\(id.text)\" before is known to the \(side) only")
                    continue
                }
            }
        }
    }

    private static func serials(_ state: LikesState) -> [UInt32: UInt32] {
        var serials: [UInt32: UInt32] = [:]
        for handle in 0..<UInt32(state.catalog.handleCount) {
            if let stored = state.catalog.stored(handle) { serials[stored.serial] = handle }
        }
        return serials
    }
}
