package import Threading

/// The mediator: the only one that knows the journal and the three projections.
///
/// It takes requests to like and unlike, decides them in batches on a thread of its own, appends what they change to
/// the journal, folds it into feed, detail and profile, in this order, tells the event bus, and then answers.
package final class LikesMediator: @unchecked Sendable {
    // Safety: `journal` and `health` of the thread's own are used by the mediator thread alone; all else is Sendable.
    private let journal: any Journal
    private let shared: SharedLikes
    private let bus: EventBus
    private let clock: Clock
    private let queue = CommandQueue()
    private let batchEnded: @Sendable () -> Void
    private let failure = Locked<String?>(nil)
    private var thread: Thread?

    /// A mediator that does nothing until `start`.
    ///
    /// - Parameters:
    ///   - batchEnded: called on the mediator's thread after the answers of each batch were given.
    package init(
        journal: any Journal, state: SharedLikes, bus: EventBus, clock: Clock = .system,
        batchEnded: @escaping @Sendable () -> Void = {}
    ) {
        self.journal = journal
        self.shared = state
        self.bus = bus
        self.clock = clock
        self.batchEnded = batchEnded
    }

    /// Begins to work on what was and will be submitted.
    package func start() {
        precondition(thread == nil, "a mediator starts once")
        thread = Thread { self.run() }
    }

    /// Answers all that was submitted, then ends. Later submissions are refused.
    ///
    /// What takes more than `Limits.roundsWhenStopping` commits from now is answered with `.shuttingDown`; the
    /// commits that were made stay, and a deletion goes on at the next start.
    package func stop() {
        queue.close()
        thread?.join()
        thread = nil
    }

    /// Asks for something.
    ///
    /// - Parameter done: called once, on the mediator's thread, when the answer is true everywhere; it must not block.
    /// - Throws: `.queueFull` or `.shuttingDown`; `done` is not called then.
    package func submit(
        _ command: LikeCommand, done: @escaping @Sendable (Result<Receipt, Rejection>) -> Void
    ) throws(Rejection) {
        try queue.put(Submission(command: command, done: done))
    }

    /// Why the journal takes no events at the moment; nil when it does.
    package var journalFailure: String? { failure.withLock { $0 } }

    /// The number of commands that are not answered yet.
    package var queueDepth: Int { queue.depth }

    // MARK: The mediator's thread

    private func run() {
        var assignments = removalsToResume()
        var roundsLeft = Limits.roundsWhenStopping
        while true {
            let isFailing = journalFailure != nil
            let wait = assignments.isEmpty ? (isFailing ? Limits.journalRetryMilliseconds : nil) : 0
            guard let arrived = queue.take(waiting: wait) else {
                if assignments.isEmpty || roundsLeft == 0 {
                    return answer(
                        assignments.map { Answer(submission: $0.submission, result: .failure(.shuttingDown)) })
                }
                roundsLeft -= 1
                playRound(&assignments)
                continue
            }
            assignments.append(contentsOf: arrived.map(Assignment.init))
            if assignments.isEmpty { checkJournal() } else { playRound(&assignments) }
            if isFailing, journalFailure == nil { assignments.append(contentsOf: removalsToResume()) }
        }
    }

    /// Deletions that were begun before a restart or a failure of the journal.
    private func removalsToResume() -> [Assignment] {
        let ids = shared.read { state in state.catalog.leavingHandles.map { state.catalog[$0].news.id } }
        return ids.map { Assignment(Submission(command: LikeCommand(.removeNews($0)), done: nil)) }
    }

    private func checkJournal() {
        do throws(JournalError) {
            try journal.check()
            failure.withLock { $0 = nil }
        } catch {
            failure.withLock { $0 = error.reason }
        }
    }

    /// An assignment that is through, with its answer.
    private struct Answer {
        let submission: Submission
        var result: Result<Receipt, Rejection>
    }

    /// Decides, keeps, folds, tells and answers one batch; what is not through stays in `assignments`.
    private func playRound(_ assignments: inout [Assignment]) {
        var answers: [Answer] = []
        var touched = 0
        let draft = decide(&assignments, &answers, touched: &touched)
        do throws(JournalError) {
            if !draft.events.isEmpty {
                try journal.append(draft.events)
                failure.withLock { $0 = nil }
                fold(draft.events)
                publish(draft.events)
            }
        } catch {
            failure.withLock { $0 = error.reason }
            // Whoever took part in the draft has lost a part of it: all of them fail together.
            for index in answers.indices { answers[index].result = .failure(.journalUnavailable) }
            for assignment in assignments.prefix(touched) {
                answers.append(Answer(submission: assignment.submission, result: .failure(.journalUnavailable)))
            }
            assignments.removeFirst(touched)
        }
        answer(answers)
    }

    /// Lets every assignment decide what it may in one round.
    ///
    /// - Parameter touched: becomes the number of unfinished assignments, at the front, that took part.
    private func decide(_ assignments: inout [Assignment], _ answers: inout [Answer], touched: inout Int) -> Draft {
        let now = Timestamp(milliseconds: clock.now())
        return shared.read { state in
            var draft = Draft(position: state.position)
            let context = Assignment.Context(state: state, now: now)
            var unfinished: [Assignment] = []
            var next = 0
            while next < assignments.count, !draft.isFull {
                switch assignments[next].proceed(&draft, context) {
                case .finished(let result):
                    answers.append(Answer(submission: assignments[next].submission, result: result))
                case .unfinished: unfinished.append(assignments[next])
                }
                next += 1
            }
            touched = unfinished.count
            assignments.replaceSubrange(0..<next, with: unfinished)
            return draft
        }
    }

    private func fold(_ events: [LikeEvent]) {
        var next = 0
        while next < events.count {
            let slice = events[next..<min(next + Limits.eventsPerFold, events.count)]
            shared.write { state in
                for event in slice {
                    do throws(FoldError) {
                        try state.fold(event)
                    } catch {
                        // Durable, but not foldable: going on would show something else than what is kept.
                        preconditionFailure("event \(error.sequence) was decided wrongly: \(error.reason.rawValue)")
                    }
                }
            }
            next += slice.count
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
        for answer in answers where answer.submission.done != nil {
            commands += 1
            entries += answer.submission.command.weight
        }
        queue.release(commands: commands, entries: entries)
        for answer in answers { answer.submission.done?(answer.result) }
        batchEnded()
    }
}

/// The state that the mediator changes and everybody reads.
package typealias SharedLikes = Shared<LikesState>

/// Folds all that a journal keeps into a new state.
///
/// - Throws: `.unusable` when an event cannot follow those before it.
package func replay(_ journal: any Journal) throws(JournalError) -> SharedLikes {
    let shared = SharedLikes(LikesState())
    try shared.write { state throws(JournalError) in
        try journal.replay { event throws(JournalError) in
            do throws(FoldError) {
                try state.fold(event)
            } catch {
                throw .unusable("event \(error.sequence) does not fit: \(error.reason.rawValue)")
            }
        }
    }
    return shared
}
