internal import Glibc
internal import LikesCore

/// A data folder in use by this process: made when it is not there, and locked against every other process.
final class DataFolder {
    private let lock: Int32
    private let path: String

    /// Takes a folder into use.
    ///
    /// - Throws: `.inUse` when another process has it, `.unavailable` when it cannot be made or written.
    init(_ path: String) throws(JournalError) {
        if unsafe mkdir(path, 0o750) != 0, errno != EEXIST { throw Self.failure("cannot make the folder \(path)") }
        let lock = unsafe open("\(path)/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o640)
        guard lock >= 0 else { throw Self.failure("cannot write to \(path)/lock") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse("the folder \(path) is used by another process")
        }
        self.lock = lock
        self.path = path
    }

    /// Lets the lock go by name: a child that is just being started may still share the descriptor, which close() alone would
    /// leave locked. When the process dies, the system does it.
    deinit {
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Makes the folder's list of files durable, and the folder itself in its parent's.
    func synchronize() throws(JournalError) {
        for folder in [path, "\(path)/.."] {
            let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.failure("cannot read the folder \(folder)") }
            defer { close(descriptor) }
            if fsync(descriptor) != 0 { throw Self.failure("cannot sync the folder \(folder)") }
        }
    }

    private static func failure(_ what: String) -> JournalError {
        unsafe .unavailable("\(what): \(String(cString: strerror(errno)))")
    }
}
