internal import Glibc
internal import LikesCore
internal import Threading

/// Writes a snapshot file: under another name first, so that there is never half a snapshot.
struct SnapshotWriter: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private let isCancelled: @Sendable () -> Bool
    private var end = UInt64(SnapshotHeader.byteCount)
    private var unsynced = 0
    private var isComplete = false

    /// Bytes after which what was written is waited for: a commit of the journal that comes meanwhile waits for these,
    /// and not for all of it.
    private static let syncedBytes = 1 << 20

    /// The longest rest after that, in milliseconds.
    private static let longestRest: Int64 = 50

    /// - Parameter isCancelled: asked again and again; when it says yes the writing ends with an error.
    init(path: String, isCancelled: @escaping @Sendable () -> Bool) throws(JournalError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw .system("cannot write \(path)") }
        self.descriptor = descriptor
        self.path = path
        self.isCancelled = isCancelled
    }

    deinit {
        close(descriptor)
        if !isComplete { unsafe unlink(path) }
    }

    /// Writes everything, and has it on the disk under its name.
    mutating func write(_ frozen: FrozenLikes, epoch: Epoch, as finalPath: String) throws(JournalError) {
        var sections: [Range<UInt64>] = []
        for section in SnapshotSection.allCases {
            let start = end
            try write(section, of: frozen)
            sections.append(start..<end)
        }
        let header = SnapshotHeader(position: frozen.position, epoch: epoch, sections: sections).bytes
        let result = unsafe header.withUnsafeBytes { bytes in
            Result { () throws(JournalError) in unsafe try write(bytes, at: 0) }
        }
        try result.get()
        guard fsync(descriptor) == 0, unsafe rename(path, finalPath) == 0 else {
            throw .system("cannot write \(finalPath)")
        }
        isComplete = true
    }

    private mutating func write(_ section: SnapshotSection, of frozen: FrozenLikes) throws(JournalError) {
        // The encoder keeps its closure only as long as this function runs.
        try unsafe withUnsafeMutablePointer(to: &self) { writer in
            Result { () throws(JournalError) in
                var encoder = unsafe SnapshotEncoder { frame throws(JournalError) in
                    unsafe try writer.pointee.append(frame)
                }
                try frozen.encode(section, to: &encoder)
            }
        }.get()
    }

    private mutating func append(_ frame: UnsafeRawBufferPointer) throws(JournalError) {
        if isCancelled() { throw .unavailable("the snapshot was given up") }
        var header = unsafe FrameHeader(frame, at: end)
        let result = unsafe withUnsafeBytes(of: &header) { bytes in
            Result { () throws(JournalError) in unsafe try write(bytes, at: end) }
        }
        try result.get()
        try unsafe write(frame, at: end + UInt64(FrameHeader.byteCount))
        end += UInt64(FrameHeader.byteCount + frame.count)
        unsynced += frame.count
        guard unsynced >= Self.syncedBytes else { return }
        unsynced = 0
        let begun = MonotonicClock.milliseconds()
        if fdatasync(descriptor) != 0 { throw .system("cannot write \(path)") }
        // As long as the disk has worked for the snapshot it is the journal's.
        let rest = min(MonotonicClock.milliseconds() - begun, Self.longestRest)
        if rest > 0 { usleep(UInt32(rest) * 1_000) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(JournalError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe pwrite(
                descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written,
                off_t(offset) + written)
            guard count > 0 else { throw .system("cannot write \(path)") }
            written += count
        }
    }
}
