import Testing
import Threading

@testable import LikesCore

@Suite("A deletion withdraws every like, then the news")
struct RemovalTests {
    @Test("a news with few likes goes in one commit, with an event for each like")
    func smallRemoval() throws {
        let bench = try Bench()
        try bench.put("n", baseLikes: 3)
        try bench.put("m")
        for user in 0..<3 {
            try bench.like("n", by: .user(user))
            try bench.like("m", by: .user(user))
        }
        try bench.ask(.removeNews("n"), operationID: OperationID("op"))
        let events = try #require(bench.journal.batches.last)
        #expect(events.map(\.summary) == ["leaving n", "-n u2", "-n u1", "-n u0", "removed n"])
        #expect(events.compactMap(\.like).map(\.likesCount) == [5, 4, 3])
        #expect(events.compactMap(\.like).map(\.numberOfGivenLikes) == [1, 1, 1])
        #expect(events.dropFirst().allSatisfy { $0.operationID == OperationID("op") })
        #expect(bench.reader.detail("n", viewer: nil) == nil)
        #expect(bench.reader.likers("n", before: nil, limit: 10) == nil)
        #expect(bench.feedCounts == ["m": 3])
        #expect(bench.reader.likes(by: "u1", before: nil, limit: 10).likes.map(\.news) == ["m"])
        #expect(bench.givenLikes("u1") == 1)
    }

    @Test("a news that is not there is removed without an event")
    func unknown() throws {
        let bench = try Bench()
        guard case .removed(let sequence) = try bench.ask(.removeNews("n")) else { throw Answer.Surprise() }
        #expect(sequence == 0)
        #expect(bench.journal.events.isEmpty)
    }

    @Test("equal removals in one batch: the news goes once, all are answered")
    func repeated() throws {
        let journal = RecordingJournal()
        try Bench(journal: journal).put("n")
        let bench = try Bench(journal: journal, isStarted: false)
        let answers = try (0..<3).map { _ in try bench.submit(.removeNews("n")) }
        bench.start()
        for answer in answers { _ = try answer.receipt }
        #expect(journal.events.map(\.summary) == ["added n", "leaving n", "removed n"])
    }

    @Test("a news is made again while it is removed: it begins from zero, after the removal")
    func madeAgain() throws {
        let journal = RecordingJournal()
        let first = try Bench(journal: journal)
        try first.put("n", baseLikes: 4)
        try first.like("n", by: "u")
        let bench = try Bench(journal: journal, isStarted: false)
        let removal = try bench.submit(.removeNews("n"))
        let made = try bench.submit(.put("n"))
        let like = try bench.submit(.like("n", "u"))
        bench.start()
        _ = try (removal.receipt, made.receipt)
        #expect(try like.toggle.likesCount == 1)
        #expect(
            journal.events.map(\.summary) == [
                "added n", "+n u", "leaving n", "-n u", "removed n", "added n", "+n u",
            ])
    }

    @Test("likes of the same batch that cancel out in the count are withdrawn all the same")
    func cancellingLikes() throws {
        let journal = RecordingJournal()
        let first = try Bench(journal: journal)
        try first.put("n")
        try first.like("n", by: "old")
        first.mediator.stop()
        let bench = try Bench(journal: journal, isStarted: false)
        let answers = try [.unlike("n", "old"), .like("n", "new"), LikeCommand.Action.removeNews("n")]
            .map { try bench.submit($0) }
        bench.start()
        for answer in answers { _ = try answer.receipt }
        #expect(
            journal.events.map(\.summary) == [
                "added n", "+n old", "-n old", "+n new", "leaving n", "-n new", "removed n",
            ])
        #expect(bench.reader.detail("n", viewer: nil) == nil)
        #expect(bench.givenLikes("new") == 0)
    }
}

@Suite("A deletion of very many likes")
struct LargeRemovalTests {
    private static let likers = Limits.cascadeLikes + 500

    private static func journal(likers: Int = likers) -> RecordingJournal { HotNews.journal(["hot"], likers: likers) }

    @Test("it is cut into several commits; the news is gone from the first, and others like on")
    func severalCommits() throws {
        let journal = Self.journal()
        let bench = try Bench(journal: journal)
        let answers = Locked<[(hot: Answer, unlike: Answer, other: Answer)]>([])
        let bus = bench.bus
        let watcher = Heard()
        // After each commit of the deletion somebody likes both news.
        bus.subscribe(to: FoldedBatch.self, watcher) { [weak bench] watcher, batch in
            guard let bench, batch.events.contains(where: { $0.like?.news == "hot" }) else { return }
            let number = answers.withLock { $0.count }
            guard let hot = try? bench.submit(.like("hot", .user(number))),
                let unlike = try? bench.submit(.unlike("hot", .user(number))),
                let other = try? bench.submit(.like("other", .user(number)))
            else { return }
            answers.withLock { $0.append((hot, unlike, other)) }
            watcher.write(bench.reader.detail("hot", viewer: nil) == nil ? "gone" : "there")
            let listed = bench.reader.likes(by: "u5", before: nil, limit: 5).likes.count
            watcher.write(Int64(listed) == bench.givenLikes("u5") ? "agree" : "list and number differ")
        }
        _ = try bench.submit(.removeNews("hot")).receipt
        let pairs = answers.withLock { $0 }
        #expect(pairs.count == 2)
        #expect(watcher.lines == ["gone", "agree", "gone", "agree"])
        for pair in pairs {
            #expect(try pair.hot.rejection == .newsNotFound)
            #expect(try pair.other.toggle.changed)
            #expect(try !pair.unlike.toggle.changed)
        }
        // Nobody waits for the end of it to hear that the news is gone.
        let end = try #require(journal.events.last { $0.summary == "removed hot" })
        #expect(try pairs[0].unlike.toggle.sequence <= end.sequence)
        try Self.checkRemoval(journal.events)
        #expect(journal.batches.dropFirst().allSatisfy { $0.count <= Limits.eventsPerCommit })
        #expect(bench.likesCount("other") == 2)
        #expect(bench.givenLikes("u5") == 0)
        #expect(bench.mediator.queueDepth == 0)
    }

    @Test("a news that is made again between two of the commits comes after the last of them")
    func madeAgainMeanwhile() throws {
        // Three commits: the news is put while two of them are still to come.
        let likers = 2 * Limits.cascadeLikes + 1
        let journal = Self.journal(likers: likers)
        let bench = try Bench(journal: journal)
        let made = Locked<Answer?>(nil)
        let watcher = Heard()
        bench.bus.subscribe(to: FoldedBatch.self, watcher) { [weak bench] watcher, batch in
            guard watcher.lines.isEmpty, batch.events.first?.summary == "leaving hot" else { return }
            watcher.write("made again")
            let answer = try? bench?.submit(.put("hot", baseLikes: 9))
            made.withLock { $0 = answer }
        }
        _ = try bench.submit(.removeNews("hot")).receipt
        guard case .news(let receipt)? = try made.withLock({ $0 })?.receipt else { throw Answer.Surprise() }
        #expect(receipt.created)
        #expect(receipt.likesCount == 9)
        #expect(journal.events.suffix(2).map(\.summary) == ["removed hot", "added hot"])
        try Self.checkRemoval(journal.events.dropLast(), likers: likers)
    }

    /// The events go on without a gap, and the removal is the last that is heard of the news.
    private static func checkRemoval(_ events: some Collection<LikeEvent>, likers: Int = likers) throws {
        #expect(events.map(\.sequence) == Array(1...UInt64(events.count)))
        let ofHot = events.filter { $0.like?.news == "hot" || $0.summary.hasSuffix(" hot") }
        #expect(ofHot.last?.summary == "removed hot")
        let withdrawn = ofHot.filter { if case .likeRemoved = $0.change { true } else { false } }.compactMap(\.like)
        #expect(withdrawn.count == likers)
        #expect(Set(withdrawn.map(\.user)).count == likers)
        #expect(withdrawn.map(\.likesCount) == (0..<likers).reversed().map { Int64($0) })
    }

    @Test("one that was half through when the service ended goes on by itself after the start")
    func resumedAfterRestart() throws {
        let journal = Self.journal()
        let bench = try Bench(journal: journal)
        _ = try bench.submit(.removeNews("hot")).receipt
        // What the journal would hold after a crash behind the first commit of the deletion.
        let half = RecordingJournal(events: journal.batches.prefix(2).flatMap(\.self))
        #expect(half.events.last?.like?.news == "hot")
        let restarted = try Bench(journal: half, isStarted: false)
        #expect(restarted.reader.detail("hot", viewer: nil) == nil)
        restarted.start()
        #expect(half.wait { $0.last?.summary == "removed hot" })
        try Self.checkRemoval(half.events)
        // It is counted out of no queue that it never stood in.
        try restarted.put("again")
        #expect(restarted.mediator.queueDepth == 0)
    }

    @Test("one that a failing journal broke off goes on when the journal works again")
    func resumedAfterFailure() throws {
        let journal = Self.journal()
        let bench = try Bench(journal: journal)
        journal.failAppends { events in events.last?.summary == "removed hot" }
        #expect(try bench.submit(.removeNews("hot")).rejection == .journalUnavailable)
        #expect(bench.reader.detail("hot", viewer: nil) == nil)
        #expect(bench.mediator.journalFailure == "the disk is full")
        journal.failAppends { _ in false }
        try bench.like("other", by: "u")
        #expect(journal.wait { $0.contains { $0.summary == "removed hot" } })
        try Self.checkRemoval(journal.events)
    }
}
