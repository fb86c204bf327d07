internal import LikesCore

/// The layout of the database, and the steps that lead to it from every older one.
enum Schema {
    /// Marks the file as one of ours: "like" in ASCII.
    static let applicationID: Int64 = 0x6C69_6B65

    /// What leads from version n to n + 1, at place n. Never change one that was released: add the next.
    static let migrations = [
        """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE events (
            sequence INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,          -- milliseconds since 1970
            kind INTEGER NOT NULL,        -- EventKind
            news TEXT,
            user TEXT,
            likes_count INTEGER,
            given_likes INTEGER,
            first_time INTEGER,
            operation_id TEXT,
            description TEXT              -- of a news: its members as JSON
        ) STRICT;
        """,
        "ALTER TABLE events ADD COLUMN checksum INTEGER",  // RowChecksum; NULL in rows that were there before
        // The ends of news are few among very many rows, and each start reads them. Costs nothing when others are written.
        "CREATE INDEX news_ends ON events (sequence) WHERE kind IN (6, 8, 10)",
        // The same in other words: for a list of three values SQLite builds a table of its own with each row that is written.
        """
        DROP INDEX news_ends;
        CREATE INDEX news_ends ON events (sequence) WHERE kind = 6 OR kind = 8 OR kind = 10
        """,
    ]

    /// The version of a database; reads only, so that a foreign file stays as it is.
    ///
    /// - Throws: `.unusable` for a file that is not ours, or of a newer version.
    static func version(_ connection: Connection) throws(JournalError) -> Int {
        let version = try connection.integer("PRAGMA user_version") ?? 0
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        guard application == applicationID || (application == 0 && tables == 0) else {
            throw .unusable("the file belongs to another program")
        }
        guard 0...Int64(migrations.count) ~= version else {
            throw .unusable(
                "the data is of version \(version), and this program knows versions up to \(migrations.count)")
        }
        return Int(version)
    }

    /// Brings a database to the newest version.
    ///
    /// - Throws: as `version`.
    static func prepare(_ connection: Connection) throws(JournalError) {
        for next in try version(connection)..<migrations.count {
            try connection.execute("BEGIN IMMEDIATE; \(migrations[next])")
            try connection.execute(
                "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(next + 1); COMMIT")
        }
    }

    /// Gives a database an epoch if it has none.
    static func addEpoch(_ connection: Connection) throws(JournalError) {
        try connection.execute(
            "INSERT INTO meta (key, value) VALUES ('epoch', '\(Epoch.random().text)') ON CONFLICT DO NOTHING")
    }
}
