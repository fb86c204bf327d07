internal import Glibc
internal import LikesCore

/// A snapshot file that is being read.
final class SnapshotFile: Sendable {
    private let descriptor: Int32
    private let path: String
    let header: SnapshotHeader

    /// Opens a snapshot and reads its header.
    ///
    /// - Throws: `.unusable` when it is damaged or of an unknown format, `.unavailable` when it cannot be read.
    init(path: String) throws(JournalError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot read \(path)") }
        do throws(JournalError) {
            var bytes = [UInt8](repeating: 0, count: SnapshotHeader.byteCount)
            let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
            guard count >= 0 else { throw .system("cannot read \(path)") }
            header = try SnapshotHeader(Array(bytes.prefix(count)))
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// A reader of one of the sections.
    func decoder(of section: SnapshotSection) -> SnapshotDecoder {
        let reader = FrameReader(self, header.sections[section.rawValue])
        return unsafe SnapshotDecoder { () throws(JournalError) in unsafe try reader.next() }
    }

    /// Fills a buffer from the file.
    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(JournalError) {
        var filled = 0
        while filled < buffer.count {
            let count = unsafe pread(
                descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled,
                off_t(offset) + filled)
            guard count >= 0 else { throw .system("cannot read \(path)") }
            guard count > 0 else { throw .unusable("it ends at byte \(Int(offset) + filled)") }
            filled += count
        }
    }
}

/// Reads the frames of a section one after the other, and checks each.
@safe private final class FrameReader {
    // Safety: the buffer is valid as long as the reader; a frame is valid until the next is read.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: SnapshotEncoder.frameBytes, alignment: 16)
    private let file: SnapshotFile
    private var rest: Range<UInt64>

    init(_ file: SnapshotFile, _ section: Range<UInt64>) {
        self.file = file
        rest = section
    }

    deinit { unsafe buffer.deallocate() }

    /// The next frame, valid until the call after it; an empty one at the end of the section.
    func next() throws(JournalError) -> UnsafeRawBufferPointer {
        guard !rest.isEmpty else { return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<0]) }
        let start = rest.lowerBound
        var header = FrameHeader(length: 0, checksum: 0)
        let result = unsafe withUnsafeMutableBytes(of: &header) { bytes in
            Result { () throws(JournalError) in unsafe try file.read(into: bytes, at: start) }
        }
        try result.get()
        // The length first: nothing is known of it yet, and it may be as large as a number can be.
        guard unsafe header.length <= UInt64(buffer.count) else { throw Self.damage(at: start) }
        let end = start + UInt64(FrameHeader.byteCount) + header.length
        guard end <= rest.upperBound else { throw Self.damage(at: start) }
        let frame = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(header.length)])
        try unsafe file.read(into: frame, at: start + UInt64(FrameHeader.byteCount))
        let expected = unsafe FrameHeader(UnsafeRawBufferPointer(frame), at: start)
        guard expected.checksum == header.checksum else { throw Self.damage(at: start) }
        rest = end..<rest.upperBound
        return UnsafeRawBufferPointer(frame)
    }

    private static func damage(at offset: UInt64) -> JournalError {
        .unusable("it is damaged at byte \(offset): the checksum is wrong")
    }
}

extension JournalError {
    /// What the system said of its last call.
    static func system(_ what: String) -> JournalError {
        unsafe .unavailable("\(what): \(String(cString: strerror(errno)))")
    }
}
