import Threading

@testable import LikesCore

/// A journal in memory that keeps its events, and that fails, waits or calls out when a test says so.
final class RecordingJournal: Journal, Sendable {
    let epoch = Epoch(text: "0123456789abcdef")

    private struct State {
        var batches: [[LikeEvent]] = []
        var failsAppend: @Sendable ([LikeEvent]) -> Bool = { _ in false }
        var willAppend: @Sendable ([LikeEvent]) -> Void = { _ in }
        var failsCheck = false
        var checks = 0
        var failures = 0
    }

    private let state: Monitor<State>

    /// - Parameter events: what was kept before.
    init(events: [LikeEvent] = []) { state = Monitor(State(batches: events.isEmpty ? [] : [events])) }

    /// All events, in order.
    var events: [LikeEvent] { state.withLock { $0.batches.flatMap(\.self) } }

    /// The events of each commit.
    var batches: [[LikeEvent]] { state.withLock { $0.batches } }

    /// How often `append` has failed.
    var failures: Int { state.withLock { $0.failures } }

    /// From now on, appending fails when `fails` says so.
    func failAppends(when fails: @escaping @Sendable ([LikeEvent]) -> Bool) {
        state.withLock { $0.failsAppend = fails }
    }

    func failChecks(_ fails: Bool) { state.withLock { $0.failsCheck = fails } }

    /// From now on, `body` is called on the mediator's thread before each append.
    func beforeAppend(_ body: @escaping @Sendable ([LikeEvent]) -> Void) { state.withLock { $0.willAppend = body } }

    /// From now on, each append takes so long, as on a slow disk.
    func slowDown(milliseconds: Int) {
        beforeAppend { _ in _ = Monitor(()).wait(until: { _ in false }, milliseconds: milliseconds) }
    }

    /// Waits until the kept events are as `ready` says.
    func wait(until ready: ([LikeEvent]) -> Bool) -> Bool {
        state.wait(until: { ready($0.batches.flatMap(\.self)) }, milliseconds: Patience.milliseconds)
    }

    func keptEvents() -> ClosedRange<UInt64>? {
        let events = events
        guard let first = events.first, let last = events.last else { return nil }
        return first.sequence...last.sequence
    }

    /// Hands out what is there as it is: that it fits is for the fold to see.
    func replay(
        after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void
    ) throws(JournalError) {
        for event in events where event.sequence > sequence { try body(event) }
    }

    func events(after sequence: UInt64, limit: Int) -> [LikeEvent] {
        Array(events.lazy.filter { $0.sequence > sequence }.prefix(limit))
    }

    func newsEnds(after sequence: UInt64, limit: Int) -> [LikeEvent] {
        Array(events(after: sequence, limit: .max).lazy.filter(\.endsNews).prefix(limit))
    }

    func dropEvents(through sequence: UInt64, limit: Int) -> Bool {
        state.withLock { state in
            let events = state.batches.flatMap(\.self)
            let old = events.prefix { $0.sequence <= sequence }.count
            let last = events.prefix(min(old, limit)).last?.sequence ?? 0
            state.batches = state.batches.map { $0.filter { $0.sequence > last } }.filter { !$0.isEmpty }
            return old > limit
        }
    }

    func append(_ events: [LikeEvent]) throws(JournalError) {
        state.withLock { $0.willAppend }(events)
        let fails = state.withLock { $0.failsAppend }(events)
        defer { state.broadcast() }
        try state.withLock { state throws(JournalError) in
            if fails {
                state.failures += 1
                throw .unavailable("the disk is full")
            }
            state.batches.append(events)
        }
    }

    func check() throws(JournalError) {
        defer { state.broadcast() }
        try state.withLock { state throws(JournalError) in
            state.checks += 1
            if state.failsCheck { throw .unavailable("the disk is still full") }
        }
    }

    /// Waits until the mediator has looked `count` times whether the journal works again.
    func wait(forChecks count: Int) -> Bool {
        state.wait(until: { $0.checks >= count }, milliseconds: Patience.milliseconds)
    }

    /// Waits until `append` has failed `count` times.
    func wait(forFailures count: Int) -> Bool {
        state.wait(until: { $0.failures >= count }, milliseconds: Patience.milliseconds)
    }

    func close() {}
}

/// How long a test waits for what must happen, before it fails. Nothing waits that long when all is well.
enum Patience {
    static let milliseconds = 60_000
}
