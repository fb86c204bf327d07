import Testing
import Threading

@testable import LikesCore

@Suite("Receipts and events say what became of a request")
struct ReceiptTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
        try bench.put("n", author: "author", baseLikes: 5)
    }

    @Test("a like has the clock's time, or the one it was given")
    func timeOfLike() throws {
        bench.clock.withLock { $0 = 42_000 }
        #expect(try bench.like("n", by: "a").likedAt == Timestamp(milliseconds: 42_000))
        let at = Timestamp(milliseconds: 7)
        let receipt = try bench.submit(.toggle(ToggleRequest(liked: true, news: "n", user: "b", at: at))).toggle
        #expect(receipt.likedAt == at)
        #expect(bench.journal.events.last?.at == at)
        #expect(try bench.reader.like("n", by: "b")?.likedAt == at)
        // Liking again does not move it.
        bench.clock.withLock { $0 = 43_000 }
        #expect(try bench.like("n", by: "b").likedAt == at)
    }

    // Reported of others: discourse#14869
    @Test("counts in events are absolute, base likes included, and so is the user's number")
    func countsInEvents() throws {
        try bench.put("m")
        try bench.like("n", by: "a")
        try bench.like("m", by: "a")
        try bench.like("n", by: "b")
        try bench.unlike("n", by: "a")
        let likes = bench.journal.events.compactMap(\.like)
        #expect(likes.map(\.likesCount) == [6, 1, 7, 6])
        #expect(likes.map(\.numberOfGivenLikes) == [1, 2, 1, 1])
        #expect(bench.reader.profile("author").numberOfReceivedLikes == 6)
    }

    // Reported of others: gotosocial#51, wp-calypso#87285
    @Test("the first like of a news by a user is told from the later ones, also after a restart")
    func firstTime() throws {
        try bench.like("n", by: "a")
        try bench.unlike("n", by: "a")
        try bench.like("n", by: "a")
        try bench.unlike("n", by: "a")
        bench.mediator.stop()
        let restarted = try Bench(journal: bench.journal)
        try restarted.like("n", by: "a")
        try restarted.like("n", by: "b")
        let added = bench.journal.events.filter { if case .likeAdded = $0.change { true } else { false } }
        #expect(added.compactMap(\.like).map(\.firstTime) == [true, false, false, true])
        let removed = bench.journal.events.filter { if case .likeRemoved = $0.change { true } else { false } }
        #expect(removed.compactMap(\.like).map(\.firstTime) == [false, false])
    }

    @Test("a news that is made again is liked for the first time again")
    func firstTimeOfNewNews() throws {
        try bench.like("n", by: "a")
        try bench.ask(.removeNews("n"))
        #expect(try bench.put("n").likesCount == 0)
        try bench.like("n", by: "a")
        #expect(bench.journal.events.last?.like?.firstTime == true)
        #expect(bench.likesCount("n") == 1)
    }

    @Test("what changes nothing has no event, and says where that was decided")
    func noChange() throws {
        let like = try bench.like("n", by: "a")
        try bench.put("m")
        let again = try bench.like("n", by: "a")
        #expect(!again.changed)
        #expect(again.sequence == like.sequence + 1)
        #expect(bench.journal.events.count == 3)
        #expect(
            try bench.unlike("unknown", by: "a")
                == ToggleReceipt(
                    liked: false, changed: false, likesCount: 0, likedAt: nil, sequence: 3))
        #expect(try bench.submit(.like("unknown", "a")).rejection == .newsNotFound)
    }

    @Test("the operation id is in the events that the write caused")
    func operationID() throws {
        let name = OperationID("op-1")
        try bench.ask(.like("n", "a"), operationID: name)
        try bench.ask(.likeAll("b", of: nil), operationID: name)
        try bench.ask(.unlike("n", "a"))
        #expect(bench.journal.events.suffix(3).map(\.operationID) == [name, name, nil])
    }

    @Test("a news that is put again keeps its likes, and its base likes unless they are given")
    func putAgain() throws {
        try bench.like("n", by: "a")
        let replaced = try bench.put("n", title: "new")
        #expect(!replaced.created)
        #expect(replaced.changed)
        #expect(replaced.likesCount == 6)
        #expect(try !bench.put("n", title: "new").changed)
        #expect(try bench.put("n", title: "new", baseLikes: 0).likesCount == 1)
        #expect(bench.likesCount("n") == 1)
        #expect(bench.feedCounts == ["n": 1])
        #expect(bench.journal.events.suffix(2).map(\.summary) == ["updated n", "updated n"])
    }

    @Test("received likes follow the author of the news")
    func receivedLikes() throws {
        try bench.like("n", by: "a")
        #expect(bench.reader.profile("author").numberOfReceivedLikes == 6)
        try bench.put("n", author: "other")
        #expect(bench.reader.profile("author").numberOfReceivedLikes == 0)
        #expect(bench.reader.profile("other").numberOfReceivedLikes == 6)
        try bench.put("n")
        #expect(bench.reader.profile("other").numberOfReceivedLikes == 0)
        try bench.put("n", author: "author")
        try bench.ask(.removeNews("n"))
        #expect(bench.reader.profile("author").numberOfReceivedLikes == 0)
    }

    @Test("the bus is told of each like before the answer, and once of the whole batch")
    func busIsTold() throws {
        let heard = Heard()
        bench.bus.subscribe(to: LikeAdded.self, heard) { $0.write("+\($1.like.user.text) \($1.sequence)") }
        bench.bus.subscribe(to: LikeRemoved.self, heard) { $0.write("-\($1.like.user.text) \($1.sequence)") }
        bench.bus.subscribe(to: FoldedBatch.self, heard) { $0.write("batch of \($1.events.count)") }
        try bench.like("n", by: "a")
        #expect(heard.lines == ["batch of 1", "+a 2"])
        try bench.unlike("n", by: "a")
        #expect(heard.lines == ["batch of 1", "+a 2", "batch of 1", "-a 3"])
        try bench.unlike("n", by: "a")
        #expect(heard.lines.count == 4)
    }
}

/// A subscriber that writes down what it hears.
final class Heard: Sendable {
    private let state = Locked<[String]>([])

    func write(_ line: String) { state.withLock { $0.append(line) } }

    var lines: [String] { state.withLock { $0 } }
}
