/// The memory of the like log: entries in order of their sequence, at 32-bit addresses that go round.
///
/// Entries are appended at the end and, by the sweep, written downwards in front of it. Chunks come and go one at a
/// time, so nothing is ever copied to grow. A block of 64 entries shares one full sequence; each entry keeps its
/// distance from it.
@safe struct EntryRing: ~Copyable {
    /// No address. The block in which it would lie is never used.
    static let none = UInt32.max

    private static let chunkShift: UInt32 = 10
    private static let chunkEntries = 1 << chunkShift
    private static let blockShift: UInt32 = 6
    private static let blockEntries: UInt32 = 1 << blockShift
    private static let chunkBlocks = chunkEntries >> Int(blockShift)
    /// A chunk in 8-byte words: the entries, then the sequences of the blocks.
    private static let entryWords = chunkEntries * MemoryLayout<LikeEntry>.stride / 8
    private static let chunkWords = entryWords + chunkBlocks
    /// Chunks per table, and tables: two levels, so that a small log has a small directory.
    private static let tableShift: UInt32 = 11
    private static let tableSize = 1 << Int(tableShift)
    private static let unusableBlock = (UInt32.max >> blockShift) << blockShift

    // Safety: `tables` has an entry for every possible table; the tables and chunks of addresses between `base` and
    // `end` exist. A chunk that is shared is copied before it is written.
    private let tables: UnsafeMutablePointer<UnsafeMutablePointer<Chunk<UInt64>?>?>

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
            for chunk in 0..<Self.tableSize { unsafe table[chunk]?.release() }
            unsafe table.deallocate()
        }
        unsafe tables.deallocate()
    }

    /// A copy that shares every chunk for as long as neither changes it.
    func frozenCopy() -> EntryRing {
        var copy = EntryRing()
        copy.base = base
        copy.end = end
        for index in 0..<Self.tableSize {
            guard let table = unsafe tables[index] else { continue }
            let shared = UnsafeMutablePointer<Chunk<UInt64>?>.allocate(capacity: Self.tableSize)
            unsafe shared.initialize(from: table, count: Self.tableSize)
            for chunk in 0..<Self.tableSize { unsafe table[chunk]?.retain() }
            unsafe copy.tables[index] = unsafe shared
        }
        return copy
    }

    /// Addresses in use, holes and dead entries included.
    var occupied: UInt32 { end &- base }

    subscript(address: UInt32) -> LikeEntry {
        get { unsafe Self.entries(of: chunk(of: address))[Self.place(address)] }
        set { unsafe Self.entries(of: ownChunk(of: address))[Self.place(address)] = newValue }
    }

    /// The sequence of the like at an address; a hole has that of its neighbour.
    func sequence(at address: UInt32) -> UInt64 {
        UInt64(bitPattern: Int64(bitPattern: blockSequence(at: address)) + self[address].distance)
    }

    private func blockSequence(at address: UInt32) -> UInt64 {
        unsafe chunk(of: address).elements[Self.sequencePlace(address)]
    }

    private mutating func setBlockSequence(_ sequence: UInt64, at address: UInt32) {
        unsafe ownChunk(of: address).elements[Self.sequencePlace(address)] = sequence
    }

    private static func place(_ address: UInt32) -> Int { Int(address) & (chunkEntries - 1) }

    private static func sequencePlace(_ address: UInt32) -> Int { entryWords + place(address) >> Int(blockShift) }

    private static func entries(of chunk: Chunk<UInt64>) -> UnsafeMutablePointer<LikeEntry> {
        unsafe UnsafeMutableRawPointer(chunk.elements).assumingMemoryBound(to: LikeEntry.self)
    }

    /// The number of an address' chunk, and of its table, and the chunk's place there.
    private static func chunkNumber(_ address: UInt32) -> UInt32 { address >> chunkShift }
    private static func tablePlace(_ number: UInt32) -> Int { Int(number >> tableShift) }
    private static func chunkPlace(_ number: UInt32) -> Int { Int(number) & (tableSize - 1) }

    private func chunk(number: UInt32) -> Chunk<UInt64>? {
        unsafe tables[Self.tablePlace(number)]?[Self.chunkPlace(number)]
    }

    private func chunk(of address: UInt32) -> Chunk<UInt64> {
        guard let chunk = chunk(number: Self.chunkNumber(address)) else {
            preconditionFailure("an address outside the log")
        }
        return chunk
    }

    /// The chunk of an address, to be changed.
    private mutating func ownChunk(of address: UInt32) -> Chunk<UInt64> {
        let chunk = chunk(of: address)
        guard chunk.isShared else { return chunk }
        let own = chunk.unshared(count: Self.chunkWords, capacity: Self.chunkWords)
        set(own, number: Self.chunkNumber(address))
        return own
    }

    private mutating func set(_ chunk: Chunk<UInt64>?, number: UInt32) {
        let table = unsafe tables[Self.tablePlace(number)] ?? makeTable(Self.tablePlace(number))
        unsafe table[Self.chunkPlace(number)] = chunk
    }

    private mutating func makeChunk(for address: UInt32) {
        let number = Self.chunkNumber(address)
        guard chunk(number: number) == nil else { return }
        let chunk = Chunk<UInt64>(capacity: Self.chunkWords)
        unsafe chunk.elements.initialize(repeating: 0, count: Self.chunkWords)
        set(chunk, number: number)
    }

    private func makeTable(_ place: Int) -> UnsafeMutablePointer<Chunk<UInt64>?> {
        let table = UnsafeMutablePointer<Chunk<UInt64>?>.allocate(capacity: Self.tableSize)
        unsafe table.initialize(repeating: nil, count: Self.tableSize)
        unsafe tables[place] = unsafe table
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
        var number = Self.chunkNumber(base)
        // The chunk of `newBase` stays, even when the addresses have gone round to it.
        while number != Self.chunkNumber(newBase) {
            chunk(number: number)?.release()
            set(nil, number: number)
            number = (number + 1) & Self.lastChunkNumber
        }
        base = newBase
    }

    private static let lastChunkNumber = UInt32.max >> chunkShift
}

extension EntryRing {
    /// Writes the bounds, then the chunks between them.
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(base)
        try encoder.put(end)
        var number = Self.chunkNumber(base)
        while true {
            let chunk = chunk(number: number)
            try encoder.put(UInt32(chunk == nil ? 0 : 1))
            if let chunk {
                try unsafe encoder.put(
                    UnsafeRawBufferPointer(UnsafeBufferPointer(start: chunk.elements, count: Self.chunkWords)))
            }
            if number == Self.chunkNumber(end) { return }
            number = (number + 1) & Self.lastChunkNumber
        }
    }

    /// The ring that `encode` wrote.
    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        self.init(start: 0)
        base = try decoder.number(UInt32.self)
        end = try decoder.number(UInt32.self)
        var number = Self.chunkNumber(base)
        while true {
            if try decoder.number(UInt32.self) == 1 {
                let chunk = Chunk<UInt64>(capacity: Self.chunkWords)
                set(chunk, number: number)
                try unsafe decoder.read(
                    into: UnsafeMutableRawBufferPointer(
                        UnsafeMutableBufferPointer(start: chunk.elements, count: Self.chunkWords)))
            }
            if number == Self.chunkNumber(end) { return }
            number = (number + 1) & Self.lastChunkNumber
        }
    }
}
