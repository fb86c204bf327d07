internal import Threading

/// The reads that wait until an event is folded: a client that has seen it, on another instance say, wants to see
/// nothing older.
///
/// Hears of every batch on the event bus. A thread of its own sends away those that have waited for too long.
package final class SequenceWaits: Sendable {
    /// How a wait ends.
    package enum Outcome: Sendable {
        /// The event is folded.
        case folded
        /// It was not in time.
        case late
        /// Too many wait already.
        case full
        /// The service stops.
        case shuttingDown
    }

    private let position: @Sendable () -> UInt64
    private let now: @Sendable () -> Int64
    private let state = Monitor(State())
    private let thread = Locked<Thread?>(nil)

    /// Waits that nobody hears of before `start`.
    ///
    /// - Parameters:
    ///   - reader: asked how far the fold has come.
    ///   - now: monotonic milliseconds; tests have a clock of their own.
    package init(
        _ reader: LikesReader, now: @escaping @Sendable () -> Int64 = { MonotonicClock.milliseconds() }
    ) {
        position = { reader.position }
        self.now = now
    }

    /// Begins to listen, and to look at the clock.
    package func start(_ bus: EventBus) {
        bus.subscribe(to: FoldedBatch.self, self) { waits, batch in
            if let last = batch.events.last { waits.note(last.sequence) }
        }
        // Some may wait already, and their batch may have gone by.
        note(position())
        let thread = Thread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends every wait, now and from now on, with `.shuttingDown`.
    package func stop() {
        let rest = state.withLock { $0.stop() }
        state.broadcast()
        thread.withLock { $0.take() }?.join()
        for wait in rest { wait.done(.shuttingDown) }
    }

    /// Calls `done` once, when the event of a sequence is folded or will not be in time: at once, or later from the
    /// mediator's thread or that of the deadlines. It must not block.
    package func wait(for sequence: UInt64, done: @escaping @Sendable (Outcome) -> Void) {
        let deadline = now() + Limits.sequenceWaitMilliseconds
        let (refusal, isFirst) = state.withLock { state in
            (state.add(Wait(sequence: sequence, deadline: deadline, done: done)), state.waits.count == 1)
        }
        if let refusal { return done(position() >= sequence ? .folded : refusal) }
        if isFirst { state.signal() }
        // Only now is the fold looked at: what it comes to after this look, it tells.
        note(position())
    }

    /// The reads that wait.
    package var count: Int { state.withLock { $0.waits.count } }

    /// Lets those go on that waited for no more than this.
    private func note(_ position: UInt64) {
        for wait in state.withLock({ $0.takeFolded(position) }) { wait.done(.folded) }
    }

    /// Sends those away who have waited for too long.
    func expire() {
        let now = now()
        for wait in state.withLock({ $0.takeLate(now) }) { wait.done(.late) }
    }

    private func run() {
        while let deadline = state.wait(
            until: { $0.isStopping || !$0.waits.isEmpty }, then: { $0.isStopping ? nil : $0.waits[0].deadline })
        {
            // Whoever comes meanwhile has a later deadline.
            if state.wait(until: { $0.isStopping }, milliseconds: Int(max(deadline - now(), 0))) { return }
            expire()
        }
    }

    private struct Wait: Sendable {
        let sequence: UInt64
        let deadline: Int64
        let done: @Sendable (Outcome) -> Void
    }

    private struct State {
        /// In the order of their deadlines, to within a moment, since all wait for equally long.
        private(set) var waits: [Wait] = []
        private(set) var isStopping = false

        /// Takes a wait in, or says why not.
        mutating func add(_ wait: Wait) -> Outcome? {
            if isStopping { return .shuttingDown }
            guard waits.count < Limits.waitingReads else { return .full }
            waits.append(wait)
            return nil
        }

        mutating func takeFolded(_ position: UInt64) -> [Wait] {
            guard !waits.isEmpty else { return [] }
            return take { $0.sequence <= position }
        }

        mutating func takeLate(_ now: Int64) -> [Wait] { take { $0.deadline <= now } }

        mutating func stop() -> [Wait] {
            isStopping = true
            return take { _ in true }
        }

        private mutating func take(_ isDue: (Wait) -> Bool) -> [Wait] {
            let due = waits.filter(isDue)
            if !due.isEmpty { waits.removeAll(where: isDue) }
            return due
        }
    }
}
