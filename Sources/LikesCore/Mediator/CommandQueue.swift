internal import Threading

/// A command with the function that takes its answer.
struct Submission: Sendable {
    let command: LikeCommand
    /// Nil for what the mediator asks of itself, which the queue does not count.
    let done: (@Sendable (Result<Receipt, Rejection>) -> Void)?
}

/// The bounded queue in front of the mediator.
///
/// It counts what waits and what the mediator has in its hands, until that is answered.
final class CommandQueue: Sendable {
    private struct State {
        var waiting: [Submission] = []
        var commands = 0
        var entries = 0
        var isClosed = false
        var isNudged = false
    }

    private let state = Monitor(State())

    init() {}

    /// Puts a command in, or says why not.
    func put(_ submission: Submission) throws(Rejection) {
        let weight = submission.command.weight
        let wasEmpty = try state.withLock { state throws(Rejection) in
            if state.isClosed { throw .shuttingDown }
            guard state.commands < Limits.queuedCommands, state.entries + weight <= Limits.queuedEntries else {
                throw .queueFull
            }
            state.commands += 1
            state.entries += weight
            state.waiting.append(submission)
            return state.waiting.count == 1
        }
        // The mediator sleeps only when nothing waits.
        if wasEmpty { state.signal() }
    }

    /// Takes all that waits, which may be nothing after a nudge; nil when the queue is closed and empty.
    ///
    /// - Parameter milliseconds: how long to wait for something; nil for as long as it takes.
    func take(waiting milliseconds: Int?) -> [Submission]? {
        let hasNews: (State) -> Bool = { !$0.waiting.isEmpty || $0.isClosed || $0.isNudged }
        let take: (inout State) -> [Submission]? = { state in
            if state.isClosed && state.waiting.isEmpty { return nil }
            state.isNudged = false
            var taken: [Submission] = []
            swap(&taken, &state.waiting)
            return taken
        }
        guard let milliseconds else { return state.wait(until: hasNews, then: take) }
        if milliseconds > 0 { _ = state.wait(until: hasNews, milliseconds: milliseconds) }
        return state.withLock(take)
    }

    /// Ends a wait for commands though there may be none.
    func nudge() {
        state.withLock { $0.isNudged = true }
        state.signal()
    }

    /// Counts answered commands out.
    func release(commands: Int, entries: Int) {
        state.withLock { state in
            state.commands -= commands
            state.entries -= entries
        }
    }

    /// Lets nothing more in; what waits is still handed out.
    func close() {
        state.withLock { $0.isClosed = true }
        state.broadcast()
    }

    /// The number of commands that are not answered yet.
    var depth: Int { state.withLock { $0.commands } }
}
