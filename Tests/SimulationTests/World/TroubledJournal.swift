import Threading

@testable import LikesCore

/// Events in memory that outlive a journal, as a disk's do.
final class EventsInMemory: Journal {
    let epoch = Epoch(text: "0123456789abcdef")
    private let kept = Locked<[LikeEvent]>([])

    func keptEvents() -> ClosedRange<UInt64>? {
        kept.withLock { events in
            guard let first = events.first, let last = events.last else { return nil }
            return first.sequence...last.sequence
        }
    }

    func replay(after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void) throws(JournalError) {
        for event in events(after: sequence, limit: .max) { try body(event) }
    }

    func events(after sequence: UInt64, limit: Int) -> [LikeEvent] {
        kept.withLock { events in
            let first = events.firstIndex { $0.sequence > sequence } ?? events.count
            return Array(events[first...].prefix(limit))
        }
    }

    func newsEnds(after sequence: UInt64, limit: Int) -> [LikeEvent] {
        Array(events(after: sequence, limit: .max).lazy.filter(\.endsNews).prefix(limit))
    }

    func append(_ events: [LikeEvent]) { kept.withLock { $0 += events } }

    func check() {}

    func dropEvents(through sequence: UInt64, limit: Int) -> Bool {
        kept.withLock { events in
            let old = events.prefix { $0.sequence <= sequence }.count
            events.removeFirst(min(old, limit))
            return old > limit
        }
    }

    func close() {}
}

/// A journal in front of another one, that fails when it is told to, and remembers what was appended.
final class TroubledJournal: Journal {
    /// What happens to a batch's journal.
    enum Trouble {
        case nothing
        /// From the attempt of this number on nothing is kept.
        case failing(from: Int)
        /// The process dies in the attempt of this number; it may be that the events are on the disk by then.
        case crash(at: Int, keepsEvents: Bool)
    }

    /// A call of `append`.
    struct Attempt {
        let events: [LikeEvent]
        /// Whether the journal holds the events.
        let isKept: Bool
        /// Whether the mediator was told that it does.
        let isTold: Bool
    }

    private struct State {
        var trouble = Trouble.nothing
        var attempts: [Attempt] = []
    }

    private let kept: any Journal
    private let state = Locked(State())

    init(_ kept: any Journal) { self.kept = kept }

    /// Begins a batch.
    func begin(_ trouble: Trouble) { state.withLock { $0 = State(trouble: trouble) } }

    /// What was appended, or tried to be, since the batch began.
    var attempts: [Attempt] { state.withLock { $0.attempts } }

    var attemptCount: Int { state.withLock { $0.attempts.count } }

    var epoch: Epoch { kept.epoch }

    func append(_ events: [LikeEvent]) throws(JournalError) {
        let (number, trouble) = state.withLock { ($0.attempts.count, $0.trouble) }
        var isKept = true
        var isTold = true
        switch trouble {
        case .nothing: break
        case .failing(let first): (isKept, isTold) = (number < first, number < first)
        case .crash(let last, let keepsEvents):
            (isKept, isTold) = (number < last || (number == last && keepsEvents), number < last)
        }
        if isKept { try kept.append(events) }
        state.withLock { $0.attempts.append(Attempt(events: events, isKept: isKept, isTold: isTold)) }
        if !isTold { throw .unavailable("the simulation wants it so") }
    }

    func keptEvents() throws(JournalError) -> ClosedRange<UInt64>? { try kept.keptEvents() }

    func replay(after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void) throws(JournalError) {
        try kept.replay(after: sequence, body)
    }

    func events(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent] {
        try kept.events(after: sequence, limit: limit)
    }

    func newsEnds(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent] {
        try kept.newsEnds(after: sequence, limit: limit)
    }

    func check() throws(JournalError) { try kept.check() }

    func dropEvents(through sequence: UInt64, limit: Int) throws(JournalError) -> Bool {
        try kept.dropEvents(through: sequence, limit: limit)
    }

    func close() { kept.close() }
}
