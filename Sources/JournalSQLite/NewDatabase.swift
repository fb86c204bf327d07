internal import Glibc
internal import LikesCore

/// The database of a new data folder: made under another name, so that it is there as a whole or not at all.
///
/// So nothing has to be waited for until it is complete: one sync of the file in the place of a dozen.
enum NewDatabase {
    /// Makes a database where none is.
    ///
    /// - Parameter folder: of the database; it is durable when this returns, and the database's name with the first commit.
    static func make(at path: String, in folder: DataFolder) throws(JournalError) {
        guard try isFree(path) else { return }
        let unfinished = "\(path).unfinished"
        // What a start left behind that was broken off, and the log of a database that somebody removed.
        for name in [path, unfinished] {
            for suffix in ["-wal", "-shm", "-journal"] { unsafe unlink(name + suffix) }
        }
        unsafe unlink(unfinished)
        try fill(unfinished)
        try synchronize(unfinished)
        try folder.synchronize()
        guard unsafe rename(unfinished, path) == 0 else { throw failure("cannot rename it") }
    }

    /// Whether nothing bears this name, not even a link that leads nowhere for the moment.
    private static func isFree(_ path: String) throws(JournalError) -> Bool {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return false }
        guard errno == ENOENT else { throw failure("cannot look at it") }
        guard unsafe lstat(path, &status) != 0 else { throw .unavailable("it is a link to a file that is not there") }
        return true
    }

    private static func fill(_ path: String) throws(JournalError) {
        let connection = try Connection(path: path, .writing)
        // The last of them makes the first page, and would sync it.
        try connection.execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL")
        try Schema.prepare(connection)
        try Schema.addEpoch(connection)
        // Said in the file, and so not when the journal is opened, which would sync it.
        try connection.execute("PRAGMA journal_mode = WAL")
    }

    private static func synchronize(_ path: String) throws(JournalError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot read it") }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw failure("cannot sync it") }
    }

    private static func failure(_ what: String) -> JournalError {
        unsafe .unavailable("\(what): \(String(cString: strerror(errno)))")
    }
}
