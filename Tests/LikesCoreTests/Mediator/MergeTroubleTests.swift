import Testing
import Threading

@testable import LikesCore

@Suite("A merge of very many likes that something comes in between")
struct MergeTroubleTests {
    /// For three commits of a merge.
    private static let likers = 11_000

    /// The events go on without a gap and fit each other, and all likes have gone over, the oldest first.
    private static func checkMerge(_ events: [LikeEvent], likers: Int = likers) throws {
        #expect(events.map(\.sequence) == Array(1...UInt64(events.count)))
        let state = LikesState()
        for event in events { try state.fold(event) }
        #expect(state.catalog.findStored("hot") == nil && state.redirects["hot"] == "other")
        let moved = events.filter { if case .likeRemoved(let like) = $0.change { like.news == "hot" } else { false } }
        #expect(moved.compactMap(\.like).map(\.user) == (0..<likers).map { .user($0) })
    }

    @Test("it is cut into several commits; the id leads on from the first, and others like on in between")
    func severalCommits() throws {
        let likers = 25_000
        let journal = HotNews.journal(["hot"], likers: likers)
        let bench = try Bench(journal: journal)
        let answers = Locked<[Answer]>([])
        let watcher = Heard()
        bench.bus.subscribe(to: FoldedBatch.self, watcher) { [weak bench] watcher, batch in
            guard let bench, batch.events.contains(where: { $0.like?.news == "hot" }) else { return }
            let number = answers.withLock { $0.count }
            let entries = [("hot", "mine\(number)"), ("other", "yours\(number)")].map { news, user in
                BatchEntry.request(
                    ToggleRequest(liked: true, news: NewsID(stringLiteral: news), user: UserID(stringLiteral: user)))
            }
            guard let answer = try? bench.submit(.toggleMany(entries)) else { return }
            answers.withLock { $0.append(answer) }
            watcher.write(bench.reader.redirect(of: "hot")?.text ?? "no redirect")
            watcher.write(bench.reader.detail("hot", viewer: nil) == nil ? "gone" : "there")
            watcher.write(
                Int64(bench.reader.likes(by: "u24999", before: nil, limit: 5).likes.count)
                    == bench.givenLikes("u24999") ? "agree" : "list and number differ")
        }
        let receipt = try bench.merge("hot", into: "other")
        let given = answers.withLock { $0 }
        #expect(given.count >= 4)
        for answer in given {
            #expect(
                try answer.many.results.allSatisfy { result in
                    if case .done(changed: true, made: true, _) = result { true } else { false }
                })
        }
        #expect(watcher.lines == Array(repeating: ["other", "gone", "agree"], count: given.count).flatMap(\.self))
        try Self.checkMerge(journal.events, likers: likers)
        #expect(journal.batches.dropFirst().allSatisfy { $0.count <= Limits.eventsPerCommit })
        // The likes of the last two rounds come behind the end of the merge.
        #expect(receipt.likesCount == Int64(likers) + 2 * Int64(given.count - 2))
        #expect(bench.likesCount("other") == Int64(likers + 2 * given.count))
        #expect(bench.reader.redirect(of: "hot") == "other")
        let newest = bench.reader.likers("other", before: nil, limit: 100)?.likes.map(\.user.text) ?? []
        #expect(newest.filter { $0.hasPrefix("u") }.prefix(3) == ["u24999", "u24998", "u24997"])
        #expect(bench.mediator.queueDepth == 0)
        // Lived through, and read again.
        #expect(
            try LikesReader(replay(journal), epoch: journal.epoch).detail("other", viewer: nil)?.entry.likesCount
                == bench.likesCount("other"))
    }

    /// Asks for something right behind the first commit of the merge, in which only the oldest likes have moved.
    private func inTheMiddle(
        _ actions: [LikeCommand.Action], prepare: (Bench) throws -> Void = { _ in }
    ) throws -> (answers: [Answer], bench: Bench) {
        let bench = try Bench(journal: HotNews.journal(["hot"], likers: Self.likers))
        try prepare(bench)
        let answers = Locked<[Answer]>([])
        let watcher = Heard()
        bench.bus.subscribe(to: FoldedBatch.self, watcher) { [weak bench] watcher, batch in
            guard watcher.lines.isEmpty, batch.events.contains(where: { $0.like?.news == "hot" }) else { return }
            watcher.write("once")
            let given = actions.compactMap { try? bench?.submit($0) }
            answers.withLock { $0 = given }
        }
        try bench.merge("hot", into: "other")
        let given = answers.withLock { $0 }
        try #require(given.count == actions.count)
        for answer in given { _ = try answer.result }
        return (given, bench)
    }

    @Test("a like that has not moved yet counts: it is no new one, and it can be taken back")
    func notMovedYet() throws {
        let last: UserID = .user(Self.likers - 1)
        let (answers, bench) = try inTheMiddle([
            .like("other", last), .unlike("other", .user(Self.likers - 2)), .like("other", "somebody"),
            .unlikeAll(.user(Self.likers - 3), of: ["hot"]), .unlike("hot", last),
        ])
        #expect(try !answers[0].toggle.changed)
        #expect(try answers[0].toggle.likedAt == .some)
        #expect(try answers[1].toggle.changed)
        #expect(try answers[2].toggle.sequence < answers[0].toggle.sequence)
        #expect(try answers[3].bulk.changed == 1)
        #expect(try answers[4].rejection == .newsMerged(into: "other"))
        #expect(bench.likesCount("other") == Int64(Self.likers - 1))
        #expect(bench.givenLikes(.user(Self.likers - 2)) == 0)
    }

    @Test("likes that the first commit does not move count for commands of the same batch, too")
    func notMovedInTheFirstCommit() throws {
        let bench = try Bench(journal: HotNews.journal(["hot"], likers: Self.likers), isStarted: false)
        let actions: [LikeCommand.Action] = [
            .mergeNews("hot", into: "other"), .like("other", .user(Self.likers - 1)),
            .unlike("other", .user(Self.likers - 2)), .like("other", "somebody"),
        ]
        let answers = try actions.map { try bench.submit($0) }
        bench.start()
        _ = try answers[0].receipt
        #expect(try !answers[1].toggle.changed)
        #expect(try answers[2].toggle.changed)
        // Who has nothing to do with the merge does not wait for its end.
        #expect(try answers[3].toggle.sequence < answers[2].toggle.sequence)
        #expect(bench.likesCount("other") == Int64(Self.likers))
        #expect(bench.givenLikes(.user(Self.likers - 2)) == 0)
    }

    @Test("taking back all likes, and forgetting a user, reach the likes that a merge moves")
    func everything() throws {
        let (all, forgotten): (UserID, UserID) = (.user(Self.likers - 1), .user(Self.likers - 2))
        let (answers, bench) = try inTheMiddle([.unlikeAll(all, of: nil), .removeUser(forgotten)]) { bench in
            // More than a round takes, and newer than the like that is to be moved.
            let news = (0..<1_500).map { NewsID.news($0) }
            try bench.ask(
                .putManyNews(news.map { .request(NewsDraft(News(id: $0, title: ""), setsBaseLikes: false)) }))
            try bench.ask(.likeAll(all, of: news))
            try bench.ask(.likeAll(forgotten, of: news))
        }
        for answer in answers { #expect(try answer.bulk.changed == 1_501) }
        for user in [all, forgotten] {
            #expect(bench.givenLikes(user) == 0)
            #expect(bench.reader.likes(by: user, before: nil, limit: 5).likes.isEmpty)
        }
        #expect(bench.likesCount("other") == Int64(Self.likers - 2))
    }

    @Test("the target is neither deleted nor merged away before the end, and likes of it go on")
    func targetStays() throws {
        let (answers, bench) = try inTheMiddle(
            [.mergeNews("other", into: "third"), .removeNews("third"), .like("other", "v"), .removeNews("other")]
        ) { try $0.put("third", baseLikes: 2) }
        let events = bench.journal.events.map(\.summary)
        let end = try #require(events.firstIndex(of: "merged hot into other"))
        #expect(try #require(events.firstIndex(of: "+other v")) < end)
        // What names the target waits; the third, which nothing is merged into yet, does not.
        #expect(try #require(events.firstIndex(of: "removed third")) < end)
        #expect(try answers[0].rejection == .newsNotFound)
        #expect(try #require(events.firstIndex(of: "leaving other")) > end)
        #expect(bench.likesCount("other") == nil && bench.reader.redirect(of: "hot") == nil)
        #expect(bench.givenLikes("u7") == 0 && bench.givenLikes("v") == 0)
    }

    @Test("two merges into the same news at once, of the same users")
    func twoAtOnce() throws {
        let journal = HotNews.journal(["hot", "warm"], likers: 8_000)
        let bench = try Bench(journal: journal, isStarted: false)
        let answers = try ["hot", "warm"].map { try bench.submit(.mergeNews($0, into: "other")) }
        bench.start()
        for answer in answers { _ = try answer.receipt }
        #expect(bench.likesCount("other") == 8_000)
        #expect(bench.feedCounts == ["other": 8_000])
        for number in [0, 1, 4_999, 5_000, 7_999] { #expect(bench.givenLikes(.user(number)) == 1) }
        #expect(try LikesReader(replay(journal), epoch: journal.epoch).likers("other", before: nil, limit: 1) != nil)
    }

    @Test("one that was half through when the service ended goes on by itself after the start")
    func resumedAfterRestart() throws {
        let journal = HotNews.journal(["hot"], likers: Self.likers, author: "writer", baseLikes: 5)
        try Bench(journal: journal).merge("hot", into: "other")
        // What the journal would hold after a crash behind any commit of the merge.
        for commits in 2..<journal.batches.count {
            let half = RecordingJournal(events: journal.batches.prefix(commits).flatMap(\.self))
            let restarted = try Bench(journal: half, isStarted: false)
            #expect(restarted.reader.redirect(of: "hot") == "other")
            // Of the author's two news, `other` has the baseLikes of both since the first commit.
            #expect(restarted.likesCount("other") ?? 0 >= 10)
            let early = try restarted.submit(.unlike("other", .user(Self.likers - 1)))
            restarted.start()
            #expect(half.wait { $0.contains { $0.summary == "merged hot into other" } })
            #expect(try early.toggle.changed)
            #expect(restarted.likesCount("other") == Int64(Self.likers + 10 - 1))
            #expect(restarted.reader.profile("writer").numberOfReceivedLikes == Int64(Self.likers + 10 - 1))
            #expect(restarted.mediator.queueDepth == 0)
            try Self.checkMerge(half.events)
        }
    }

    @Test("the journal fails halfway: who waits is told, and it goes on by itself, once")
    func failingJournal() throws {
        let journal = HotNews.journal(["hot"], likers: Self.likers)
        let bench = try Bench(journal: journal)
        let waiting = Locked<[Answer]>([])
        journal.beforeAppend { [weak bench] events in
            guard events.first?.summary == "merging hot into other" else { return }
            let answers = [.unlike("other", .user(Self.likers - 1)), LikeCommand.Action.removeNews("other")]
                .compactMap { try? bench?.submit($0) }
            waiting.withLock { $0 = answers }
        }
        // The beginning of the merge is kept, and then nothing.
        journal.failAppends { $0.first?.summary != "merging hot into other" }
        #expect(try bench.submit(.mergeNews("hot", into: "other")).rejection == .journalUnavailable)
        for answer in waiting.withLock({ $0 }) { #expect(try answer.rejection == .journalUnavailable) }
        #expect(try bench.submit(.mergeNews("hot", into: "other")).rejection == .newsMerged(into: "other"))
        #expect(bench.likesCount("other") == 0)
        let failures = journal.failures
        #expect(journal.wait(forFailures: failures + 1))
        journal.beforeAppend { _ in }
        journal.failAppends { _ in false }
        #expect(journal.wait { $0.last?.summary == "merged hot into other" })
        #expect(try !bench.unlike("other", by: "nobody").changed)
        try Self.checkMerge(journal.events)
        #expect(bench.likesCount("other") == Int64(Self.likers))
        #expect(bench.mediator.queueDepth == 0)
    }

    @Test("the memory of likes taken back keeps what others took back")
    func withdrawnMemory() throws {
        let bench = try Bench()
        try bench.put("old")
        try bench.put("new")
        for user in 0..<10 { try bench.like("old", by: .user(user)) }
        let old = try #require(
            bench.shared.read { state in state.catalog.find("old").map { state.catalog[$0].serial } })
        try bench.merge("old", into: "new")
        let isRemembered = bench.shared.read { state in
            (0..<10).contains { number in
                state.users.find(.user(number)).map { state.withdrawn.contains(serial: old, user: $0) } ?? false
            }
        }
        #expect(!isRemembered)
    }
}
