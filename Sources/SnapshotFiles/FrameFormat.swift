internal import Checksum

/// How a piece of a section lies in the file: its length and its checksum, then its bytes.
struct FrameHeader: BitwiseCopyable {
    /// Bytes that it takes in the file.
    static let byteCount = MemoryLayout<FrameHeader>.size

    let length: UInt64
    let checksum: UInt64

    /// - Parameter offset: where it lies in the file; it goes into the checksum, so that no piece passes for another.
    init(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        length = UInt64(bytes.count)
        checksum = unsafe Checksum.of(bytes, seed: offset)
    }

    init(length: UInt64, checksum: UInt64) {
        self.length = length
        self.checksum = checksum
    }
}
