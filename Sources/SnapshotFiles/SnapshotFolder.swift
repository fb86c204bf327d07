internal import Glibc
package import LikesCore
internal import Threading

/// The snapshots of a data folder: files named by the sequence of the last event that they hold.
///
/// The folder belongs to one process, which holds the journal's lock on it. Saving goes on beside everything else; the
/// other functions are for the start.
package final class SnapshotFolder: Sendable {
    /// Snapshots that are kept: the newest, and the one before it for when the newest is damaged.
    package static let keptSnapshots = 2

    private static let prefix = "snapshot-"
    private static let unfinished = "snapshot.unfinished"
    private static let digits = 20

    private let path: String
    let dustLimit: UInt32
    /// Snapshots that were found to be damaged.
    private let damaged = Locked<Set<UInt64>>([])

    /// - Parameters:
    ///   - path: of the folder.
    ///   - dustLimit: of the states that are brought back; tests make it small.
    package init(_ path: String, dustLimit: UInt32 = LikesState.dustLimit) {
        self.path = path
        self.dustLimit = dustLimit
    }

    private func file(_ position: UInt64) -> String {
        let number = String(position)
        return "\(path)/\(Self.prefix)\(String(repeating: "0", count: Self.digits - number.count))\(number)"
    }

    /// The positions of the snapshots that are there, newest first.
    package func positions() throws(JournalError) -> [UInt64] {
        guard let folder = unsafe opendir(path) else {
            // Of a folder that cannot be one, the journal says so.
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw .system("cannot read the folder \(path)")
        }
        defer { unsafe closedir(folder) }
        var positions: [UInt64] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard name.hasPrefix(Self.prefix), name.utf8.count == Self.prefix.utf8.count + Self.digits,
                let position = UInt64(name.dropFirst(Self.prefix.count))
            else { continue }
            positions.append(position)
        }
        return positions.sorted(by: >)
    }

    /// Reads a snapshot.
    package func load(_ position: UInt64, of epoch: Epoch) throws(SnapshotError) -> sending LikesState {
        let path = file(position)
        let reader: SnapshotFile
        do throws(JournalError) {
            reader = try SnapshotFile(path: path)
        } catch {
            throw Self.error(error, path)
        }
        guard reader.header.format <= FrozenLikes.snapshotFormat else {
            throw .refused(
                "the snapshot \(path) is of format \(reader.header.format), and this program knows formats up to "
                    + "\(FrozenLikes.snapshotFormat)")
        }
        guard reader.header.epoch == epoch else { throw .refused("the snapshot \(path) belongs to another journal") }
        do throws(JournalError) {
            let state = try LikesState(dustLimit: dustLimit) { reader.decoder(of: $0) }
            guard state.position == position else { throw .unusable("it is of event \(state.position)") }
            return state
        } catch {
            throw Self.error(error, path)
        }
    }

    private static func error(_ error: JournalError, _ path: String) -> SnapshotError {
        let reason = "the snapshot \(path) cannot be used: \(error.reason)"
        if case .unusable = error { return .damaged(reason) }
        return .unreadable(reason)
    }

    /// Takes note that a snapshot cannot be used: it goes with the next one that is saved.
    func noteDamaged(_ position: UInt64) { damaged.withLock { _ = $0.insert(position) } }

    /// Keeps a snapshot, durably, and lets go of those that it replaces.
    ///
    /// - Parameter isCancelled: asked again and again; when it says yes nothing is kept.
    /// - Returns: the position of the oldest snapshot that is kept.
    /// - Throws: `.unavailable`; the snapshots are then as before.
    package func save(
        _ frozen: FrozenLikes, epoch: Epoch, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(JournalError) -> UInt64 {
        try checkRoom(for: frozen)
        var writer = try SnapshotWriter(path: "\(path)/\(Self.unfinished)", isCancelled: isCancelled)
        try writer.write(frozen, epoch: epoch, as: file(frozen.position))
        try synchronize()
        let unusable = damaged.withLock { $0 }
        let positions = try positions()
        let kept = positions.filter { !unusable.contains($0) || $0 == frozen.position }.prefix(Self.keptSnapshots)
        for position in positions where !kept.contains(position) { unsafe unlink(file(position)) }
        damaged.withLock { $0.removeAll() }
        return kept.last ?? frozen.position
    }

    /// Refuses a snapshot that would leave the journal too little room: it must never be the snapshot that stops writes.
    private func checkRoom(for frozen: FrozenLikes) throws(JournalError) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw .system("cannot look at the folder \(path)") }
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        let needed = frozen.estimatedBytes + Self.reservedBytes
        guard free >= needed else {
            throw .unavailable("a snapshot needs \(needed >> 20) MiB of free space, and there are \(free >> 20)")
        }
    }

    /// Bytes that a snapshot leaves free: what the journal's log may grow by until it is taken over.
    private static let reservedBytes = 128 << 20

    private func synchronize() throws(JournalError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot read the folder \(path)") }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw .system("cannot sync the folder \(path)") }
    }
}
