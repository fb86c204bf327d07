/// Whether two pieces of memory hold the same bytes. Looks at eight at a time: ids are compared in every look-up.
@inline(__always)
func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var offset = 0
    while offset + 8 <= left.count {
        // Safety: both have eight bytes from `offset` on.
        let (first, second) = unsafe (
            left.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
            right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        )
        if first != second { return false }
        offset += 8
    }
    while offset < left.count {
        if unsafe left[offset] != right[offset] { return false }
        offset += 1
    }
    return true
}
