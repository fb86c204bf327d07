internal import LikesCore

/// Walks the rows of events in their order, and sees that none is damaged and none is missing.
struct EventCursor {
    private let rows: Statement
    /// The event before the next one.
    private var last: UInt64
    private var mayBeginLater: Bool
    private var hasSeenChecksum = false

    /// - Parameters:
    ///   - rows: a statement of `EventRow.selection`, which must be reset in the end.
    ///   - sequence: the event after which to begin.
    ///   - mayBeginLater: whether the events right after `sequence` may be gone.
    init(_ rows: Statement, after sequence: UInt64, limit: Int?, mayBeginLater: Bool) {
        self.rows = rows
        self.mayBeginLater = mayBeginLater
        last = sequence
        rows.bind(1, Int64(clamping: sequence))
        rows.bind(2, Int64(limit ?? -1))
    }

    /// The next event, or nil at the end.
    ///
    /// - Throws: `.unusable` with the place and the kind of the damage.
    mutating func next() throws(JournalError) -> LikeEvent? {
        guard try rows.step(last == 0 ? "before event 1" : "after event \(last)") else { return nil }
        try checkChecksum()
        let event = try EventRow.event(rows)
        guard event.sequence > last else {
            throw .unusable("event \(event.sequence) is damaged: it comes after \(last)")
        }
        guard event.sequence == last + 1 || mayBeginLater else { throw .missing(last + 1, before: event.sequence) }
        last = event.sequence
        mayBeginLater = false
        return event
    }

    /// Rows of version 1 of the database have no checksum. None of them comes after one that has.
    private mutating func checkChecksum() throws(JournalError) {
        let isIntact = EventRow.isIntact(rows)
        if isIntact == false || (isIntact == nil && hasSeenChecksum) {
            let what = isIntact == nil ? "missing" : "wrong"
            throw .unusable("event \(rows.integer(0) ?? 0) is damaged: its checksum is \(what)")
        }
        hasSeenChecksum = isIntact != nil
    }
}

extension JournalError {
    /// Events that should be there are not.
    static func missing(_ first: UInt64, before next: UInt64) -> JournalError {
        let last = next - 1
        return .unusable(first == last ? "event \(first) is missing" : "events \(first) to \(last) are missing")
    }
}
