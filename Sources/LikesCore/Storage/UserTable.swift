/// The users who were ever part of a write: ids to 32-bit handles and back.
///
/// Ids lie in an arena, one length byte before each, so that a million users cost no million objects.
@safe final class UserTable {
    private static let chunkBytes = 1 << 16
    private static let alignment = 4
    /// The offset of a user who was forgotten.
    private static let erased = UInt32.max

    // Safety: `offsets[handle]` points into a chunk at a length byte that as many id bytes follow.
    private var chunks: [Chunk<UInt8>]
    private var usedInLastChunk: Int
    /// Where an id begins, in units of `alignment` bytes, so that 32 bits reach over 16 GiB.
    private var offsets: ChunkedArray<UInt32>
    private var index: HandleIndex
    private let key: HashKey

    init(key: HashKey = .random()) {
        self.key = key
        chunks = []
        usedInLastChunk = Self.chunkBytes
        offsets = ChunkedArray(filler: 0)
        index = HandleIndex()
    }

    /// A copy that shares its memory for as long as neither changes it.
    ///
    /// Ids that are added later go into the last chunk behind all that the copy knows of, shared or not.
    init(frozen other: UserTable) {
        key = other.key
        chunks = other.chunks
        for chunk in chunks { chunk.retain() }
        usedInLastChunk = other.usedInLastChunk
        offsets = other.offsets.frozenCopy()
        index = other.index.frozenCopy()
    }

    deinit {
        for chunk in chunks { chunk.release() }
    }

    /// The number of users who were ever known; handles run from 0 to one less.
    var count: Int { offsets.count }

    /// The number of users who are known.
    var knownCount: Int { index.count }

    /// Whether no further user can be kept.
    var isFull: Bool { chunks.count * Self.chunkBytes >= Limits.userIDBytes }

    /// The handle of a user who is known.
    func find(_ id: UserID) -> UInt32? {
        unsafe id.withBytes { unsafe find($0, hash: key.hash($0)) }
    }

    /// The handle of a user, who is made known if need be.
    func intern(_ id: UserID) -> UInt32 {
        unsafe id.withBytes { bytes in
            let hash = unsafe key.hash(bytes)
            if let handle = unsafe find(bytes, hash: hash) { return handle }
            let handle = UInt32(count)
            offsets.grow(to: count + 1)
            offsets[handle] = unsafe store(bytes)
            index.insert(handle, hash: hash, hashOf: hashOfID)
            return handle
        }
    }

    /// The id of a handle.
    func id(of handle: UInt32) -> UserID { unsafe UserID(stored: bytesOfID(handle)) }

    /// Whether a handle is that of a user who is known.
    func isKnown(_ handle: UInt32) -> Bool { Int(handle) < count && offsets[handle] != Self.erased }

    /// Forgets a user: overwrites the id. The handle is never used again.
    func erase(_ handle: UInt32) {
        index.remove(handle, hash: hashOfID(handle), hashOf: hashOfID)
        let (chunk, start) = place(of: handle)
        chunks[chunk] = chunks[chunk].unshared(count: Self.chunkBytes, capacity: Self.chunkBytes)
        let bytes = unsafe chunks[chunk].elements + start
        let count = unsafe Int(bytes.pointee) + 2
        unsafe bytes.update(repeating: 0, count: count)
        offsets[handle] = Self.erased
    }

    private func find(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> UInt32? {
        index.find(hash: hash) { unsafe bytesOfID($0).equals(bytes) }
    }

    private func hashOfID(_ handle: UInt32) -> UInt64 { unsafe key.hash(bytesOfID(handle)) }

    private func place(of handle: UInt32) -> (chunk: Int, start: Int) {
        let offset = Int(offsets[handle]) * Self.alignment
        return (offset / Self.chunkBytes, offset % Self.chunkBytes)
    }

    private func bytesOfID(_ handle: UInt32) -> UnsafeRawBufferPointer {
        let (chunk, start) = place(of: handle)
        let bytes = unsafe chunks[chunk].elements + start
        let count = unsafe Int(bytes.pointee) + 1
        return unsafe UnsafeRawBufferPointer(start: bytes + 1, count: count)
    }

    /// Copies an id into the arena; its length is 1 to 256, kept less one in a byte.
    private func store(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let needed = (bytes.count + 1 + Self.alignment - 1) / Self.alignment * Self.alignment
        if usedInLastChunk + needed > Self.chunkBytes {
            chunks.append(Self.emptyChunk())
            usedInLastChunk = 0
        }
        let start = unsafe UnsafeMutableRawPointer(chunks[chunks.count - 1].elements + usedInLastChunk)
        unsafe start.storeBytes(of: UInt8(bytes.count - 1), as: UInt8.self)
        unsafe UnsafeMutableRawBufferPointer(start: start + 1, count: bytes.count).copyMemory(from: bytes)
        let offset = (chunks.count - 1) * Self.chunkBytes + usedInLastChunk
        usedInLastChunk += needed
        return UInt32(offset / Self.alignment)
    }

    private static func emptyChunk() -> Chunk<UInt8> {
        let chunk = Chunk<UInt8>(capacity: chunkBytes)
        unsafe chunk.elements.initialize(repeating: 0, count: chunkBytes)
        return chunk
    }

    // MARK: Snapshots

    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(UInt32(chunks.count))
        try encoder.put(UInt32(usedInLastChunk))
        for (number, chunk) in chunks.enumerated() {
            // What lies behind the last id may be being written at this moment.
            let count = number == chunks.count - 1 ? usedInLastChunk : Self.chunkBytes
            try unsafe encoder.put(UnsafeRawBufferPointer(UnsafeBufferPointer(start: chunk.elements, count: count)))
        }
        try offsets.encode(to: &encoder)
        try index.encode(to: &encoder)
    }

    init(key: HashKey, from decoder: inout SnapshotDecoder) throws(JournalError) {
        self.key = key
        chunks = []
        let count = Int(try decoder.number(UInt32.self))
        usedInLastChunk = Int(try decoder.number(UInt32.self))
        offsets = ChunkedArray(filler: 0)
        index = HandleIndex()
        guard usedInLastChunk <= Self.chunkBytes else { throw SnapshotDecoder.damage }
        for number in 0..<count {
            let chunk = Self.emptyChunk()
            chunks.append(chunk)
            let used = number == count - 1 ? usedInLastChunk : Self.chunkBytes
            try unsafe decoder.read(
                into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: chunk.elements, count: used)))
        }
        offsets = try ChunkedArray(filler: 0, from: &decoder)
        index = try HandleIndex(from: &decoder)
    }
}
