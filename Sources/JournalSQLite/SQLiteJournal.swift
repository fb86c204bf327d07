package import LikesCore
internal import Threading

/// The journal in an SQLite database: write-ahead log, one durable transaction per batch.
///
/// `synchronous=FULL` makes a commit return after the log is on the disk, so that no answered like is lost with the
/// power. Used by one thread at a time, but for `events` and `newsEnds`.
package final class SQLiteJournal: Journal, @unchecked Sendable {
    // Safety: `open` is touched by the one thread that uses the journal, readers only under their lock; all else is
    // constant.

    /// Made with the database and kept in it.
    package let epoch: Epoch
    private let folder: DataFolder
    private let database: String
    private var open: Open?
    private let reading: Locked<Reading>

    /// What is there while the journal is open.
    private struct Open {
        let connection: Connection
        let begin: Statement
        let commit: Statement
        let insertion: RowInsertion
        /// Writes `EventRow.rowsPerRun` rows.
        let insertionOfMany: RowInsertion
        let check: Statement
        let oldest: Statement
        let newest: Statement
        let deletion: Statement
        let noted: Statement
        let note: Statement
        let unnote: Statement
        /// Pages that may be free in the file before they are given back; nil for a file that keeps all it ever had.
        let keptFreePages: Int64?
    }

    /// What serves `events` and `newsEnds` on every thread.
    private enum Reading {
        case notYet
        case open(EventReader)
        case closed
    }

    /// The name of the database in the data folder.
    package static let fileName = "journal.sqlite"

    /// Opens the journal of a data folder; folder and journal are made when they are not there.
    ///
    /// - Throws: `.inUse`, `.unavailable` or `.unusable`, each with its reason.
    package convenience init(folder path: String) throws(JournalError) {
        try self.init(folder: path, keptFreeBytes: Self.keptFreeBytes)
    }

    /// - Parameter keptFreeBytes: what dropped events may leave free in the file before it shrinks.
    init(folder path: String, keptFreeBytes: Int64) throws(JournalError) {
        folder = try DataFolder(path)
        database = "\(path)/\(Self.fileName)"
        reading = Locked(.notYet)
        do throws(JournalError) {
            try NewDatabase.make(at: database, in: folder)
            let connection = try Connection(path: database, .writing)
            epoch = try Self.prepare(connection)
            open = try Self.open(connection, keptFreeBytes: keptFreeBytes)
        } catch .unavailable(let reason) {
            throw .unavailable("cannot use \(database): \(reason)")
        }
    }

    /// Brings a database into the state in which it is used; its epoch.
    private static func prepare(_ connection: Connection) throws(JournalError) -> Epoch {
        // Before anything is changed in a file that may be another program's.
        let version = try Schema.version(connection)
        // Of an empty file, this has to be said before there is a first page.
        if version == 0 { try connection.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw .unavailable("the file system allows no write-ahead log")
        }
        try connection.execute(
            "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = \(keptLogBytes)")
        try Schema.prepare(connection)
        try Schema.addEpoch(connection)
        guard let epoch = try connection.text("SELECT value FROM meta WHERE key = 'epoch'") else {
            throw .unusable("the journal has no epoch")
        }
        return Epoch(text: epoch)
    }

    private static func open(_ connection: Connection, keptFreeBytes: Int64) throws(JournalError) -> Open {
        let shrinks = try connection.integer("PRAGMA auto_vacuum") == 2
        let pageSize = try connection.integer("PRAGMA page_size") ?? 4_096
        return Open(
            connection: connection, begin: try connection.prepare("BEGIN IMMEDIATE"),
            commit: try connection.prepare("COMMIT"),
            insertion: RowInsertion(try connection.prepare(EventRow.insertion(rows: 1))),
            insertionOfMany: RowInsertion(try connection.prepare(EventRow.insertion(rows: EventRow.rowsPerRun))),
            check: try connection.prepare("UPDATE meta SET value = value WHERE key = 'epoch'"),
            oldest: try connection.prepare("SELECT min(sequence) FROM events"),
            newest: try connection.prepare("SELECT max(sequence) FROM events"),
            deletion: try connection.prepare("DELETE FROM events WHERE sequence <= ?1"),
            noted: try connection.prepare("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'newest'"),
            note: try connection.prepare(
                """
                INSERT INTO meta (key, value) VALUES ('newest', ?1)
                ON CONFLICT DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(?1 AS INTEGER))
                """),
            unnote: try connection.prepare("DELETE FROM meta WHERE key = 'newest'"),
            keptFreePages: shrinks ? keptFreeBytes / pageSize : nil)
    }

    /// Bytes of the write-ahead log that stay on the disk after a checkpoint: a burst's worth, not a flood's.
    private static let keptLogBytes = 64 << 20

    /// Bytes that may be free in the file: what events come and go between two snapshots finds its place there, so
    /// that pages are moved only after a flood.
    private static let keptFreeBytes: Int64 = 64 << 20

    /// Pages that are given back to the file system in one transaction; each can mean that another one is moved.
    private static let pagesPerDrop: Int64 = 1_000

    private func opened() throws(JournalError) -> Open {
        guard let open else { throw .unavailable("the journal is closed") }
        return open
    }

    package func keptEvents() throws(JournalError) -> ClosedRange<UInt64>? {
        guard let oldest = try oldestEvent(), let newest = try newestEvent() else { return nil }
        guard oldest <= newest else { throw .unusable("event \(oldest) is damaged") }
        return oldest...newest
    }

    private func oldestEvent() throws(JournalError) -> UInt64? {
        try sequence(opened().oldest, "at its oldest event")
    }

    private func newestEvent() throws(JournalError) -> UInt64? {
        try sequence(opened().newest, "at its newest event")
    }

    private func sequence(_ query: Statement, _ place: String) throws(JournalError) -> UInt64? {
        defer { query.reset() }
        guard try query.step(place), let sequence = query.integer(0) else { return nil }
        guard sequence > 0 else { throw .unusable("event \(sequence) is damaged") }
        return UInt64(sequence)
    }

    package func replay(
        after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void
    ) throws(JournalError) {
        let oldest = try oldestEvent()
        if let oldest, oldest > sequence + 1 { throw .missing(sequence + 1, before: oldest) }
        var cursor = EventCursor(
            try opened().connection.prepare(EventRow.selection), after: sequence, limit: nil, mayBeginLater: false)
        while let event = try cursor.next() { try body(event) }
        // Looked at last, so that damage on the way there is told with its place.
        let newest = try newestEvent() ?? 0
        let known = max(try notedEvent(), oldest == nil ? 0 : sequence)
        if newest < known { throw .missing(newest + 1, before: known + 1) }
    }

    /// An event that was the newest once; 0 when none is noted.
    ///
    /// The rows at the end are the only ones that can go unnoticed: when a damaged page says that it has fewer of them,
    /// no gap tells. Noted when there is a commit anyway, and at the end; a note with each batch would cost a page.
    private func notedEvent() throws(JournalError) -> UInt64 {
        try sequence(opened().noted, "where its newest event is noted") ?? 0
    }

    private func noteNewest(_ open: Open) throws(JournalError) {
        if let newest = try newestEvent() {
            open.note.bind(1, String(newest))
            try open.note.run()
        } else {
            try open.unnote.run()
        }
    }

    package func events(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent] {
        try read { reader throws(JournalError) in try reader.events(after: sequence, limit: limit) }
    }

    package func newsEnds(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent] {
        try read { reader throws(JournalError) in try reader.newsEnds(after: sequence, limit: limit) }
    }

    /// One reader serves all threads, one after the other: the lock is held while it reads, which is short.
    private func read(
        _ body: (EventReader) throws(JournalError) -> [LikeEvent]
    ) throws(JournalError) -> [LikeEvent] {
        try reading.withLock { reading throws(JournalError) in
            switch reading {
            case .closed: throw .unavailable("the journal is closed")
            case .open(let reader): return try body(reader)
            case .notYet:
                let reader = try EventReader(path: database)
                reading = .open(reader)
                return try body(reader)
            }
        }
    }

    /// A reader of one's own, for a thread that reads much; to be let go of before the journal is closed.
    package func reader() throws(JournalError) -> EventReader { try EventReader(path: database) }

    package func append(_ events: [LikeEvent]) throws(JournalError) {
        let open = try opened()
        try transaction(open) { () throws(JournalError) in
            var next = 0
            while next < events.count {
                let count = events.count - next < EventRow.rowsPerRun ? 1 : EventRow.rowsPerRun
                let insertion = count == 1 ? open.insertion : open.insertionOfMany
                for index in next..<next + count { EventRow.bind(events[index], to: insertion) }
                try insertion.run()
                next += count
            }
        }
    }

    package func check() throws(JournalError) {
        let open = try opened()
        try transaction(open) { () throws(JournalError) in try open.check.run() }
    }

    package func dropEvents(through sequence: UInt64, limit: Int) throws(JournalError) -> Bool {
        let open = try opened()
        var oldest: ClosedRange<UInt64>?
        if let kept = try keptEvents(), kept.lowerBound <= sequence {
            oldest = kept.lowerBound...min(sequence, kept.upperBound)
        }
        var surplus = try Self.surplusPages(open)
        // Without anything to do there is nothing to commit.
        guard oldest != nil || surplus > 0 else { return false }
        try transaction(open) { () throws(JournalError) in
            if let last = oldest?.prefix(max(1, limit)).last {
                open.deletion.bind(1, Int64(clamping: last))
                try open.deletion.run()
                try noteNewest(open)
            }
            surplus = try Self.surplusPages(open)
            let given = min(surplus, Self.pagesPerDrop)
            if given > 0 { try open.connection.execute("PRAGMA incremental_vacuum(\(given))") }
            surplus -= given
        }
        return (oldest?.count ?? 0) > max(1, limit) || surplus > 0
    }

    /// Free pages of the file beyond those that may stay.
    private static func surplusPages(_ open: Open) throws(JournalError) -> Int64 {
        guard let keptFreePages = open.keptFreePages else { return 0 }
        return max(0, (try open.connection.integer("PRAGMA freelist_count") ?? 0) - keptFreePages)
    }

    /// A number out of the database, for tests.
    func integer(_ query: String) throws(JournalError) -> Int64? { try opened().connection.integer(query) }

    private func transaction(
        _ open: Open, _ body: () throws(JournalError) -> Void
    ) throws(JournalError) {
        try open.begin.run()
        do throws(JournalError) {
            try body()
            try open.commit.run()
        } catch {
            // SQLite rolls back by itself after some errors; then there is nothing to roll back.
            try? open.connection.execute("ROLLBACK")
            throw error
        }
    }

    package func close() {
        // The writer is the last to go: it takes the log over into the database and removes it.
        reading.withLock { $0 = .closed }
        // Without the note less damage is seen, and that is all.
        if let open, (try? newestEvent()) != nil { try? noteNewest(open) }
        open = nil
    }
}
