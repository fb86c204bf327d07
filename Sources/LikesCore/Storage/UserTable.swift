/// The users who were ever part of a write: ids to 32-bit handles and back.
///
/// Ids lie in an arena, one length byte before each, so that a million users cost no million objects.
@safe final class UserTable {
    private static let chunkBytes = 1 << 18
    private static let alignment = 4

    // Safety: `offsets[handle]` points into a chunk at a length byte that as many id bytes follow.
    private var chunks: [UnsafeMutableRawPointer] = unsafe []
    private var usedInLastChunk = UserTable.chunkBytes
    /// Where an id begins, in units of `alignment` bytes, so that 32 bits reach over 16 GiB.
    private var offsets = ChunkedArray<UInt32>(filler: 0)
    private var index = HandleIndex()

    init() {}

    deinit {
        unsafe chunks.forEach { unsafe $0.deallocate() }
    }

    /// The number of users; handles run from 0 to one less.
    var count: Int { offsets.count }

    /// The handle of a user who is known.
    func find(_ id: UserID) -> UInt32? {
        var text = id.text
        return text.withUTF8 { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            return unsafe find(raw, hash: Hashing.hash(raw))
        }
    }

    /// The handle of a user, who is made known if need be.
    func intern(_ id: UserID) -> UInt32 {
        var text = id.text
        return text.withUTF8 { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            let hash = unsafe Hashing.hash(raw)
            if let handle = unsafe find(raw, hash: hash) { return handle }
            let handle = UInt32(count)
            offsets.grow(to: count + 1)
            offsets[handle] = unsafe store(raw)
            index.insert(handle, hash: hash) { unsafe Hashing.hash(bytesOfID($0)) }
            return handle
        }
    }

    /// The id of a handle.
    func id(of handle: UInt32) -> UserID { unsafe UserID(stored: bytesOfID(handle)) }

    private func find(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
        index.find(hash: hash) { handle in
            let stored = unsafe bytesOfID(handle)
            return unsafe stored.count == bytes.count && stored.elementsEqual(bytes)
        }
    }

    private func bytesOfID(_ handle: UInt32) -> UnsafeRawBufferPointer {
        let offset = Int(offsets[handle]) * Self.alignment
        let start = unsafe chunks[offset / Self.chunkBytes] + offset % Self.chunkBytes
        let count = unsafe Int(start.load(as: UInt8.self)) + 1
        return unsafe UnsafeRawBufferPointer(start: start + 1, count: count)
    }

    /// Copies an id into the arena; its length is 1 to 256, kept less one in a byte.
    private func store(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let needed = (bytes.count + 1 + Self.alignment - 1) / Self.alignment * Self.alignment
        if usedInLastChunk + needed > Self.chunkBytes {
            unsafe chunks.append(.allocate(byteCount: Self.chunkBytes, alignment: Self.alignment))
            usedInLastChunk = 0
        }
        let start = unsafe chunks[chunks.count - 1] + usedInLastChunk
        unsafe start.storeBytes(of: UInt8(bytes.count - 1), as: UInt8.self)
        unsafe UnsafeMutableRawBufferPointer(start: start + 1, count: bytes.count).copyMemory(from: bytes)
        let offset = unsafe (chunks.count - 1) * Self.chunkBytes + usedInLastChunk
        usedInLastChunk += needed
        return UInt32(offset / Self.alignment)
    }
}
