/// A hash index of 32-bit handles that keeps no keys: the caller says what a handle stands for.
///
/// Extendible hashing over small open-addressing segments. A full segment grows by a quarter, and splits when it is
/// large, so that no insertion ever rebuilds more than one segment. A slot is a handle and a byte of its hash, the
/// tag: a search compares tags that lie side by side, and looks at what a handle stands for, which is somewhere else
/// in memory, only when they agree. That bears a load of 70 to 87 %, so a handle costs about 6.3 bytes.
@safe struct HandleIndex: ~Copyable {
    /// No handle: an empty slot.
    static let none = UInt32.max

    private static let largestSegment: UInt32 = 8_192
    private static let smallestSegment: UInt32 = 16

    // Safety: `directory` has `1 << depth` entries that point to live segments; each segment's slots and tags are
    // allocated with its `capacity`.
    private var directory: UnsafeMutablePointer<UnsafeMutablePointer<Segment>>
    private var depth: UInt64 = 0

    @safe private struct Segment {
        let slots: UnsafeMutablePointer<UInt32>
        /// 0 for an empty slot.
        let tags: UnsafeMutablePointer<UInt8>
        let capacity: UInt32
        var used: UInt32 = 0
        /// The number of leading hash bits that all handles of this segment share.
        let depth: UInt64

        init(capacity: UInt32, depth: UInt64) {
            unsafe slots = .allocate(capacity: Int(capacity))
            unsafe slots.initialize(repeating: HandleIndex.none, count: Int(capacity))
            unsafe tags = .allocate(capacity: Int(capacity))
            unsafe tags.initialize(repeating: 0, count: Int(capacity))
            self.capacity = capacity
            self.depth = depth
        }

        func deallocate() {
            unsafe slots.deallocate()
            unsafe tags.deallocate()
        }

        /// From bits that neither `home` nor, below a million segments, the directory uses.
        func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 32) | 0x80 }

        func home(_ hash: UInt64) -> UInt32 {
            UInt32(truncatingIfNeeded: ((hash & 0xFFFF_FFFF) * UInt64(capacity)) >> 32)
        }

        func after(_ slot: UInt32) -> UInt32 { slot + 1 == capacity ? 0 : slot + 1 }

        mutating func place(_ handle: UInt32, hash: UInt64) {
            var slot = home(hash)
            while unsafe tags[Int(slot)] != 0 { slot = after(slot) }
            unsafe slots[Int(slot)] = handle
            unsafe tags[Int(slot)] = tag(hash)
            used += 1
        }
    }

    init() {
        unsafe directory = .allocate(capacity: 1)
        unsafe directory.initialize(to: Self.makeSegment(capacity: Self.smallestSegment, depth: 0))
    }

    deinit {
        var index = 0
        while index < 1 << depth {
            let segment = unsafe directory[index]
            let shared = unsafe 1 << Int(depth - segment.pointee.depth)
            unsafe segment.pointee.deallocate()
            unsafe segment.deallocate()
            index += shared
        }
        unsafe directory.deallocate()
    }

    private static func makeSegment(capacity: UInt32, depth: UInt64) -> UnsafeMutablePointer<Segment> {
        let segment = UnsafeMutablePointer<Segment>.allocate(capacity: 1)
        unsafe segment.initialize(to: Segment(capacity: capacity, depth: depth))
        return unsafe segment
    }

    private func position(of hash: UInt64) -> Int { depth == 0 ? 0 : Int(hash >> (64 - depth)) }

    /// The handle with this hash that `matches`, if there is one.
    func find(hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
        let segment = unsafe directory[position(of: hash)].pointee
        let wanted = segment.tag(hash)
        var slot = segment.home(hash)
        while true {
            let tag = unsafe segment.tags[Int(slot)]
            if tag == 0 { return nil }
            if tag == wanted {
                let handle = unsafe segment.slots[Int(slot)]
                if matches(handle) { return handle }
            }
            slot = segment.after(slot)
        }
    }

    /// Puts in a handle that is not there yet.
    ///
    /// - Parameter hashOf: the hash of a handle that is in the index.
    mutating func insert(_ handle: UInt32, hash: UInt64, hashOf: (UInt32) -> UInt64) {
        var segment = unsafe directory[position(of: hash)]
        while unsafe (segment.pointee.used + 1) * 8 > segment.pointee.capacity * 7 {
            if unsafe segment.pointee.capacity < Self.largestSegment {
                unsafe grow(segment, hashOf: hashOf)
            } else {
                split(at: hash, hashOf: hashOf)
                unsafe segment = directory[position(of: hash)]
            }
        }
        unsafe segment.pointee.place(handle, hash: hash)
    }

    /// Takes `handle` out; it must be there under this hash.
    mutating func remove(_ handle: UInt32, hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let segment = unsafe directory[position(of: hash)]
        var hole = unsafe slot(of: handle, in: segment, hash: hash)
        var next = unsafe segment.pointee.after(hole)
        // Knuth's algorithm R: what sits behind the hole moves into it unless its home lies between them.
        while unsafe segment.pointee.tags[Int(next)] != 0 {
            let moved = unsafe segment.pointee.slots[Int(next)]
            let home = unsafe segment.pointee.home(hashOf(moved))
            let staysPut = hole < next ? home > hole && home <= next : home > hole || home <= next
            if !staysPut {
                unsafe segment.pointee.slots[Int(hole)] = moved
                unsafe segment.pointee.tags[Int(hole)] = segment.pointee.tags[Int(next)]
                hole = next
            }
            next = unsafe segment.pointee.after(next)
        }
        unsafe segment.pointee.slots[Int(hole)] = Self.none
        unsafe segment.pointee.tags[Int(hole)] = 0
        unsafe segment.pointee.used -= 1
    }

    /// Puts `new` in the place of `old`, which has the same hash.
    mutating func replace(_ old: UInt32, with new: UInt32, hash: UInt64) {
        let segment = unsafe directory[position(of: hash)]
        let slot = unsafe slot(of: old, in: segment, hash: hash)
        unsafe segment.pointee.slots[Int(slot)] = new
    }

    private func slot(of handle: UInt32, in segment: UnsafeMutablePointer<Segment>, hash: UInt64) -> UInt32 {
        var slot = unsafe segment.pointee.home(hash)
        while unsafe segment.pointee.slots[Int(slot)] != handle {
            unsafe precondition(segment.pointee.tags[Int(slot)] != 0, "the handle is not in the index")
            slot = unsafe segment.pointee.after(slot)
        }
        return slot
    }

    private mutating func grow(_ segment: UnsafeMutablePointer<Segment>, hashOf: (UInt32) -> UInt64) {
        let old = unsafe segment.pointee
        let capacity = min(Self.largestSegment, old.capacity + max(Self.smallestSegment, old.capacity / 4))
        var grown = Segment(capacity: capacity, depth: old.depth)
        for slot in 0..<Int(old.capacity) {
            let handle = unsafe old.slots[slot]
            if handle != Self.none { grown.place(handle, hash: hashOf(handle)) }
        }
        old.deallocate()
        unsafe segment.pointee = grown
    }

    private mutating func split(at hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let segment = unsafe directory[position(of: hash)]
        if unsafe segment.pointee.depth == depth { doubleDirectory() }
        let old = unsafe segment.pointee
        let depthOfHalves = old.depth + 1
        // With half the handles each, five eighths of the old size leave the halves at the load after a growth.
        let capacity = old.capacity * 5 / 8
        let halves = unsafe (
            Self.makeSegment(capacity: capacity, depth: depthOfHalves),
            Self.makeSegment(capacity: capacity, depth: depthOfHalves)
        )
        for slot in 0..<Int(old.capacity) {
            let handle = unsafe old.slots[slot]
            guard handle != Self.none else { continue }
            let hash = hashOf(handle)
            let half = unsafe (hash >> (64 - depthOfHalves)) & 1 == 0 ? halves.0 : halves.1
            unsafe half.pointee.place(handle, hash: hash)
        }
        let width = 1 << Int(depth - old.depth)
        let first = position(of: hash) & ~(width - 1)
        for index in 0..<width { unsafe directory[first + index] = index < width / 2 ? halves.0 : halves.1 }
        old.deallocate()
        unsafe segment.deallocate()
    }

    private mutating func doubleDirectory() {
        let count = 1 << Int(depth)
        let larger = UnsafeMutablePointer<UnsafeMutablePointer<Segment>>.allocate(capacity: count * 2)
        for index in 0..<count {
            unsafe (larger + index * 2).initialize(repeating: directory[index], count: 2)
        }
        unsafe directory.deallocate()
        unsafe directory = larger
        depth += 1
    }
}
