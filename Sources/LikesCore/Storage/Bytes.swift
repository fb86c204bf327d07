/// Comparisons of memory, eight bytes at a time: ids are compared with every like, and are a few words long.
extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes.
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var offset = 0
        while offset + 8 <= count {
            if unsafe word(at: offset) != other.word(at: offset) { return false }
            offset += 8
        }
        while offset < count {
            if unsafe self[offset] != other[offset] { return false }
            offset += 1
        }
        return true
    }

    /// Whether these bytes come before others in the order of bytes; a beginning comes before the whole.
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let shared = Swift.min(count, other.count)
        var offset = 0
        while offset + 8 <= shared {
            let (own, others) = unsafe (word(at: offset).bigEndian, other.word(at: offset).bigEndian)
            if own != others { return own < others }
            offset += 8
        }
        while offset < shared {
            let (own, others) = unsafe (self[offset], other[offset])
            if own != others { return own < others }
            offset += 1
        }
        return count < other.count
    }

    private func word(at offset: Int) -> UInt64 { unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
}
