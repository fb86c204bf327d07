package import Threading

/// The mediator: the only one that knows the journal and the three projections.
///
/// It takes requests to like and unlike, decides them in batches on a thread of its own, appends what they change to
/// the journal, folds it into feed, detail and profile, in this order, tells the event bus, and then answers.
package final class LikesMediator: @unchecked Sendable {
    // Safety: `dropped`, `pacing`, `nextDrop` and `nextCheck` are used by the mediator's thread alone, `thread` by whoever
    // starts and stops; all else is Sendable.
    private let journal: any Journal
    private let shared: SharedLikes
    private let bus: EventBus
    private let createsUnknownNews: Bool
    private let clock: Clock
    private let queue = CommandQueue()
    private let batchEnded: @Sendable () -> Void
    private let journalChanged: @Sendable (String?) -> Void
    private let dropFailed: @Sendable (String) -> Void
    private let failure = Locked<String?>(nil)
    /// The journal need not keep the events up to this one.
    private let droppable = Locked<UInt64>(0)
    private var dropped: UInt64 = 0
    private var pacing = CommitPacing()
    private var nextDrop: Int64 = 0
    private var nextCheck: Int64 = 0
    private var thread: Thread?

    /// A mediator that does nothing until `start`.
    ///
    /// - Parameters:
    ///   - createsUnknownNews: whether a like of a news that nobody made makes it, with its id as its title.
    ///   - journalChanged: called on the mediator's thread with the reason when the journal begins to fail, or fails
    ///     in another way, and with nil when it works again.
    ///   - dropFailed: called on the mediator's thread with the reason when old events could not be let go of.
    ///   - batchEnded: called on the mediator's thread after the answers of each batch were given.
    package init(
        journal: any Journal, state: SharedLikes, bus: EventBus, createsUnknownNews: Bool = false,
        clock: Clock = .system,
        journalChanged: @escaping @Sendable (String?) -> Void = { _ in },
        dropFailed: @escaping @Sendable (String) -> Void = { _ in },
        batchEnded: @escaping @Sendable () -> Void = {}
    ) {
        self.journal = journal
        self.shared = state
        self.bus = bus
        self.createsUnknownNews = createsUnknownNews
        self.clock = clock
        self.journalChanged = journalChanged
        self.dropFailed = dropFailed
        self.batchEnded = batchEnded
    }

    /// Begins to work on what was and will be submitted.
    package func start() {
        precondition(thread == nil, "a mediator starts once")
        thread = Thread { self.run() }
    }

    /// Answers all that was submitted, then ends. Later submissions are refused.
    ///
    /// What takes longer than `Limits.mediatorStopMilliseconds` from now is answered with `.shuttingDown`; the commits
    /// that were made stay, and a deletion or merge goes on at the next start.
    package func stop() {
        queue.close()
        thread?.join()
        thread = nil
    }

    /// Asks for something. `done` is called once, on the mediator's thread, when the answer is true everywhere; it must
    /// not block.
    ///
    /// - Throws: `.queueFull` or `.shuttingDown`; `done` is not called then.
    package func submit(
        _ command: LikeCommand, done: @escaping @Sendable (Result<Receipt, Rejection>) -> Void
    ) throws(Rejection) {
        try queue.put(Submission(command: command, done: done))
    }

    /// Lets the journal let go of its oldest events, a few at a time between other work.
    ///
    /// - Parameter sequence: the last event that is not needed any more.
    package func dropEvents(through sequence: UInt64) {
        droppable.withLock { $0 = max($0, sequence) }
        // Wakes a mediator that waits; one that is busy, or stopped, needs no waking.
        try? queue.put(errand: {})
    }

    /// Does something on the mediator's thread between two rounds, where nothing else changes the state and no decision
    /// waits to be folded.
    ///
    /// - Parameter body: called once; every write waits until it returns.
    /// - Throws: `.shuttingDown`; `body` is not called then.
    package func betweenRounds(_ body: @escaping @Sendable () -> Void) throws(Rejection) {
        try queue.put(errand: body)
    }

    /// The same, and waits until it is done; not to be called on the mediator's thread.
    func performBetweenRounds(_ body: @escaping @Sendable () -> Void) throws(Rejection) {
        let isDone = Monitor(false)
        try betweenRounds {
            body()
            isDone.withLock { $0 = true }
            isDone.signal()
        }
        isDone.wait(until: { $0 }, then: { _ in })
    }

    /// Why the journal takes no events at the moment; nil when it does.
    package var journalFailure: String? { failure.withLock { $0 } }

    /// The number of commands that are not answered yet.
    package var queueDepth: Int { queue.depth }

    /// The number of commands that were refused with `.queueFull`, ever.
    package var queueRefusals: Int { queue.refusals }

    // MARK: The mediator's thread

    private func run() {
        var assignments = cascadesToResume(beside: [])
        var end: Int64?
        while true {
            let wasIdle = assignments.isEmpty
            let isOpen = queue.take(&assignments, waiting: patience(with: assignments))
            if wasIdle, isOpen { gather(&assignments) }
            runErrands()
            guard isOpen else {
                let deadline = end ?? MonotonicClock.milliseconds() + Limits.mediatorStopMilliseconds
                end = deadline
                if assignments.isEmpty || journalFailure != nil || MonotonicClock.milliseconds() >= deadline {
                    return answer(assignments.map { Answer($0.submission, .failure(.shuttingDown)) })
                }
                playRound(&assignments)
                continue
            }
            if !assignments.isEmpty { playRound(&assignments) }
            if journalFailure != nil, MonotonicClock.milliseconds() >= nextCheck { checkJournal() }
            dropSomeEvents()
        }
    }

    private var hasEventsToDrop: Bool { droppable.withLock { $0 } > dropped }

    /// Lets the journal let go of some events, if it is time to.
    private func dropSomeEvents() {
        let target = droppable.withLock { $0 }
        guard target > dropped, journalFailure == nil, MonotonicClock.milliseconds() >= nextDrop else { return }
        do throws(JournalError) {
            let begun = MonotonicClock.milliseconds()
            if try !journal.dropEvents(through: target, limit: Limits.eventsPerDrop) { dropped = target }
            let now = MonotonicClock.milliseconds()
            nextDrop = now + max(Limits.dropMilliseconds, Limits.dropShare * (now - begun))
        } catch {
            // Writes may well go on: whether they do shows with the next one.
            nextDrop = MonotonicClock.milliseconds() + Limits.dropRetryMilliseconds
            dropFailed(error.reason)
        }
    }

    /// Lets more commands come before a commit begins, if it is worth the wait.
    private func gather(_ assignments: inout [Assignment]) {
        guard !assignments.isEmpty, journalFailure == nil else { return }
        // Commands of many steps make up a commit that is worth it.
        if assignments.reduce(0, { $0 + $1.submission.weight }) < Limits.gatheredCommands {
            wait(for: pacing.rest, &assignments)
        }
        wait(for: pacing.gathering(now: MonotonicClock.microseconds()), &assignments)
    }

    private func wait(for wait: CommitPacing.Wait, _ assignments: inout [Assignment]) {
        let missing = wait.commands - assignments.count
        guard missing > 0 else { return }
        let microseconds = wait.until - MonotonicClock.microseconds()
        guard microseconds > 0 else { return }
        queue.gather(missing, microseconds: Int(microseconds))
        _ = queue.take(&assignments, waiting: 0)
    }

    /// Does what was asked for between rounds.
    private func runErrands() {
        let errands = queue.takeErrands()
        for errand in errands { errand() }
    }

    /// Milliseconds to wait for commands before going on with what is in hand; nil for as long as it takes. A journal
    /// that fails is tried again only now and then.
    private func patience(with assignments: [Assignment]) -> Int? {
        if journalFailure != nil { return Limits.journalRetryMilliseconds }
        if !assignments.isEmpty { return 0 }
        return hasEventsToDrop ? Int(max(nextDrop - MonotonicClock.milliseconds(), 0)) : nil
    }

    /// Deletions and merges that were begun before a restart or a failure of the journal, but for those that are in hand
    /// already.
    private func cascadesToResume(beside assignments: [Assignment]) -> [Assignment] {
        let inHand = Set(assignments.compactMap(\.cascade))
        let actions = shared.read { state in
            state.catalog.leavingHandles.map { state.catalog[$0].news.id }.filter { !inHand.contains($0) }
                .map { id in
                    state.redirects[id].map { LikeCommand.Action.mergeNews(id, into: $0) } ?? .removeNews(id)
                }
        }
        return actions.map { Assignment(Submission(command: LikeCommand($0), done: nil)) }
    }

    private func checkJournal() {
        do throws(JournalError) {
            try journal.check()
            noteJournal(failure: nil)
        } catch {
            noteJournal(failure: error.reason)
        }
    }

    private func noteJournal(failure reason: String?) {
        let before = failure.withLock { failure in
            defer { failure = reason }
            return failure
        }
        nextCheck = MonotonicClock.milliseconds() + Int64(Limits.journalRetryMilliseconds)
        if before != reason { journalChanged(reason) }
    }

    /// An assignment that is through, with its answer.
    private struct Answer {
        let done: (@Sendable (Result<Receipt, Rejection>) -> Void)?
        /// What the command counts for in the queue.
        let weight: Int
        var result: Result<Receipt, Rejection>

        init(_ submission: Submission, _ result: Result<Receipt, Rejection>) {
            (done, weight) = (submission.done, submission.weight)
            self.result = result
        }
    }

    /// Decides, keeps, folds, tells and answers one batch; what is not through stays in `assignments`.
    private func playRound(_ assignments: inout [Assignment]) {
        var answers: [Answer] = []
        answers.reserveCapacity(assignments.count)
        pacing.begin(at: MonotonicClock.microseconds())
        var touched = 0
        let draft = decide(&assignments, &answers, touched: &touched)
        do throws(JournalError) {
            let commitMicroseconds = try keep(draft.events)
            if !draft.events.isEmpty {
                noteJournal(failure: nil)
                fold(draft.events)
                publish(draft.events)
            }
            bus.publish(
                RoundReport(
                    commands: answers.count, events: draft.events.count, tally: draft.tally,
                    commitMicroseconds: commitMicroseconds))
        } catch {
            noteJournal(failure: error.reason)
            // Whoever took part in the draft has lost a part of it: all of them fail together.
            for index in answers.indices { answers[index].result = .failure(.journalUnavailable) }
            for assignment in assignments.suffix(touched) {
                answers.append(Answer(assignment.submission, .failure(.journalUnavailable)))
            }
            assignments.removeLast(touched)
            assignments.append(contentsOf: cascadesToResume(beside: assignments))
        }
        answer(answers)
    }

    /// Makes events durable.
    ///
    /// - Returns: the microseconds that it took; nil when there is nothing to keep.
    private func keep(_ events: [LikeEvent]) throws(JournalError) -> Int64? {
        guard !events.isEmpty else { return nil }
        let begun = MonotonicClock.microseconds()
        try journal.append(events)
        return MonotonicClock.microseconds() - begun
    }

    /// Lets assignments decide what they may in one round. Those that did not come to it are the first of the next
    /// round, before those that are not through: so nobody is passed over twice.
    ///
    /// - Parameter touched: becomes the number of unfinished assignments, at the end, that took part.
    private func decide(_ assignments: inout [Assignment], _ answers: inout [Answer], touched: inout Int) -> Draft {
        let now = Timestamp(milliseconds: clock.now())
        return shared.read { state in
            let limit = state.copies.exist ? Limits.eventsPerCommitWhileFrozen : Limits.eventsPerCommit
            var draft = Draft(position: state.position, hashKey: state.key, expecting: assignments.count, limit: limit)
            let context = Assignment.Context(state: state, now: now, createsUnknownNews: createsUnknownNews)
            var unfinished: [Assignment] = []
            var next = 0
            while next < assignments.count, !draft.isFull {
                switch assignments[next].proceed(&draft, context) {
                case .finished(let result):
                    answers.append(Answer(assignments[next].submission, result))
                case .unfinished: unfinished.append(assignments[next])
                }
                next += 1
            }
            touched = unfinished.count
            if next == assignments.count {
                assignments.removeAll(keepingCapacity: assignments.capacity <= CommandQueue.keptRoom)
            } else {
                assignments.removeFirst(next)
            }
            assignments.append(contentsOf: unfinished)
            return draft
        }
    }

    private func fold(_ events: [LikeEvent]) {
        var next = 0
        while next < events.count {
            next += shared.write { state in
                let slice = next..<min(next + Limits.eventsPerFold, events.count)
                // Right after a frozen copy was made, events cost more: what they change is copied.
                let deadline = state.copies.exist ? MonotonicClock.milliseconds() + Limits.foldMilliseconds : nil
                for index in slice {
                    do throws(FoldError) {
                        try state.fold(events[index])
                    } catch {
                        // Durable, but not foldable: going on would show something else than what is kept.
                        fatalError("event \(error.sequence) was decided wrongly: \(error.reason.rawValue)")
                    }
                    if let deadline, MonotonicClock.milliseconds() > deadline {
                        return index - next + 1
                    }
                }
                return slice.count
            }
        }
    }

    private func publish(_ events: [LikeEvent]) {
        bus.publish(FoldedBatch(events: events))
        guard bus.hasSubscribers(of: LikeAdded.self) || bus.hasSubscribers(of: LikeRemoved.self) else { return }
        for event in events {
            switch event.change {
            case .likeAdded(let like):
                bus.publish(LikeAdded(like: like, at: event.at, sequence: event.sequence))
            case .likeRemoved(let like):
                bus.publish(LikeRemoved(like: like, at: event.at, sequence: event.sequence))
            default: break
            }
        }
    }

    private func answer(_ answers: [Answer]) {
        guard !answers.isEmpty else { return }
        var commands = 0
        var entries = 0
        for answer in answers where answer.done != nil {
            commands += 1
            entries += answer.weight
        }
        let waiting = queue.release(commands: commands, entries: entries)
        pacing.end(at: MonotonicClock.microseconds(), answered: commands, waiting: waiting)
        for index in answers.indices { answers[index].done?(answers[index].result) }
        batchEnded()
    }
}
