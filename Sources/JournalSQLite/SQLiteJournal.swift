package import LikesCore

/// The journal in an SQLite database: write-ahead log, one durable transaction per batch.
///
/// `synchronous=FULL` makes a commit return after the log is on the disk, so that no answered like is lost with the
/// power. Used by one thread at a time.
package final class SQLiteJournal: Journal {
    /// Made with the database and kept in it.
    package let epoch: Epoch
    private let folder: DataFolder
    private var open: Open?

    /// What is there while the journal is open.
    private struct Open {
        let connection: Connection
        let insertion: Statement
        let check: Statement
    }

    /// The name of the database in the data folder.
    package static let fileName = "journal.sqlite"

    /// Opens the journal of a data folder; folder and journal are made when they are not there.
    ///
    /// - Throws: `.inUse`, `.unavailable` or `.unusable`, each with its reason.
    package init(folder path: String) throws(JournalError) {
        folder = try DataFolder(path)
        let connection = try Connection(path: "\(path)/\(Self.fileName)")
        // One process only: no shared memory beside the log. Set before anything is read.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _ = try Schema.version(connection)
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw .unavailable("the file system of \(path) allows no write-ahead log")
        }
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(Self.keptLogBytes)")
        try Schema.prepare(connection)
        try connection.execute(
            "INSERT INTO meta (key, value) VALUES ('epoch', '\(Epoch.random().text)') ON CONFLICT DO NOTHING")
        try folder.synchronize()
        guard let epoch = try connection.text("SELECT value FROM meta WHERE key = 'epoch'") else {
            throw .unusable("the journal has no epoch")
        }
        self.epoch = Epoch(text: epoch)
        open = Open(
            connection: connection, insertion: try connection.prepare(EventRow.insertion),
            check: try connection.prepare("UPDATE meta SET value = value WHERE key = 'epoch'"))
    }

    /// Bytes of the write-ahead log that stay on the disk after a checkpoint: a burst's worth, not a flood's.
    private static let keptLogBytes = 64 << 20

    private func opened() throws(JournalError) -> Open {
        guard let open else { throw .unavailable("the journal is closed") }
        return open
    }

    package func replay(_ body: (LikeEvent) throws(JournalError) -> Void) throws(JournalError) {
        let rows = try opened().connection.prepare(EventRow.selection)
        while try rows.step() { try body(try EventRow.event(rows)) }
    }

    package func append(_ events: [LikeEvent]) throws(JournalError) {
        let open = try opened()
        try transaction(open.connection) { () throws(JournalError) in
            for event in events {
                EventRow.bind(event, to: open.insertion)
                try open.insertion.run()
            }
        }
    }

    package func check() throws(JournalError) {
        let open = try opened()
        try transaction(open.connection) { () throws(JournalError) in try open.check.run() }
    }

    private func transaction(
        _ connection: Connection, _ body: () throws(JournalError) -> Void
    ) throws(JournalError) {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(JournalError) {
            try body()
            try connection.execute("COMMIT")
        } catch {
            // SQLite rolls back by itself after some errors; then there is nothing to roll back.
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    package func close() { open = nil }
}
