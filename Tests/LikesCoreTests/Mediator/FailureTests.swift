import Testing
import Threading

@testable import LikesCore

@Suite("When the journal fails, nothing half done is seen")
struct FailureTests {
    private let journal = RecordingJournal()

    @Test("exactly the batch that could not be kept fails; nothing of it is visible; the next one works")
    func failedBatch() throws {
        let bench = try Bench(journal: journal)
        try bench.put("n", baseLikes: 2)
        try bench.like("n", by: "before")
        let position = bench.reader.position
        journal.failAppends { $0.contains { $0.like?.user == "a" } }
        #expect(try bench.submit(.like("n", "a")).rejection == .journalUnavailable)
        #expect(bench.mediator.journalFailure == "the disk is full")
        #expect(bench.reader.position == position)
        #expect(bench.likesCount("n") == 3)
        #expect(bench.givenLikes("a") == 0)
        #expect(try bench.reader.like("n", by: "a") == nil)

        #expect(try bench.like("n", by: "b").sequence == position + 1)
        #expect(bench.mediator.journalFailure == nil)
        journal.failAppends { _ in false }
        let again = try bench.like("n", by: "a")
        #expect(again.changed)
        #expect(again.likesCount == 5)
        #expect(bench.journal.events.map(\.sequence) == Array(1...4))
        #expect(bench.mediator.queueDepth == 0)
    }

    @Test("all that were decided in that batch fail, also those that rest on it")
    func wholeBatchFails() throws {
        try Bench(journal: journal).put("n")
        let bench = try Bench(journal: journal, isStarted: false)
        journal.failAppends { _ in true }
        let answers = try [
            LikeCommand.Action.like("n", "a"), .like("n", "a"), .unlike("n", "a"), .put("m"),
            .toggleMany((0..<3_000).map { .request(ToggleRequest(liked: true, news: "n", user: .user($0))) }),
        ].map { try bench.submit($0) }
        bench.start()
        for answer in answers { #expect(try answer.rejection == .journalUnavailable) }
        #expect(answers.allSatisfy { $0.times == 1 })
        #expect(bench.reader.position == 1)
        #expect(bench.likesCount("n") == 0)
        #expect(bench.likesCount("m") == nil)
        #expect(bench.shared.read { $0.users.count } == 0)
        #expect(journal.events.count == 1)
    }

    @Test("a large batch keeps the rounds that were kept, and fails as a whole")
    func laterRoundFails() throws {
        let bench = try Bench(journal: journal)
        try bench.put("n")
        journal.failAppends { $0.contains { $0.like?.user == .user(1_500) } }
        let entries = (0..<3_000).map { BatchEntry.request(ToggleRequest(liked: true, news: "n", user: .user($0))) }
        #expect(try bench.submit(.toggleMany(entries)).rejection == .journalUnavailable)
        #expect(bench.likesCount("n") == 1_000)
        journal.failAppends { _ in false }
        // Sent once more, it does the rest.
        let receipt = try bench.submit(.toggleMany(entries)).many
        let changed = receipt.results.map { if case .done(let changed, _, _) = $0 { changed } else { false } }
        #expect(changed.prefix(1_000).allSatisfy { !$0 })
        #expect(changed.suffix(2_000).allSatisfy { $0 })
        #expect(bench.likesCount("n") == 3_000)
    }

    @Test("while it fails, reads go on and requests that change nothing are answered")
    func readsGoOn() throws {
        let bench = try Bench(journal: journal)
        try bench.put("n")
        try bench.like("n", by: "a")
        journal.failAppends { _ in true }
        journal.failChecks(true)
        #expect(try bench.submit(.like("n", "b")).rejection == .journalUnavailable)
        #expect(try !bench.like("n", by: "a").changed)
        #expect(bench.likesCount("n") == 1)
        #expect(bench.mediator.journalFailure != nil)
    }

    @Test("it finds out by itself that the journal works again, without a request")
    func recoversByItself() throws {
        let bench = try Bench(journal: journal)
        try bench.put("n")
        try bench.like("n", by: "a")
        journal.failAppends { $0.contains { $0.summary == "removed n" } }
        #expect(try bench.submit(.removeNews("n")).rejection == .journalUnavailable)
        journal.failAppends { _ in false }
        #expect(journal.wait(forChecks: 1))
        // The next answer comes after the mediator has drawn its conclusion from the check.
        #expect(try !bench.unlike("nothing", by: "a").changed)
        #expect(bench.mediator.journalFailure == nil)
    }

    @Test("the answer comes after the event is kept and folded, never before")
    func answeredAfterFold() throws {
        let bench = try Bench(journal: journal)
        try bench.put("n")
        let seen = Heard()
        let reader = bench.reader
        journal.beforeAppend { _ in seen.write("kept at \(reader.position)") }
        let answer = Answer()
        try bench.mediator.submit(LikeCommand(.like("n", "a"))) { result in
            seen.write("answered at \(reader.position)")
            answer.give(result)
        }
        _ = try answer.receipt
        #expect(seen.lines == ["kept at 1", "answered at 2"])
    }
}

@Suite("The queue in front of the mediator is bounded, and nothing in it is lost")
struct QueueTests {
    @Test("a command too many is refused; all the others are answered")
    func commandsAreCounted() throws {
        let bench = try Bench(isStarted: false)
        let made = try bench.submit(.put("n"))
        let answers = try (1..<Limits.queuedCommands).map { try bench.submit(.like("n", .user($0))) }
        #expect(throws: Rejection.queueFull) { try bench.submit(.like("n", "late")) }
        #expect(bench.mediator.queueDepth == Limits.queuedCommands)
        bench.start()
        _ = try made.receipt
        for answer in answers { #expect(try answer.toggle.changed) }
        #expect(bench.likesCount("n") == Int64(answers.count))
        #expect(try bench.like("n", by: "late").changed)
        #expect(bench.mediator.queueDepth == 0)
    }

    @Test("entries are counted over all commands")
    func entriesAreCounted() throws {
        let bench = try Bench(isStarted: false)
        let batch = LikeCommand.Action.toggleMany(
            Array(repeating: .malformed(code: "", detail: ""), count: Limits.batchEntries))
        let answers = try (0..<Limits.queuedEntries / Limits.batchEntries).map { _ in try bench.submit(batch) }
        #expect(throws: Rejection.queueFull) { try bench.submit(.put("n")) }
        bench.start()
        for answer in answers { #expect(try answer.many.results.count == Limits.batchEntries) }
        try bench.put("n")
    }

    @Test("stopping answers all that was submitted; then everything is refused")
    func stopAnswersAll() throws {
        let bench = try Bench(isStarted: false)
        let made = try bench.submit(.put("n"))
        let answers = try (0..<200).map { try bench.submit(.like("n", .user($0))) }
        let batch = try bench.submit(
            .toggleMany((0..<5_000).map { .request(ToggleRequest(liked: true, news: "n", user: .user($0))) }))
        bench.start()
        bench.mediator.stop()
        #expect(([made, batch] + answers).allSatisfy { $0.times == 1 })
        #expect(bench.likesCount("n") == 5_000)
        #expect(throws: Rejection.shuttingDown) { try bench.submit(.like("n", "late")) }
    }

    @Test("stopping answers all that was submitted also when the journal fails")
    func stopWhileFailing() throws {
        let journal = RecordingJournal()
        journal.failAppends { _ in true }
        let bench = try Bench(journal: journal, isStarted: false)
        let answers = try (0..<20).map { try bench.submit(.put(.news($0))) }
        bench.start()
        bench.mediator.stop()
        for answer in answers { #expect(try answer.rejection == .journalUnavailable) }
    }

    @Test("the owner is told at the end of each batch, after its answers")
    func batchEnds() throws {
        let log = Heard()
        let journal = RecordingJournal()
        let mediator = LikesMediator(
            journal: journal, state: SharedLikes(LikesState()), bus: EventBus(), batchEnded: { log.write("end") })
        try mediator.submit(LikeCommand(.put("n"))) { _ in log.write("answer") }
        try mediator.submit(LikeCommand(.put("m"))) { _ in log.write("answer") }
        mediator.start()
        mediator.stop()
        #expect(log.lines == ["answer", "answer", "end"])
    }
}
