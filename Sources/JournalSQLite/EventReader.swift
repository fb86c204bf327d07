package import LikesCore

/// Reads events while the journal is written: a connection of its own, that cannot write. Usable from any one thread
/// at a time.
package final class EventReader {
    private let rows: Statement

    /// - Parameter path: of a database that is open for writing, so that it has its log and its newest version.
    init(path: String) throws(JournalError) {
        rows = try Connection(path: path, .reading).prepare(EventRow.selection)
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
}
