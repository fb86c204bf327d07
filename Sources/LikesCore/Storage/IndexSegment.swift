/// A part of a `HandleIndex`: an open-addressing table of one allocation, which several indexes may share until one of
/// them is about to change it.
///
/// A slot is 32 bits: the low bits of a handle, and above them some of its hash, the tag, which is 0 in an empty slot
/// only. The handles lie in a window that begins at the index's origin, so low bits suffice. Where the window is too
/// wide to leave room for a tag, the tags have bytes of their own behind the slots.
@safe struct IndexSegment {
    static let largest: UInt32 = 2_048
    static let smallest: UInt32 = 16

    // Safety: the chunk holds a header, then `capacity` slots, then as many tags if `handleBits` is 32.
    private let chunk: Chunk<UInt32>

    private struct Header: BitwiseCopyable {
        let capacity: UInt32
        var used: UInt32
        let depth: UInt32
        var handleBits: UInt32
    }

    /// In slots.
    private static var headerSize: Int { 4 }

    private static func chunkCapacity(_ capacity: UInt32, handleBits: UInt32) -> Int {
        headerSize + Int(capacity) + (handleBits == 32 ? (Int(capacity) + 3) / 4 : 0)
    }

    /// Bytes that it takes.
    var byteCount: Int { chunkCapacity * MemoryLayout<UInt32>.stride }

    private var chunkCapacity: Int { Self.chunkCapacity(capacity, handleBits: handleBits) }

    private var header: UnsafeMutablePointer<Header> {
        unsafe UnsafeMutableRawPointer(chunk.elements).assumingMemoryBound(to: Header.self)
    }
    private var slots: UnsafeMutablePointer<UInt32> { unsafe chunk.elements + Self.headerSize }
    /// 0 for an empty slot.
    private var wideTags: UnsafeMutablePointer<UInt8> {
        unsafe UnsafeMutableRawPointer(slots + Int(capacity)).assumingMemoryBound(to: UInt8.self)
    }

    var capacity: UInt32 { unsafe header.pointee.capacity }
    var used: UInt32 { unsafe header.pointee.used }
    /// The number of leading hash bits that all handles of this segment share.
    var depth: UInt64 { UInt64(unsafe header.pointee.depth) }
    /// The bits of a handle that a slot has; 32 if it has no tag.
    private(set) var handleBits: UInt32 {
        get { unsafe header.pointee.handleBits }
        nonmutating set { unsafe header.pointee.handleBits = newValue }
    }

    /// How many bits of a handle are kept, so that a tag has 10, 8, 6 or 4 bits or a byte of its own.
    private static let handleBitsChoices: [UInt32] = [22, 24, 26, 28, 32]

    /// The bits that handles need when the last of them lies so far behind the origin.
    static func handleBits(reaching offset: UInt32) -> UInt32 {
        handleBitsChoices.first { offset >> $0 == 0 } ?? 32
    }

    /// An empty segment with one owner.
    init(capacity: UInt32, depth: UInt64, handleBits: UInt32) {
        let count = Self.chunkCapacity(capacity, handleBits: handleBits)
        chunk = Chunk(capacity: count)
        unsafe header.initialize(
            to: Header(capacity: capacity, used: 0, depth: UInt32(depth), handleBits: handleBits))
        unsafe slots.initialize(repeating: 0, count: count - Self.headerSize)
    }

    private init(_ chunk: Chunk<UInt32>) { self.chunk = chunk }

    var isShared: Bool { chunk.isShared }
    func retain() { chunk.retain() }
    func release() { chunk.release() }

    /// The same with one owner.
    func copy() -> IndexSegment {
        let copy = Chunk<UInt32>(capacity: chunkCapacity)
        unsafe copy.elements.initialize(from: chunk.elements, count: chunkCapacity)
        return IndexSegment(copy)
    }

    /// Whether another handle leaves enough slots empty for searches to stay short.
    var hasRoom: Bool { (used + 1) * 16 <= capacity * 13 }

    /// Whether a handle that lies so far behind the origin can be told from all others.
    func reaches(_ offset: UInt32) -> Bool { offset >> handleBits == 0 }

    /// From bits that neither `home` nor, below a million segments, the directory uses; never 0 for any `handleBits`.
    private func tag(_ hash: UInt64) -> UInt32 {
        guard handleBits < 32 else { return UInt32(UInt8(truncatingIfNeeded: hash >> 32) | 0x80) }
        let tenBits = 64 + ((hash >> 32 & 0xFFF) * 960) >> 12
        return UInt32(truncatingIfNeeded: tenBits) >> (handleBits - 22)
    }

    private func home(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((hash & 0xFFFF_FFFF) * UInt64(capacity)) >> 32)
    }

    private func after(_ slot: UInt32) -> UInt32 { slot + 1 == capacity ? 0 : slot + 1 }

    func find(hash: UInt64, origin: UInt32, where matches: (UInt32) -> Bool) -> UInt32? {
        let handleBits = handleBits
        guard handleBits < 32 else { return findWide(hash: hash, where: matches) }
        let slots = unsafe slots
        let (wanted, mask) = (tag(hash), (1 as UInt32) << handleBits - 1)
        let count = Int(capacity)
        var slot = Int(home(hash))
        while true {
            let value = unsafe slots[slot]
            if value == 0 { return nil }
            if value &>> handleBits == wanted {
                let handle = origin &+ ((value &- origin) & mask)
                if matches(handle) { return handle }
            }
            slot &+= 1
            if slot == count { slot = 0 }
        }
    }

    private func findWide(hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        let (slots, tags) = unsafe (slots, wideTags)
        let wanted = UInt8(tag(hash))
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

    private func isEmpty(_ slot: UInt32) -> Bool {
        unsafe handleBits < 32 ? slots[Int(slot)] == 0 : wideTags[Int(slot)] == 0
    }

    private func handle(in slot: UInt32, origin: UInt32) -> UInt32 {
        let value = unsafe slots[Int(slot)]
        return handleBits < 32 ? origin &+ ((value &- origin) & ((1 as UInt32) << handleBits - 1)) : value
    }

    private func set(_ slot: UInt32, _ handle: UInt32, tag: UInt32) {
        if handleBits < 32 {
            unsafe slots[Int(slot)] = tag << handleBits | handle & ((1 as UInt32) << handleBits - 1)
        } else {
            unsafe slots[Int(slot)] = handle
            unsafe wideTags[Int(slot)] = UInt8(tag)
        }
    }

    private func move(from source: UInt32, to target: UInt32) {
        unsafe slots[Int(target)] = slots[Int(source)]
        if handleBits == 32 { unsafe wideTags[Int(target)] = wideTags[Int(source)] }
    }

    /// Puts in a handle that the segment reaches, and has room for.
    func place(_ handle: UInt32, hash: UInt64) {
        var slot = home(hash)
        while !isEmpty(slot) { slot = after(slot) }
        set(slot, handle, tag: tag(hash))
        unsafe header.pointee.used += 1
    }

    /// Puts a handle that the segment reaches in the place of one with the same hash.
    func replace(_ old: UInt32, with new: UInt32, hash: UInt64, origin: UInt32) {
        set(slot(of: old, hash: hash, origin: origin), new, tag: tag(hash))
    }

    private func slot(of handle: UInt32, hash: UInt64, origin: UInt32) -> UInt32 {
        var slot = home(hash)
        while true {
            precondition(!isEmpty(slot), "the handle is not in the index")
            if self.handle(in: slot, origin: origin) == handle { return slot }
            slot = after(slot)
        }
    }

    func remove(_ handle: UInt32, hash: UInt64, origin: UInt32, hashOf: (UInt32) -> UInt64) {
        var hole = slot(of: handle, hash: hash, origin: origin)
        var next = after(hole)
        // Knuth's algorithm R: what sits behind the hole moves into it unless its home lies between them.
        while !isEmpty(next) {
            let home = home(hashOf(self.handle(in: next, origin: origin)))
            let staysPut = hole < next ? home > hole && home <= next : home > hole || home <= next
            if !staysPut {
                move(from: next, to: hole)
                hole = next
            }
            next = after(next)
        }
        set(hole, 0, tag: 0)
        unsafe header.pointee.used -= 1
    }

    /// A larger segment with the same handles.
    func grown(origin: UInt32, hashOf: (UInt32) -> UInt64) -> IndexSegment {
        // Small steps: a fifth of the slots is empty when it is full, and little more right after a growth.
        let larger = capacity + max(Self.smallest, capacity / 8)
        return remade(capacity: min(Self.largest, larger), handleBits: neededBits(origin), origin, hashOf)
    }

    /// A segment with the same handles that reaches a handle which this one does not.
    func widened(toReach offset: UInt32, origin: UInt32, hashOf: (UInt32) -> UInt64) -> IndexSegment {
        remade(capacity: capacity, handleBits: Self.handleBits(reaching: offset), origin, hashOf)
    }

    private func remade(
        capacity: UInt32, handleBits: UInt32, _ origin: UInt32, _ hashOf: (UInt32) -> UInt64
    ) -> IndexSegment {
        let segment = IndexSegment(capacity: capacity, depth: depth, handleBits: handleBits)
        forEach(origin) { segment.place($0, hash: hashOf($0)) }
        return segment
    }

    /// Two segments with the same handles, told apart by the next bit of their hashes.
    func halves(origin: UInt32, hashOf: (UInt32) -> UInt64) -> (IndexSegment, IndexSegment) {
        // With half the handles each, nine sixteenths of the old size leave the halves at the load after a growth.
        let (half, bits) = (capacity * 9 / 16, neededBits(origin))
        let halves = (
            IndexSegment(capacity: half, depth: depth + 1, handleBits: bits),
            IndexSegment(capacity: half, depth: depth + 1, handleBits: bits)
        )
        forEach(origin) { handle in
            let hash = hashOf(handle)
            let half = (hash >> (63 - depth)) & 1 == 0 ? halves.0 : halves.1
            half.place(handle, hash: hash)
        }
        return halves
    }

    private var hasEmptySlot: Bool { (0..<capacity).contains { isEmpty($0) } }

    private func forEach(_ origin: UInt32, _ body: (UInt32) -> Void) {
        for slot in 0..<capacity where !isEmpty(slot) { body(handle(in: slot, origin: origin)) }
    }

    /// The bits that the handles need.
    private func neededBits(_ origin: UInt32) -> UInt32 {
        var last: UInt32 = 0
        forEach(origin) { last = max(last, $0 &- origin) }
        return Self.handleBits(reaching: last)
    }
}

extension IndexSegment {
    /// Stands beside the capacity of a segment that says how many bits of a handle it keeps; those of the first format of
    /// snapshots do not, and keep all.
    private static let saysHandleBits: UInt32 = 1 << 31

    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(capacity | Self.saysHandleBits)
        try encoder.put(handleBits)
        try unsafe encoder.put(
            UnsafeRawBufferPointer(UnsafeBufferPointer(start: chunk.elements, count: chunkCapacity)))
    }

    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        let number = try decoder.number(UInt32.self)
        let capacity = number & ~Self.saysHandleBits
        let handleBits = number == capacity ? 32 : try decoder.number(UInt32.self)
        guard Self.smallest / 2...Self.largest ~= capacity, Self.handleBitsChoices.contains(handleBits) else {
            throw SnapshotDecoder.damage
        }
        let count = Self.chunkCapacity(capacity, handleBits: handleBits)
        let chunk = Chunk<UInt32>(capacity: count)
        do throws(JournalError) {
            try unsafe decoder.read(
                into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: chunk.elements, count: count)))
            self.init(chunk)
            self.handleBits = handleBits
            // Without an empty slot a search would never end.
            guard self.capacity == capacity, used < capacity, hasEmptySlot else { throw SnapshotDecoder.damage }
        } catch {
            chunk.release()
            throw error
        }
    }
}
