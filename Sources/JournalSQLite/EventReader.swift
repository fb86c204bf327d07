package import LikesCore

/// Reads events while the journal is written: a connection of its own, that cannot write. Usable from any one thread
/// at a time.
package final class EventReader {
    private let connection: Connection
    private let rows: Statement

    /// - Parameter path: of a database that is open for writing, so that it has its log and its newest version.
    init(path: String) throws(JournalError) {
        connection = try Connection(path: path, .reading)
        rows = try connection.prepare(EventRow.selection)
    }

    /// Events after `sequence`, at most `limit`, as `Journal.events` describes them.
    ///
    /// Each call is a read transaction of its own: a longer one would keep the write-ahead log from being taken over
    /// into the database.
    package func events(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent] {
        defer { rows.reset() }
        var cursor = EventCursor(rows, after: sequence, limit: max(0, limit), mayBeginLater: true)
        var events: [LikeEvent] = []
        while let event = try cursor.next() { events.append(event) }
        return events
    }

    /// Ends of news, as `Journal.newsEnds` describes them.
    func newsEnds(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent] {
        let rows = try connection.prepare(EventRow.endSelection)
        rows.bind(1, Int64(clamping: sequence))
        rows.bind(2, Int64(max(0, limit)))
        var events: [LikeEvent] = []
        while try rows.step("in the list of the ends of news") {
            let event = try EventRow.event(rows)
            // A row of version 1 has no checksum.
            guard EventRow.isIntact(rows) ?? true, event.endsNews else {
                throw .unusable("event \(event.sequence) is damaged: it ends no news, or its checksum is wrong")
            }
            events.append(event)
        }
        return events
    }
}
