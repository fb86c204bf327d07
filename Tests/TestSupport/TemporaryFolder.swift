import Glibc

/// A folder of a test's own, removed with everything in it.
package final class TemporaryFolder: Sendable {
    /// Where it is.
    package let path: String

    /// - Parameter onDisk: false for one in memory, where the system has such a place.
    package init(onDisk: Bool = true) throws {
        let hasMemory = unsafe access("/dev/shm", W_OK) == 0
        var template = Array("\(hasMemory && !onDisk ? "/dev/shm" : "/tmp")/likesd-folder-XXXXXX".utf8CString)
        guard let name = unsafe mkdtemp(&template) else { throw SystemError(errno: errno) }
        path = unsafe String(cString: name)
    }

    deinit {
        empty()
        unsafe rmdir(path)
    }

    /// Removes all files.
    package func empty() {
        for name in names { unsafe unlink("\(path)/\(name)") }
    }

    /// The system's error.
    package struct SystemError: Error {
        /// As `errno` has it.
        package let errno: Int32

        package init(errno: Int32) { self.errno = errno }
    }

    /// The files in the folder.
    package var names: [String] {
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

    /// What is in a file.
    package func read(_ name: String) throws -> [UInt8] {
        let descriptor = unsafe open("\(path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
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
    package func write(_ bytes: [UInt8], to name: String, at offset: Int = 0) throws {
        let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw SystemError(errno: errno) }
        defer { close(descriptor) }
        let written = unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
        guard written == bytes.count else { throw SystemError(errno: errno) }
    }

    /// What the files are at this moment, as they would be found after a crash.
    package func copy(onDisk: Bool = true) throws -> TemporaryFolder {
        let copy = try TemporaryFolder(onDisk: onDisk)
        for name in names where name != "lock" { try copy.write(try read(name), to: name) }
        return copy
    }
}
