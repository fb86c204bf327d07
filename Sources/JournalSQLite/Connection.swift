internal import CSQLite
internal import LikesCore

/// An open SQLite database, used by one thread at a time.
@safe final class Connection {
    // Safety: open from `init` to `deinit`; statements keep their connection alive.
    private let handle: OpaquePointer

    /// What a connection may do.
    enum Access {
        /// Reading a file that is there.
        case reading
        /// All; the file is made when it is not there.
        case writing
    }

    /// Milliseconds to wait for a lock of another connection: a person who looks into the file holds it briefly.
    private static let busyMilliseconds: Int32 = 1_000

    /// Has SQLite keep no statistics of its memory, for which it would take a lock with each piece; once for the process, before
    /// anything else of SQLite is used.
    private static let keepsNoStatistics: Bool = csqlite_keep_memory_statistics(0) == SQLITE_OK

    /// Opens a database file.
    init(path: String, _ access: Access) throws(JournalError) {
        // Where another part of the process has used SQLite before, it stays as it is.
        _ = Self.keepsNoStatistics
        var handle: OpaquePointer?
        let mode = access == .reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var status = unsafe sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX, nil)
        if let opened = unsafe handle, status == SQLITE_OK {
            unsafe sqlite3_busy_timeout(opened, Self.busyMilliseconds)
            status = unsafe RowChecksum.register(on: opened)
        }
        guard let opened = unsafe handle, status == SQLITE_OK else {
            unsafe sqlite3_close_v2(handle)
            throw unsafe Self.error(status, String(cString: sqlite3_errstr(status)))
        }
        unsafe self.handle = unsafe opened
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs one or more statements that give no rows.
    func execute(_ sql: String) throws(JournalError) {
        let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        if status != SQLITE_OK { throw failure("") }
    }

    /// A statement ready to be run many times.
    func prepare(_ sql: String) throws(JournalError) -> Statement {
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let prepared = unsafe statement, status == SQLITE_OK else { throw failure("") }
        return unsafe Statement(prepared, of: self)
    }

    /// The first column of the first row that a query gives.
    func integer(_ sql: String) throws(JournalError) -> Int64? {
        let query = try prepare(sql)
        return try query.step() ? query.integer(0) : nil
    }

    /// The first column of the first row that a query gives.
    func text(_ sql: String) throws(JournalError) -> String? {
        let query = try prepare(sql)
        return try query.step() ? query.text(0) : nil
    }

    /// What went wrong last.
    ///
    /// - Parameter place: where, to be said of damage.
    func failure(_ place: String) -> JournalError {
        unsafe Self.error(sqlite3_extended_errcode(handle), String(cString: sqlite3_errmsg(handle)), place)
    }

    private static func error(_ status: Int32, _ message: String, _ place: String = "") -> JournalError {
        switch status & 0xFF {
        // Our SQL never changes, so that an error in it is one of the schema that it meets.
        case SQLITE_CORRUPT, SQLITE_ERROR:
            .unusable("the database is damaged\(place.isEmpty ? "" : " ")\(place): \(message)")
        case SQLITE_NOTADB: .unusable("the file is not a database: \(message)")
        case SQLITE_BUSY, SQLITE_LOCKED: .inUse("another process has the database open: \(message)")
        default: .unavailable("\(message) (SQLite error \(status))")
        }
    }
}

/// A prepared statement. Columns and parameters are numbered as SQLite does: columns from 0, parameters from 1.
@safe final class Statement {
    // Safety: finalized in `deinit`, before the connection that it keeps alive is closed.
    private let handle: OpaquePointer
    private let connection: Connection

    init(_ handle: OpaquePointer, of connection: Connection) {
        unsafe self.handle = unsafe handle
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Goes on to the next row; false at the end.
    ///
    /// - Parameter place: where it stands, to be said of damage.
    func step(_ place: @autoclosure () -> String = "") throws(JournalError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.failure(place())
        }
    }

    /// Runs a statement that gives no rows, and makes it ready for the next time.
    func run() throws(JournalError) {
        defer { reset() }
        _ = try step()
    }

    func reset() { unsafe sqlite3_reset(handle) }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value {
            unsafe sqlite3_bind_int64(handle, index, value)
        } else {
            unsafe sqlite3_bind_null(handle, index)
        }
    }

    func bind(_ index: Int32, _ value: String) {
        var text = value
        text.withUTF8 { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            let start = unsafe raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = unsafe csqlite_bind_text(handle, index, start, Int32(bytes.count))
        }
    }

    /// Binds a text that lies where it is until the statement has run, and is not copied.
    func lend(_ index: Int32, _ text: UnsafeRawBufferPointer) {
        let start = unsafe text.baseAddress?.assumingMemoryBound(to: CChar.self)
        unsafe sqlite3_bind_text(handle, index, start, Int32(text.count), nil)
    }

    func integer(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : unsafe sqlite3_column_int64(handle, column)
    }

    func text(_ column: Int32) -> String? {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return unsafe String(validating: bytes, as: UTF8.self)
    }
}
