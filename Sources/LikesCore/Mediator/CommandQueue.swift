internal import Threading

/// A command with the function that takes its answer.
struct Submission: Sendable {
    let command: LikeCommand
    /// Nil for what the mediator asks of itself, which the queue does not count.
    let done: (@Sendable (Result<Receipt, Rejection>) -> Void)?
    /// What the command counts for in the queue.
    let weight: Int

    init(command: LikeCommand, done: (@Sendable (Result<Receipt, Rejection>) -> Void)?) {
        self.command = command
        self.done = done
        weight = command.weight
    }
}

/// The bounded queue in front of the mediator.
///
/// It counts what waits and what the mediator has in its hands, until that is answered.
final class CommandQueue: Sendable {
    private struct State {
        var waiting: [Assignment] = []
        /// The number of waiting commands at which the mediator is woken: more than one while it gathers some.
        var wanted = 1
        /// What else is to be done on the mediator's thread.
        var errands: [@Sendable () -> Void] = []
        var commands = 0
        var entries = 0
        var refusals = 0
        var isClosed = false
    }

    /// Commands for which room is kept, here and in the mediator's hands; that of a flood is given up.
    static let keptRoom = 1_024

    private let state = Monitor(State())

    init() {}

    /// Puts a command in, or says why not.
    func put(_ submission: Submission) throws(Rejection) {
        let weight = submission.weight
        let isWanted = try state.withLock { state throws(Rejection) in
            if state.isClosed { throw .shuttingDown }
            guard state.commands < Limits.queuedCommands, state.entries + weight <= Limits.queuedEntries else {
                state.refusals += 1
                throw .queueFull
            }
            state.commands += 1
            state.entries += weight
            state.waiting.append(Assignment(submission))
            return state.waiting.count == state.wanted
        }
        // The mediator sleeps only while fewer wait than it wants.
        if isWanted { state.signal() }
    }

    /// Puts in something to be done between two rounds.
    ///
    /// It is not counted: errands come from the service itself, a handful at a time, and those that end something must
    /// not be refused because callers ask for too much.
    func put(errand: @escaping @Sendable () -> Void) throws(Rejection) {
        try state.withLock { state throws(Rejection) in
            if state.isClosed { throw .shuttingDown }
            state.errands.append(errand)
        }
        state.signal()
    }

    /// Takes all errands.
    func takeErrands() -> [@Sendable () -> Void] {
        state.withLock { state in
            defer { state.errands = [] }
            return state.errands
        }
    }

    /// Takes all that waits, which may be nothing when there are errands.
    ///
    /// - Parameters:
    ///   - assignments: gets what waits, behind what it has. When that is nothing its room goes to what comes next.
    ///   - milliseconds: how long to wait for something; nil for as long as it takes.
    /// - Returns: false when the queue is closed and empty.
    func take(_ assignments: inout [Assignment], waiting milliseconds: Int?) -> Bool {
        let hasNews: (State) -> Bool = { !$0.waiting.isEmpty || !$0.errands.isEmpty || $0.isClosed }
        let take: (inout State) -> Bool = { state in
            let isOpen = !state.isClosed || !state.waiting.isEmpty
            if assignments.isEmpty {
                swap(&assignments, &state.waiting)
            } else {
                assignments.append(contentsOf: state.waiting)
                state.waiting.removeAll(keepingCapacity: state.waiting.capacity <= Self.keptRoom)
            }
            return isOpen
        }
        guard let milliseconds else { return state.wait(until: hasNews, then: take) }
        if milliseconds > 0 { _ = state.wait(until: hasNews, milliseconds: milliseconds) }
        return state.withLock(take)
    }

    /// Waits until so many commands wait, or something else is to be done, but only for a moment.
    func gather(_ count: Int, microseconds: Int) {
        state.withLock { $0.wanted = count }
        _ = state.wait(
            until: { $0.waiting.count >= count || !$0.errands.isEmpty || $0.isClosed }, microseconds: microseconds)
        state.withLock { $0.wanted = 1 }
    }

    /// Counts answered commands out.
    ///
    /// - Returns: how many others have come that nobody has taken yet.
    func release(commands: Int, entries: Int) -> Int {
        state.withLock { state in
            state.commands -= commands
            state.entries -= entries
            return state.waiting.count
        }
    }

    /// Lets nothing more in; what waits is still handed out.
    func close() {
        state.withLock { $0.isClosed = true }
        state.broadcast()
    }

    /// The number of commands that found it full, ever.
    var refusals: Int { state.withLock { $0.refusals } }

    /// The number of commands that are not answered yet.
    var depth: Int { state.withLock { $0.commands } }
}
