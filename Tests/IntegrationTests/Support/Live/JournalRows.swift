import CSQLite

/// The journal of a data folder, read beside the server: what the streams are compared with.
enum JournalRows {
    /// The sequences of events that streams do not show: beginnings of removals (5) and of merges (8), and new times of
    /// likes (9).
    static func withoutText(_ folder: String, after start: Int64, through end: Int64) throws -> Set<Int64> {
        Set(try sequences(folder, "sequence > \(start) AND sequence <= \(end) AND kind IN (5, 8, 9)"))
    }

    private static func sequences(_ folder: String, _ condition: String) throws -> [Int64] {
        var handle: OpaquePointer?
        defer { unsafe _ = sqlite3_close(handle) }
        guard unsafe sqlite3_open_v2(folder + "/journal.sqlite", &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw Failure("no journal in \(folder)")
        }
        var statement: OpaquePointer?
        defer { unsafe _ = sqlite3_finalize(statement) }
        let query = "SELECT sequence FROM events WHERE \(condition)"
        guard unsafe sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else {
            throw Failure("cannot ask the journal: \(unsafe String(cString: sqlite3_errmsg(handle)))")
        }
        var sequences: [Int64] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            sequences.append(unsafe sqlite3_column_int64(statement, 0))
        }
        return sequences
    }
}
