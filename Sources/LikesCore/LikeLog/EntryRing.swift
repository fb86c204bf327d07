/// The memory of the like log: entries in order of their sequence, at 32-bit addresses that go round.
///
/// Entries are appended at the end and, by the sweep, written downwards in front of it. Chunks come and go one at a
/// time, so nothing is ever copied to grow. A block of 64 entries shares one full sequence; each entry keeps its
/// distance from it.
@safe struct EntryRing: ~Copyable {
    /// No address. The block in which it would lie is never used.
    static let none = UInt32.max

    private static let chunkShift: UInt32 = 16
    private static let chunkEntries = 1 << chunkShift
    private static let blockShift: UInt32 = 6
    private static let blockEntries: UInt32 = 1 << blockShift
    private static let chunkBlocks = chunkEntries >> Int(blockShift)
    /// Chunks per table, and tables: two levels, so that a small log has a small directory.
    private static let tableSize = 1 << 8
    private static let unusableBlock = (UInt32.max >> blockShift) << blockShift

    // Safety: `tables` has an entry for every possible table; the tables and chunks of addresses between `base` and
    // `end` exist.
    private let tables: UnsafeMutablePointer<UnsafeMutablePointer<Chunk?>?>

    @safe private struct Chunk {
        let entries: UnsafeMutablePointer<LikeEntry>
        let sequences: UnsafeMutablePointer<UInt64>

        func deallocate() {
            unsafe entries.deallocate()
            unsafe sequences.deallocate()
        }
    }

    /// The oldest address in use.
    private(set) var base: UInt32
    /// The address behind the newest entry.
    private(set) var end: UInt32

    /// An empty ring.
    ///
    /// - Parameter start: its first address, a multiple of 64; tests begin shortly before the addresses go round.
    init(start: UInt32 = 0) {
        unsafe tables = .allocate(capacity: Self.tableSize)
        unsafe tables.initialize(repeating: nil, count: Self.tableSize)
        base = (start >> Self.blockShift) << Self.blockShift
        end = base
    }

    deinit {
        for index in 0..<Self.tableSize {
            guard let table = unsafe tables[index] else { continue }
            for chunk in 0..<Self.tableSize { unsafe table[chunk]?.deallocate() }
            unsafe table.deallocate()
        }
        unsafe tables.deallocate()
    }

    /// Addresses in use, holes and dead entries included.
    var occupied: UInt32 { end &- base }

    subscript(address: UInt32) -> LikeEntry {
        get { unsafe chunk(of: address).entries[Int(address & 0xFFFF)] }
        set { unsafe chunk(of: address).entries[Int(address & 0xFFFF)] = newValue }
    }

    /// The sequence of the like at an address; a hole has that of its neighbour.
    func sequence(at address: UInt32) -> UInt64 {
        let block = unsafe chunk(of: address).sequences[Int(address & 0xFFFF) >> Int(Self.blockShift)]
        return UInt64(bitPattern: Int64(bitPattern: block) + self[address].distance)
    }

    private func chunk(of address: UInt32) -> Chunk {
        guard let chunk = unsafe tables[Int(address >> 24)]?[Int(address >> 16 & 0xFF)] else {
            preconditionFailure("an address outside the log")
        }
        return chunk
    }

    private func setBlockSequence(_ sequence: UInt64, at address: UInt32) {
        unsafe chunk(of: address).sequences[Int(address & 0xFFFF) >> Int(Self.blockShift)] = sequence
    }

    private func makeChunk(for address: UInt32) {
        let table = unsafe tables[Int(address >> 24)] ?? makeTable(for: address)
        guard unsafe table[Int(address >> 16 & 0xFF)] == nil else { return }
        unsafe table[Int(address >> 16 & 0xFF)] = unsafe Chunk(
            entries: .allocate(capacity: Self.chunkEntries), sequences: .allocate(capacity: Self.chunkBlocks))
    }

    private func makeTable(for address: UInt32) -> UnsafeMutablePointer<Chunk?> {
        let table = UnsafeMutablePointer<Chunk?>.allocate(capacity: Self.tableSize)
        unsafe table.initialize(repeating: nil, count: Self.tableSize)
        unsafe tables[Int(address >> 24)] = unsafe table
        return unsafe table
    }

    /// Appends an entry.
    ///
    /// - Returns: its address.
    mutating func append(_ entry: LikeEntry, sequence: UInt64) -> UInt32 {
        if end & (Self.blockEntries - 1) != 0,
            !LikeEntry.distances.contains(Int64(sequence) - Int64(blockSequence(at: end)))
        {
            alignEnd()
        }
        if end == Self.unusableBlock { skipBlock() }
        makeChunk(for: end)
        if end & (Self.blockEntries - 1) == 0 { setBlockSequence(sequence, at: end) }
        let address = end
        put(entry, sequence: sequence, at: address)
        end &+= 1
        return address
    }

    private func blockSequence(at address: UInt32) -> UInt64 {
        unsafe chunk(of: address).sequences[Int(address & 0xFFFF) >> Int(Self.blockShift)]
    }

    private mutating func put(_ entry: LikeEntry, sequence: UInt64, at address: UInt32) {
        var entry = entry
        entry.distance = Int64(sequence) - Int64(blockSequence(at: address))
        self[address] = entry
    }

    /// Ends with a block of nothing but holes: the room in which a sweep begins to write.
    ///
    /// - Returns: the address of that block or, when it would be the unusable one, of the one before it.
    mutating func appendFreeBlock() -> UInt32 {
        alignEnd()
        let start = end
        if end == Self.unusableBlock { skipBlock() }
        skipBlock()
        return start
    }

    /// Fills the last block with holes, so that the next entry begins a new one.
    private mutating func alignEnd() {
        while end & (Self.blockEntries - 1) != 0 {
            self[end] = .hole(distance: self[end &- 1].distance)
            end &+= 1
        }
    }

    /// Passes over a block, as over the one in which the address `none` lies.
    private mutating func skipBlock() {
        let sequence = occupied > 0 ? self.sequence(at: end &- 1) : 0
        makeChunk(for: end)
        setBlockSequence(sequence, at: end)
        for _ in 0..<Self.blockEntries {
            self[end] = .hole(distance: 0)
            end &+= 1
        }
    }

    /// Writes an entry right before `address`, as a sweep does on its way down.
    ///
    /// - Returns: where it lies: one less, or further down when its sequence is too far from the block's.
    mutating func prepend(_ entry: LikeEntry, sequence: UInt64, before address: UInt32) -> UInt32 {
        let lastInBlock = Self.blockEntries - 1
        var place = address &- 1
        if place & lastInBlock != lastInBlock,
            !LikeEntry.distances.contains(Int64(sequence) - Int64(blockSequence(at: place)))
        {
            place = fillHoles(from: place, sequence: nil)
        }
        if place == Self.none { place = fillHoles(from: place, sequence: self.sequence(at: place &+ 1)) }
        if place & lastInBlock == lastInBlock { setBlockSequence(sequence, at: place) }
        put(entry, sequence: sequence, at: place)
        return place
    }

    /// Fills a block downwards with holes.
    ///
    /// - Parameter sequence: the block's, when it has none yet.
    /// - Returns: the last address of the block before it.
    private mutating func fillHoles(from place: UInt32, sequence: UInt64?) -> UInt32 {
        var place = place
        if let sequence { setBlockSequence(sequence, at: place) }
        let distance = sequence == nil ? self[place &+ 1].distance : 0
        while true {
            self[place] = .hole(distance: distance)
            place &-= 1
            if place & (Self.blockEntries - 1) == Self.blockEntries - 1 { return place }
        }
    }

    /// Gives up everything before `newBase`, and the chunks that lie wholly there.
    mutating func dropAll(before newBase: UInt32) {
        var chunkStart = (base >> Self.chunkShift) << Self.chunkShift
        // The chunk of `newBase` stays, even when the addresses have gone round to it.
        while chunkStart >> Self.chunkShift != newBase >> Self.chunkShift {
            let table = unsafe tables[Int(chunkStart >> 24)]
            unsafe table?[Int(chunkStart >> 16 & 0xFF)]?.deallocate()
            unsafe table?[Int(chunkStart >> 16 & 0xFF)] = nil
            chunkStart &+= UInt32(Self.chunkEntries)
        }
        base = newBase
    }
}
