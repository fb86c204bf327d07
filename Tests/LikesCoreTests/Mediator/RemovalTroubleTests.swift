import Testing
import Threading

@testable import LikesCore

@Suite("A deletion of very many likes that something comes in between")
struct RemovalTroubleTests {
    @Test("the journal fails halfway: who waits for the news is told, nothing spins, and it goes on by itself")
    func failingJournal() throws {
        let journal = HotNews.journal(["hot"], likers: 2 * Limits.cascadeLikes + 500)
        let bench = try Bench(journal: journal)
        let waiting = Locked<Answer?>(nil)
        journal.beforeAppend { [weak bench] events in
            guard events.first?.summary == "leaving hot", let put = try? bench?.submit(.put("hot")) else { return }
            waiting.withLock { $0 = put }
        }
        // The first commit of the deletion is kept, and then nothing.
        journal.failAppends { $0.first?.summary != "leaving hot" }
        let removal = try bench.submit(.removeNews("hot"))
        #expect(try removal.rejection == .journalUnavailable)
        #expect(try #require(waiting.withLock { $0 }).rejection == .journalUnavailable)
        #expect(try bench.submit(.put("hot")).rejection == .journalUnavailable)
        #expect(bench.mediator.queueDepth == 0)

        let (failures, start) = (journal.failures, MonotonicClock.milliseconds())
        #expect(journal.wait(forFailures: failures + 2))
        #expect(MonotonicClock.milliseconds() - start >= Limits.journalRetryMilliseconds)
        #expect(bench.reader.detail("hot", viewer: nil) == nil)
        #expect(bench.journalReports.lines == ["the disk is full"])

        journal.failAppends { _ in false }
        #expect(journal.wait { $0.last?.summary == "removed hot" })
        // The next answer comes after all that the mediator does about the commit before.
        #expect(try bench.put("hot").created)
        #expect(bench.journalReports.lines == ["the disk is full", "it works"])
        #expect(bench.likesCount("hot") == 0)
        #expect(bench.givenLikes("u5") == 0)
        #expect([removal, waiting.withLock { $0 }].allSatisfy { $0?.times == 1 })
    }

    @Test("the service is stopped: it stops in seconds, all are answered once, and the next start goes on")
    func stopping() throws {
        let likers = 3 * Limits.cascadeLikes + 5_000
        let journal = HotNews.journal(["hot", "warm"], likers: likers)
        let bench = try Bench(journal: journal, isStarted: false)
        // So slow that the deletions would take four of these and more.
        journal.slowDown(milliseconds: 1_000)
        let entries = (0..<3_000).map { BatchEntry.request(ToggleRequest(liked: true, news: "other", user: .user($0))) }
        let answers = try [
            LikeCommand.Action.removeNews("hot"), .removeNews("warm"), .put("hot"), .like("other", "late"),
            .toggleMany(entries),
        ].map { try bench.submit($0) }
        bench.start()
        let start = MonotonicClock.milliseconds()
        bench.mediator.stop()
        #expect(MonotonicClock.milliseconds() - start < 6_000)
        #expect(answers.allSatisfy { $0.times == 1 })
        for answer in answers.prefix(3) { #expect(try answer.rejection == .shuttingDown) }
        #expect(try answers[3].toggle.changed)
        #expect(bench.mediator.queueDepth == 0)
        #expect(bench.reader.detail("hot", viewer: nil) == nil)

        let restarted = try Bench(journal: RecordingJournal(events: journal.events))
        #expect(restarted.reader.detail("warm", viewer: nil) == nil)
        let removed = { (events: [LikeEvent]) in
            events.count { if case .newsRemoved = $0.change { true } else { false } } == 2
        }
        #expect(restarted.journal.wait(until: removed))
        #expect(try restarted.put("hot").likesCount == 0)
        #expect(restarted.givenLikes(.user(likers - 1)) == 0)
        #expect(restarted.givenLikes("late") == 1)
    }

    @Test("profiles agree with the lists at every commit, and the author's likes are gone with the first")
    func profiles() throws {
        let likers = 2 * Limits.cascadeLikes + 500
        let journal = HotNews.journal(["hot"], likers: likers, author: "writer", baseLikes: 7)
        let bench = try Bench(journal: journal)
        let users: [UserID] = [.user(0), .user(10_499), .user(10_500), .user(likers - 1)]
        for user in users { try bench.like("other", by: user) }
        let expected = Int64(7 + users.count)
        #expect(bench.reader.profile("writer").numberOfReceivedLikes == expected + 7 + Int64(likers))
        let heard = Heard()
        bench.bus.subscribe(to: FoldedBatch.self, heard) { [weak bench] heard, _ in
            guard let reader = bench?.reader else { return }
            for user in users {
                let listed = reader.likes(by: user, before: nil, limit: 10).likes.count
                let given = reader.profile(user).numberOfGivenLikes
                if Int64(listed) != given { heard.write("\(user.text) gave \(given), and \(listed) are listed") }
            }
            heard.write("\(reader.profile("writer").numberOfReceivedLikes)")
        }
        try bench.ask(.removeNews("hot"))
        #expect(heard.lines == Array(repeating: "\(expected)", count: 3))
        #expect(users.map { bench.givenLikes($0) } == [1, 1, 1, 1])
    }

    @Test("the memory of likes taken back keeps what others took back")
    func withdrawnMemory() throws {
        let bench = try Bench()
        try bench.put("kept")
        try bench.put("gone")
        try bench.like("kept", by: "u")
        try bench.unlike("kept", by: "u")
        for user in 0..<10 { try bench.like("gone", by: .user(user)) }
        let gone = try #require(
            bench.shared.read { state in state.catalog.find("gone").map { state.catalog[$0].serial } })
        try bench.ask(.removeNews("gone"))
        let isRemembered = bench.shared.read { state in
            (0..<10).contains { number in
                state.users.find(.user(number)).map { state.withdrawn.contains(serial: gone, user: $0) } ?? false
            }
        }
        #expect(!isRemembered)
        try bench.like("kept", by: "u")
        #expect(bench.journal.events.last?.like?.firstTime == false)
        // Made again, the news is another one: its first likes are first ones.
        try bench.put("gone")
        try bench.like("gone", by: .user(1))
        #expect(bench.journal.events.last?.like?.firstTime == true)
    }
}
