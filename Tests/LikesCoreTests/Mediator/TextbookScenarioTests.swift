import Testing
import Threading

@testable import LikesCore

/// Writes down that it was told of a change, and hands the change on to the real projection.
private final class Spy: LikeProjection {
    private let name: String
    private let projection: any LikeProjection
    private let log: Locked<[String]>

    init(_ projection: any LikeProjection, _ log: Locked<[String]>) {
        switch projection {
        case is FeedProjection: name = "feed"
        case is DetailProjection: name = "detail"
        default: name = "profile"
        }
        self.projection = projection
        self.log = log
    }

    private func write() {
        let name = name
        log.withLock { $0.append(name) }
    }

    func likeAdded(_ like: FoldedLike) {
        write()
        projection.likeAdded(like)
    }

    func likeRemoved(_ like: FoldedLike) {
        write()
        projection.likeRemoved(like)
    }

    func likeRedated(_ like: FoldedLike, from old: Timestamp) { projection.likeRedated(like, from: old) }
    func newsAdded(_ news: FoldedNews) { projection.newsAdded(news) }
    func newsUpdated(_ news: FoldedNews, from old: StoredNews) { projection.newsUpdated(news, from: old) }
    func newsRemovalStarted(_ news: FoldedNews) { projection.newsRemovalStarted(news) }
    func newsRemoved(_ news: FoldedNews) { projection.newsRemoved(news) }
    func userRemoved(_ user: UInt32, sequence: UInt64) { projection.userRemoved(user, sequence: sequence) }
}

@Suite("The textbook scenario: two news, one user likes all and unlikes all")
struct TextbookScenarioTests {
    private let log = Locked<[String]>([])
    private let bench: Bench
    private let user: UserID = "reader"

    init() throws {
        let log = log
        bench = try Bench(observe: { Spy($0, log) })
        try bench.put("one", baseLikes: 1)
        try bench.put("two", baseLikes: 2)
        bench.journal.beforeAppend { _ in log.withLock { $0.append("mediator") } }
    }

    private static let oneChange = ["mediator", "feed", "detail", "profile"]

    private func takeLog() -> [String] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    @Test("liking all gives 2 and 3, the profile 2; unliking all gives 1 and 2, the profile 0")
    func likesAllAndUnlikesAll() throws {
        #expect(try bench.submit(.likeAll(user, of: nil)).bulk.changed == 2)
        #expect(bench.feedCounts == ["one": 2, "two": 3])
        #expect(bench.likesCount("one") == 2)
        #expect(bench.likesCount("two") == 3)
        #expect(bench.givenLikes(user) == 2)
        #expect(takeLog() == ["mediator", "feed", "detail", "profile", "feed", "detail", "profile"])

        #expect(try bench.submit(.unlikeAll(user, of: nil)).bulk.changed == 2)
        #expect(bench.feedCounts == ["one": 1, "two": 2])
        #expect(bench.likesCount("one") == 1)
        #expect(bench.likesCount("two") == 2)
        #expect(bench.givenLikes(user) == 0)
        #expect(takeLog() == ["mediator", "feed", "detail", "profile", "feed", "detail", "profile"])
    }

    @Test("each change goes from the mediator to feed, detail and profile, in this order")
    func orderOfEachChange() throws {
        for news in ["one", "two"] as [NewsID] {
            try bench.like(news, by: user)
            #expect(takeLog() == Self.oneChange)
        }
        for news in ["two", "one"] as [NewsID] {
            try bench.unlike(news, by: user)
            #expect(takeLog() == Self.oneChange)
        }
    }

    @Test("what changes nothing is told to nobody")
    func noChangeIsNotTold() throws {
        try bench.like("one", by: user)
        _ = takeLog()
        #expect(try !bench.like("one", by: user).changed)
        #expect(try !bench.unlike("two", by: user).changed)
        #expect(takeLog().isEmpty)
    }
}
