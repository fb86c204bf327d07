/// The memory of the like log: entries in order of their sequence, at 32-bit addresses that go round.
///
/// Entries are appended at the end and, by the sweep, written downwards in front of it. Chunks come and go one at a
/// time, so nothing is ever copied to grow. A block of 64 entries shares one full sequence; each entry keeps its
/// distance from it. A chunk keeps its entries in a short form until one comes that does not fit it.
@safe struct EntryRing: ~Copyable {
    /// No address. The block in which it would lie is never used.
    static let none = UInt32.max

    private static let blockShift = EntryChunk.blockShift
    private static let blockEntries: UInt32 = 1 << blockShift
    /// Chunks per table, and tables: two levels, so that a small log has a small directory.
    private static let tableShift: UInt32 = 11
    private static let tableSize = 1 << Int(tableShift)
    private static let unusableBlock = (UInt32.max >> blockShift) << blockShift

    // Safety: `tables` has an entry for every possible table; the tables and chunks of addresses between `base` and
    // `end` exist. A chunk that is shared is copied before it is written.
    private let tables: UnsafeMutablePointer<UnsafeMutablePointer<EntryChunk?>?>

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
            let shared = UnsafeMutablePointer<EntryChunk?>.allocate(capacity: Self.tableSize)
            unsafe shared.initialize(from: table, count: Self.tableSize)
            for chunk in 0..<Self.tableSize { unsafe table[chunk]?.retain() }
            unsafe copy.tables[index] = unsafe shared
        }
        return copy
    }

    /// Addresses in use, holes and dead entries included.
    var occupied: UInt32 { end &- base }

    /// Bytes that the chunks take.
    var byteCount: Int {
        var bytes = 0
        var number = Self.chunkNumber(base)
        while true {
            if let chunk = chunk(number: number) { bytes += chunk.byteCount }
            if number == Self.chunkNumber(end) { return bytes }
            number = (number + 1) & Self.lastChunkNumber
        }
    }

    subscript(address: UInt32) -> LikeEntry {
        get { chunk(of: address).entry(at: address) }
        set {
            if ownChunk(of: address).put(newValue, at: address) { return }
            let number = Self.chunkNumber(address)
            let widened = chunk(of: address).widened(number: number)
            set(widened, number: number)
            _ = widened.put(newValue, at: address)
        }
    }

    /// Whether the like of a news by a user lies at an address; both handles are in use.
    func isLike(at address: UInt32, of news: UInt32, by user: UInt32) -> Bool {
        chunk(of: address).isLike(at: address, of: news, by: user)
    }

    /// The handles of an entry's news and user.
    func owners(at address: UInt32) -> (news: UInt32, user: UInt32) { chunk(of: address).owners(at: address) }

    /// The sequence of the like at an address; a hole has that of its neighbour.
    func sequence(at address: UInt32) -> UInt64 { chunk(of: address).sequence(at: address) }

    private func blockSequence(at address: UInt32) -> UInt64 { chunk(of: address).blockSequence(at: address) }

    private mutating func beginBlock(at address: UInt32, sequence: UInt64, time: Timestamp) {
        ownChunk(of: address).beginBlock(at: address, sequence: sequence, time: time)
    }

    /// The number of an address' chunk, and of its table, and the chunk's place there.
    private static func chunkNumber(_ address: UInt32) -> UInt32 { address >> EntryChunk.shift }
    private static func tablePlace(_ number: UInt32) -> Int { Int(number >> tableShift) }
    private static func chunkPlace(_ number: UInt32) -> Int { Int(number) & (tableSize - 1) }

    private func chunk(number: UInt32) -> EntryChunk? {
        unsafe tables[Self.tablePlace(number)]?[Self.chunkPlace(number)]
    }

    private func chunk(of address: UInt32) -> EntryChunk {
        guard let chunk = chunk(number: Self.chunkNumber(address)) else {
            preconditionFailure("an address outside the log")
        }
        return chunk
    }

    /// The chunk of an address, to be changed.
    private mutating func ownChunk(of address: UInt32) -> EntryChunk {
        let chunk = chunk(of: address)
        guard chunk.isShared else { return chunk }
        let own = chunk.unshared()
        set(own, number: Self.chunkNumber(address))
        return own
    }

    private mutating func set(_ chunk: EntryChunk?, number: UInt32) {
        let table = unsafe tables[Self.tablePlace(number)] ?? makeTable(Self.tablePlace(number))
        unsafe table[Self.chunkPlace(number)] = chunk
    }

    private mutating func makeChunk(for address: UInt32) {
        let number = Self.chunkNumber(address)
        guard chunk(number: number) == nil else { return }
        set(EntryChunk(), number: number)
    }

    private func makeTable(_ place: Int) -> UnsafeMutablePointer<EntryChunk?> {
        let table = UnsafeMutablePointer<EntryChunk?>.allocate(capacity: Self.tableSize)
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
        if end & (Self.blockEntries - 1) == 0 { beginBlock(at: end, sequence: sequence, time: entry.at) }
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
        beginBlock(at: end, sequence: sequence, time: Timestamp(milliseconds: 0))
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
        if place & lastInBlock == lastInBlock { beginBlock(at: place, sequence: sequence, time: entry.at) }
        put(entry, sequence: sequence, at: place)
        return place
    }

    /// Fills a block downwards with holes.
    ///
    /// - Parameter sequence: the block's, when it has none yet.
    /// - Returns: the last address of the block before it.
    private mutating func fillHoles(from place: UInt32, sequence: UInt64?) -> UInt32 {
        var place = place
        if let sequence { beginBlock(at: place, sequence: sequence, time: Timestamp(milliseconds: 0)) }
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

    private static let lastChunkNumber = UInt32.max >> EntryChunk.shift
}

extension EntryRing {
    /// Stands for a chunk that is not there; those that are there begin with their form.
    private static let noChunk: UInt32 = 0

    /// Writes the bounds, then the chunks between them.
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(base)
        try encoder.put(end)
        var number = Self.chunkNumber(base)
        while true {
            let chunk = chunk(number: number)
            if let chunk { try chunk.encode(to: &encoder) } else { try encoder.put(Self.noChunk) }
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
            let form = try decoder.number(UInt32.self)
            if form != Self.noChunk {
                let chunk = try EntryChunk(form: form, from: &decoder)
                // At the ends are addresses that are not in use.
                let isAtAnEnd = number == Self.chunkNumber(base) || number == Self.chunkNumber(end)
                set(isAtAnEnd ? chunk : chunk.compacted(number: number), number: number)
            }
            if number == Self.chunkNumber(end) { return }
            number = (number + 1) & Self.lastChunkNumber
        }
    }
}
