import Glibc

/// A folder of a simulation's own, removed with everything in it.
final class TemporaryFolder {
    let path: String

    /// - Parameter onDisk: false for one in memory, where the system has such a place.
    init(onDisk: Bool) throws {
        let hasMemory = unsafe access("/dev/shm", W_OK) == 0
        let place = hasMemory && !onDisk ? "/dev/shm" : "/tmp"
        var template = Array("\(place)/likesd-simulation-XXXXXX".utf8CString)
        guard let name = unsafe mkdtemp(&template) else { throw Finding("no folder: errno \(errno)") }
        path = unsafe String(cString: name)
    }

    deinit {
        for name in names { unsafe unlink("\(path)/\(name)") }
        unsafe rmdir(path)
    }

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

    func read(_ name: String) throws(Finding) -> [UInt8] {
        let descriptor = unsafe open("\(path)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { throw Finding("cannot read \(name): errno \(errno)") }
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
    func write(_ bytes: [UInt8], to name: String, at offset: Int = 0) throws(Finding) {
        let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Finding("cannot write \(name): errno \(errno)") }
        defer { close(descriptor) }
        let written = unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
        guard written == bytes.count else { throw Finding("cannot write \(name): errno \(errno)") }
    }

    /// What the files are at this moment, as they would be found after a crash.
    func copy(onDisk: Bool) throws -> TemporaryFolder {
        let copy = try TemporaryFolder(onDisk: onDisk)
        for name in names where name != "lock" { try copy.write(try read(name), to: name) }
        return copy
    }
}
