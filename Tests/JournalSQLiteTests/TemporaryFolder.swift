import CSQLite
import Glibc
import JournalSQLite
import Testing

/// A folder of a test's own, removed with everything in it.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/likesd-journal-XXXXXX".utf8CString)
        guard let name = unsafe mkdtemp(&template) else { throw Failure(errno: errno) }
        path = unsafe String(cString: name)
    }

    deinit {
        empty()
        unsafe rmdir(path)
    }

    /// Removes all files.
    func empty() {
        for name in names { unsafe unlink("\(path)/\(name)") }
    }

    /// The system's error.
    struct Failure: Error {
        let errno: Int32
    }

    var database: String { "\(path)/\(SQLiteJournal.fileName)" }

    /// The files in the folder.
    var names: [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe _ = closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func read(_ name: String) throws -> [UInt8] {
        let descriptor = unsafe open("\(path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    /// Writes bytes into a file from a place on; a file that is not there is made.
    func write(_ bytes: [UInt8], to name: String, at offset: Int = 0) throws {
        let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        let written = unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
        guard written == bytes.count else { throw Failure(errno: errno) }
    }

    /// What the files are at this moment, as they would be found after a crash.
    func copy() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in names where name != "lock" { try copy.write(try read(name), to: name) }
        return copy
    }

    /// The first column of the first row that a query gives, past the journal.
    func integer(_ sql: String) throws -> Int64? {
        var handle: OpaquePointer?
        defer { unsafe _ = sqlite3_close(handle) }
        var statement: OpaquePointer?
        guard unsafe sqlite3_open(database, &handle) == SQLITE_OK,
            unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
        else { throw unsafe Failure(errno: sqlite3_errcode(handle)) }
        defer { unsafe _ = sqlite3_finalize(statement) }
        return unsafe sqlite3_step(statement) == SQLITE_ROW ? unsafe sqlite3_column_int64(statement, 0) : nil
    }

    /// Runs statements on the database, past the journal.
    func execute(_ sql: String) throws {
        var handle: OpaquePointer?
        defer { unsafe _ = sqlite3_close(handle) }
        guard unsafe sqlite3_open(database, &handle) == SQLITE_OK,
            unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw unsafe Failure(errno: sqlite3_errcode(handle)) }
    }
}
