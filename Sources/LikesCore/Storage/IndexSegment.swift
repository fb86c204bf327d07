/// A part of a `HandleIndex`: an open-addressing table of one allocation, which several indexes may share until one of
/// them is about to change it.
@safe struct IndexSegment {
    static let largest: UInt32 = 2_048
    static let smallest: UInt32 = 16

    // Safety: the chunk holds a header, then `capacity` slots, then as many tags.
    private let chunk: Chunk<UInt32>

    private struct Header: BitwiseCopyable {
        let capacity: UInt32
        var used: UInt32
        let depth: UInt32
    }

    /// In slots.
    private static var headerSize: Int { 4 }

    private static func chunkCapacity(_ capacity: UInt32) -> Int {
        headerSize + Int(capacity) + (Int(capacity) + 3) / 4
    }

    private var header: UnsafeMutablePointer<Header> {
        unsafe UnsafeMutableRawPointer(chunk.elements).assumingMemoryBound(to: Header.self)
    }
    private var slots: UnsafeMutablePointer<UInt32> { unsafe chunk.elements + Self.headerSize }
    /// 0 for an empty slot.
    private var tags: UnsafeMutablePointer<UInt8> {
        unsafe UnsafeMutableRawPointer(slots + Int(capacity)).assumingMemoryBound(to: UInt8.self)
    }

    var capacity: UInt32 { unsafe header.pointee.capacity }
    var used: UInt32 { unsafe header.pointee.used }
    /// The number of leading hash bits that all handles of this segment share.
    var depth: UInt64 { UInt64(unsafe header.pointee.depth) }

    /// An empty segment with one owner.
    init(capacity: UInt32, depth: UInt64) {
        chunk = Chunk(capacity: Self.chunkCapacity(capacity))
        unsafe header.initialize(to: Header(capacity: capacity, used: 0, depth: UInt32(depth)))
        unsafe slots.initialize(repeating: HandleIndex.none, count: Int(capacity))
        unsafe tags.initialize(repeating: 0, count: (Int(capacity) + 3) / 4 * 4)
    }

    private init(_ chunk: Chunk<UInt32>) { self.chunk = chunk }

    var isShared: Bool { chunk.isShared }
    func retain() { chunk.retain() }
    func release() { chunk.release() }

    /// The same with one owner.
    func copy() -> IndexSegment {
        let count = Self.chunkCapacity(capacity)
        let copy = Chunk<UInt32>(capacity: count)
        unsafe copy.elements.initialize(from: chunk.elements, count: count)
        return IndexSegment(copy)
    }

    /// Whether another handle leaves enough slots empty for searches to stay short.
    var hasRoom: Bool { (used + 1) * 8 <= capacity * 7 }

    /// From bits that neither `home` nor, below a million segments, the directory uses.
    private func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 32) | 0x80 }

    private func home(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((hash & 0xFFFF_FFFF) * UInt64(capacity)) >> 32)
    }

    private func after(_ slot: UInt32) -> UInt32 { slot + 1 == capacity ? 0 : slot + 1 }

    func find(hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        let (slots, tags) = unsafe (slots, tags)
        let wanted = tag(hash)
        var slot = home(hash)
        while true {
            let tag = unsafe tags[Int(slot)]
            if tag == 0 { return nil }
            if tag == wanted {
                let handle = unsafe slots[Int(slot)]
                if matches(handle) { return handle }
            }
            slot = after(slot)
        }
    }

    func place(_ handle: UInt32, hash: UInt64) {
        let tags = unsafe tags
        var slot = home(hash)
        while unsafe tags[Int(slot)] != 0 { slot = after(slot) }
        unsafe slots[Int(slot)] = handle
        unsafe tags[Int(slot)] = tag(hash)
        unsafe header.pointee.used += 1
    }

    func replace(_ old: UInt32, with new: UInt32, hash: UInt64) {
        unsafe slots[Int(slot(of: old, hash: hash))] = new
    }

    private func slot(of handle: UInt32, hash: UInt64) -> UInt32 {
        var slot = home(hash)
        while unsafe slots[Int(slot)] != handle {
            unsafe precondition(tags[Int(slot)] != 0, "the handle is not in the index")
            slot = after(slot)
        }
        return slot
    }

    func remove(_ handle: UInt32, hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let (slots, tags) = unsafe (slots, tags)
        var hole = slot(of: handle, hash: hash)
        var next = after(hole)
        // Knuth's algorithm R: what sits behind the hole moves into it unless its home lies between them.
        while unsafe tags[Int(next)] != 0 {
            let moved = unsafe slots[Int(next)]
            let home = home(hashOf(moved))
            let staysPut = hole < next ? home > hole && home <= next : home > hole || home <= next
            if !staysPut {
                unsafe slots[Int(hole)] = moved
                unsafe tags[Int(hole)] = tags[Int(next)]
                hole = next
            }
            next = after(next)
        }
        unsafe slots[Int(hole)] = HandleIndex.none
        unsafe tags[Int(hole)] = 0
        unsafe header.pointee.used -= 1
    }

    /// A larger segment with the same handles.
    func grown(hashOf: (UInt32) -> UInt64) -> IndexSegment {
        let larger = IndexSegment(
            capacity: min(Self.largest, capacity + max(Self.smallest, capacity / 4)), depth: depth)
        forEach { larger.place($0, hash: hashOf($0)) }
        return larger
    }

    /// Two segments with the same handles, told apart by the next bit of their hashes.
    func halves(hashOf: (UInt32) -> UInt64) -> (IndexSegment, IndexSegment) {
        // With half the handles each, five eighths of the old size leave the halves at the load after a growth.
        let halves = (
            IndexSegment(capacity: capacity * 5 / 8, depth: depth + 1),
            IndexSegment(capacity: capacity * 5 / 8, depth: depth + 1)
        )
        forEach { handle in
            let hash = hashOf(handle)
            let half = (hash >> (63 - depth)) & 1 == 0 ? halves.0 : halves.1
            half.place(handle, hash: hash)
        }
        return halves
    }

    private var hasEmptySlot: Bool {
        let tags = unsafe tags
        return (0..<Int(capacity)).contains { unsafe tags[$0] == 0 }
    }

    private func forEach(_ body: (UInt32) -> Void) {
        for slot in 0..<Int(capacity) {
            let handle = unsafe slots[slot]
            if handle != HandleIndex.none { body(handle) }
        }
    }
}

extension IndexSegment {
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(capacity)
        try unsafe encoder.put(
            UnsafeRawBufferPointer(UnsafeBufferPointer(start: chunk.elements, count: Self.chunkCapacity(capacity))))
    }

    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        let capacity = try decoder.number(UInt32.self)
        guard Self.smallest / 2...Self.largest ~= capacity else { throw SnapshotDecoder.damage }
        let count = Self.chunkCapacity(capacity)
        let chunk = Chunk<UInt32>(capacity: count)
        do throws(JournalError) {
            try unsafe decoder.read(
                into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: chunk.elements, count: count)))
            self.init(chunk)
            // Without an empty slot a search would never end.
            guard self.capacity == capacity, used < capacity, hasEmptySlot else { throw SnapshotDecoder.damage }
        } catch {
            chunk.release()
            throw error
        }
    }
}
