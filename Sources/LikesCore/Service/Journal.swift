/// Where the events are kept for good. The mediator is its only user while the service runs, but for `events` and
/// `newsEnds`.
///
/// An implementation must make `append` all or nothing, and durable when it returns.
package protocol Journal: AnyObject, Sendable {
    /// Made with the journal and kept with it: tells its tokens from those of any other.
    var epoch: Epoch { get }

    /// The sequences of the oldest and the newest event that are kept; nil when there is none.
    ///
    /// As all but `events` and `newsEnds`, for the one thread that uses the journal.
    func keptEvents() throws(JournalError) -> ClosedRange<UInt64>?

    /// Hands every event after `sequence`, in order and without a gap, to `body`.
    ///
    /// - Throws: `.unusable` when an event after `sequence` is damaged, missing or no longer kept.
    func replay(
        after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void
    ) throws(JournalError)

    /// Events after `sequence`, in order and without a gap between them, at most `limit`; none when there is none yet.
    ///
    /// May be called on any thread at any time, also while the journal is written. The first event is later than
    /// `sequence + 1` when those between are no longer kept. The last ones may be durable but not folded yet.
    func events(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent]

    /// As `events`, but only those with which news end (`LikeEvent.endsNews`). Takes no longer for all the others.
    func newsEnds(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent]

    /// Keeps events for good, all or none of them.
    ///
    /// - Parameter events: of consecutive sequences, the first one above all that were appended before.
    func append(_ events: [LikeEvent]) throws(JournalError)

    /// Finds out whether `append` would work at the moment, without keeping anything.
    func check() throws(JournalError)

    /// Lets go of the oldest events, up to and including that of `sequence`, at most `limit` of them at once.
    ///
    /// - Returns: whether there is more to do, so that it should be called again.
    func dropEvents(through sequence: UInt64, limit: Int) throws(JournalError) -> Bool

    /// Ends the use of the journal.
    func close()
}

/// What went wrong with a journal.
package enum JournalError: Error, Equatable {
    /// It could not be written or read just now: the disk is full, say. It may work again later.
    case unavailable(String)
    /// What is there cannot be used: damaged, foreign, or of a newer version.
    case unusable(String)
    /// Another process is using it.
    case inUse(String)

    /// What to tell the operator.
    package var reason: String {
        switch self {
        case .unavailable(let reason), .unusable(let reason), .inUse(let reason): reason
        }
    }
}

/// A journal that lives as long as the process: for tests and for `--in-memory`. It keeps no events.
package final class MemoryJournal: Journal {
    /// New for each process.
    package let epoch = Epoch.random()

    package init() {}

    package func keptEvents() -> ClosedRange<UInt64>? { nil }

    package func replay(after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void) {}

    package func events(after sequence: UInt64, limit: Int) -> [LikeEvent] { [] }

    package func newsEnds(after sequence: UInt64, limit: Int) -> [LikeEvent] { [] }

    package func append(_ events: [LikeEvent]) {}

    package func check() {}

    package func dropEvents(through sequence: UInt64, limit: Int) -> Bool { false }

    package func close() {}
}
