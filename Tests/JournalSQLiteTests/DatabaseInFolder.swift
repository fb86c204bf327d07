import CSQLite
import JournalSQLite
import TestSupport

extension TemporaryFolder {
    /// The database of the journal in the folder.
    var database: String { "\(path)/\(SQLiteJournal.fileName)" }

    /// The first column of the first row that a query gives, past the journal.
    func integer(_ sql: String) throws -> Int64? {
        var handle: OpaquePointer?
        defer { unsafe _ = sqlite3_close(handle) }
        var statement: OpaquePointer?
        guard unsafe sqlite3_open(database, &handle) == SQLITE_OK,
            unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
        else { throw unsafe SystemError(errno: sqlite3_errcode(handle)) }
        defer { unsafe _ = sqlite3_finalize(statement) }
        return unsafe sqlite3_step(statement) == SQLITE_ROW ? unsafe sqlite3_column_int64(statement, 0) : nil
    }

    /// Runs statements on the database, past the journal.
    func execute(_ sql: String) throws {
        var handle: OpaquePointer?
        defer { unsafe _ = sqlite3_close(handle) }
        guard unsafe sqlite3_open(database, &handle) == SQLITE_OK,
            unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw unsafe SystemError(errno: sqlite3_errcode(handle)) }
    }
}
