import Testing
import Threading

@testable import LikesCore

@Suite("Pages of the lists fit together while the lists change")
struct PagingTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
        for number in 0..<9 {
            bench.clock.withLock { $0 = 1_000_000 + Int64(number) * 1_000 }
            try bench.put(.news(number), baseLikes: Int64(number % 3))
        }
    }

    private func page(_ order: FeedOrder, after: FeedKey? = nil, limit: Int = 3) -> (ids: [String], next: FeedKey?) {
        let page = bench.reader.feed(order, viewer: nil, after: after, limit: limit)
        return (page.entries.map { $0.stored.news.id.text }, page.next)
    }

    @Test("newest is by time, top by count and then by time")
    func orders() {
        #expect(page(.newest, limit: 10).ids == ["n8", "n7", "n6", "n5", "n4", "n3", "n2", "n1", "n0"])
        #expect(page(.top, limit: 10).ids == ["n8", "n5", "n2", "n7", "n4", "n1", "n6", "n3", "n0"])
        #expect(page(.newest, limit: 9).next == nil)
        #expect(page(.newest, limit: 8).next != nil)
    }

    @Test("of equal times, the smaller id comes first")
    func equalTimes() throws {
        for id in ["z", "a", "é"] as [NewsID] {
            let news = News(id: id, title: "", publishedAt: Timestamp(milliseconds: 9_000_000))
            try bench.ask(.putNews(NewsDraft(news, setsBaseLikes: false)))
        }
        #expect(page(.newest).ids == ["a", "z", "é"])
    }

    @Test("newest: a like of the last entry of a page does not bring it again on the next")
    func newestAfterLike() throws {
        let first = page(.newest)
        try bench.like("n6", by: "u")
        #expect(page(.newest, after: first.next).ids == ["n5", "n4", "n3"])
    }

    @Test("newest: the page goes on where it was, though its last entry is gone", arguments: [FeedOrder.newest, .top])
    func lastEntryIsGone(order: FeedOrder) throws {
        let all = page(order, limit: 9).ids
        let first = page(order)
        try bench.ask(.removeNews(NewsID(first.ids[2])))
        #expect(page(order, after: first.next).ids == Array(all[3..<6]))
    }

    @Test("newest: what is made meanwhile comes before, and shifts nothing")
    func madeMeanwhile() throws {
        let first = page(.newest)
        bench.clock.withLock { $0 = 2_000_000 }
        try bench.put("fresh")
        #expect(page(.newest, after: first.next).ids == ["n5", "n4", "n3"])
        #expect(page(.newest).ids == ["fresh", "n8", "n7"])
    }

    @Test("top: who did not move is neither repeated nor skipped")
    func topWhileOthersMove() throws {
        let first = page(.top)
        #expect(first.ids == ["n8", "n5", "n2"])
        try bench.like("n0", by: "u")
        for user in 0..<4 { try bench.like("n6", by: .user(user)) }
        #expect(page(.top, after: first.next, limit: 9).ids == ["n7", "n4", "n1", "n0", "n3"])
        #expect(page(.top, limit: 4).ids == ["n6", "n8", "n5", "n2"])
    }

    @Test("top follows counts up and down, and changed base likes")
    func topFollows() throws {
        for user in 0..<3 { try bench.like("n3", by: .user(user)) }
        #expect(page(.top, limit: 1).ids == ["n3"])
        for user in 0..<3 { try bench.unlike("n3", by: .user(user)) }
        #expect(page(.top, limit: 10).ids == ["n8", "n5", "n2", "n7", "n4", "n1", "n6", "n3", "n0"])
        try bench.put("n0", baseLikes: 50)
        try bench.put("n8", baseLikes: 0)
        #expect(page(.top, limit: 10).ids == ["n0", "n5", "n2", "n7", "n4", "n1", "n8", "n6", "n3"])
    }

    @Test("an update of the time moves a news in both orders")
    func newTime() throws {
        let news = News(id: "n4", title: "", publishedAt: Timestamp(milliseconds: 5_000_000))
        try bench.ask(.putNews(NewsDraft(news, setsBaseLikes: false)))
        #expect(page(.newest).ids == ["n4", "n8", "n7"])
        #expect(page(.top, limit: 4).ids == ["n8", "n5", "n2", "n4"])
    }

    @Test("likers: a like taken back and given again moves to the front, the others stay")
    func likers() throws {
        for user in 0..<6 { try bench.like("n0", by: .user(user)) }
        let first = try #require(bench.reader.likers("n0", before: nil, limit: 2))
        #expect(first.likes.map(\.user) == ["u5", "u4"])
        try bench.unlike("n0", by: "u4")
        try bench.like("n0", by: "u2")
        try bench.unlike("n0", by: "u2")
        try bench.like("n0", by: "u2")
        try bench.like("n0", by: "new")
        let second = try #require(bench.reader.likers("n0", before: first.next, limit: 2))
        #expect(second.likes.map(\.user) == ["u3", "u1"])
        let third = try #require(bench.reader.likers("n0", before: second.next, limit: 2))
        #expect(third.likes.map(\.user) == ["u0"])
        #expect(third.next == nil)
        #expect(bench.reader.detail("n0", viewer: nil)?.newestLikers.map(\.user) == ["new", "u2", "u5"])
    }

    @Test("a page that ends with the list says so, at every size", arguments: 1...7)
    func lastPage(size: Int) throws {
        for news in 0..<6 { try bench.like(.news(news), by: "u") }
        var pages = 0
        var before: UInt64?
        var news: [NewsID] = []
        repeat {
            let page = bench.reader.likes(by: "u", before: before, limit: size)
            news += page.likes.map(\.news)
            before = page.next
            pages += 1
        } while before != nil
        #expect(news == (0..<6).reversed().map { .news($0) })
        #expect(pages == (6 + size - 1) / size)
    }

    @Test("the sequence of a read is that of the last event that changed what is shown")
    func sequences() throws {
        let like = try bench.like("n1", by: "u").sequence
        let other = try bench.like("n2", by: "v").sequence
        #expect(bench.reader.detail("n1", viewer: nil)?.sequence == like)
        #expect(bench.reader.detail("n1", viewer: nil)?.position == other)
        #expect(bench.reader.likers("n1", before: nil, limit: 1)?.sequence == like)
        #expect(bench.reader.likes(by: "u", before: nil, limit: 1).sequence == like)
        #expect(bench.reader.profile("u").sequence == like)
        #expect(bench.reader.profile("nobody").sequence == 0)
        #expect(bench.reader.feed(.newest, viewer: nil, after: nil, limit: 1).sequence == other)
        #expect(try bench.reader.like("n1", by: "u")?.sequence == like)
    }

    @Test("a viewer sees its own likes, nobody else's; without one there is nothing to see")
    func viewer() throws {
        try bench.like("n1", by: "u")
        #expect(bench.reader.detail("n1", viewer: "u")?.entry.viewerLikes == true)
        #expect(bench.reader.detail("n2", viewer: "u")?.entry.viewerLikes == false)
        #expect(bench.reader.detail("n1", viewer: "nobody")?.entry.viewerLikes == false)
        #expect(bench.reader.detail("n1", viewer: nil)?.entry.viewerLikes == .none)
        #expect(throws: Rejection.newsNotFound) { try bench.reader.like("unknown", by: "u") }
    }
}
