/// 1,024 entries of the ring in one allocation: each in 18 bytes as long as all of them fit that form, else in 24.
///
/// A block of 64 entries shares one full sequence, and in the short form one time.
@safe struct EntryChunk {
    static let shift: UInt32 = 10
    static let entryCount = 1 << Int(shift)
    static let blockShift: UInt32 = 6
    private static let blockCount = entryCount >> Int(blockShift)
    /// In 8-byte words.
    private static let wideEntryWords = entryCount * MemoryLayout<LikeEntry>.stride / 8
    private static let compactEntryWords = entryCount * CompactEntry.byteCount / 8

    // Safety: the memory holds the entries in one of the two forms, then the sequences of the blocks, then, in the
    // short form, their times. Every place is below `entryCount`.
    private let memory: Chunk<UInt64>
    private let isWide: Bool

    private init(_ memory: Chunk<UInt64>, isWide: Bool) {
        self.memory = memory
        self.isWide = isWide
    }

    /// A chunk of zeros with one owner.
    init(isWide: Bool = false) {
        self.init(unset: isWide)
        unsafe memory.elements.initialize(repeating: 0, count: words)
    }

    /// A chunk whose bytes are to be set.
    private init(unset isWide: Bool) {
        self.init(Chunk(capacity: Self.words(isWide)), isWide: isWide)
    }

    private static func words(_ isWide: Bool) -> Int {
        isWide ? wideEntryWords + blockCount : compactEntryWords + 2 * blockCount
    }

    private var words: Int { Self.words(isWide) }

    /// Bytes that its entries and blocks take.
    var byteCount: Int { words * 8 }

    var isShared: Bool { memory.isShared }
    func retain() { memory.retain() }
    func release() { memory.release() }

    /// The same for an owner that is about to change it: itself, or a copy in exchange for its share.
    func unshared() -> EntryChunk {
        EntryChunk(memory.unshared(count: words, capacity: words), isWide: isWide)
    }

    private static func place(_ address: UInt32) -> Int { Int(address) & (entryCount - 1) }

    private static func block(_ address: UInt32) -> Int { place(address) >> Int(blockShift) }

    private func wide(_ address: UInt32) -> UnsafeMutablePointer<LikeEntry> {
        unsafe UnsafeMutableRawPointer(memory.elements).assumingMemoryBound(to: LikeEntry.self) + Self.place(address)
    }

    private func row(_ address: UInt32) -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(memory.elements) + Self.place(address) * CompactEntry.byteCount
    }

    private func compact(_ address: UInt32) -> CompactEntry {
        let row = unsafe row(address)
        return unsafe CompactEntry(
            owners: row.loadUnaligned(as: UInt64.self), links: row.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            highTime: row.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
    }

    private func blockTime(_ address: UInt32) -> Int64 {
        Int64(bitPattern: unsafe memory.elements[Self.compactEntryWords + Self.blockCount + Self.block(address)])
    }

    func entry(at address: UInt32) -> LikeEntry {
        guard !isWide else { return unsafe wide(address).pointee }
        return compact(address).entry(at: address, blockTime: blockTime(address))
    }

    /// Whether the like of a news by a user lies at an address; both handles are in use.
    func isLike(at address: UInt32, of news: UInt32, by user: UInt32) -> Bool {
        guard !isWide else {
            let entry = unsafe wide(address)
            return unsafe entry.pointee.news == news && entry.pointee.user == user
        }
        return compact(address).isLike(of: news, by: user)
    }

    /// The handles of an entry's news and user.
    func owners(at address: UInt32) -> (news: UInt32, user: UInt32) {
        guard !isWide else { return unsafe (wide(address).pointee.news, wide(address).pointee.user) }
        let entry = compact(address)
        return (entry.news, entry.user)
    }

    /// The sequence of the like at an address; a hole has that of its neighbour.
    func sequence(at address: UInt32) -> UInt64 {
        let distance = unsafe isWide ? wide(address).pointee.distance : compact(address).distance
        return blockSequence(at: address) &+ UInt64(bitPattern: distance)
    }

    func blockSequence(at address: UInt32) -> UInt64 {
        unsafe memory.elements[(isWide ? Self.wideEntryWords : Self.compactEntryWords) + Self.block(address)]
    }

    /// Begins a block. The chunk has one owner.
    ///
    /// - Parameter time: about that of its entries.
    func beginBlock(at address: UInt32, sequence: UInt64, time: Timestamp) {
        let place = (isWide ? Self.wideEntryWords : Self.compactEntryWords) + Self.block(address)
        unsafe memory.elements[place] = sequence
        if !isWide { unsafe memory.elements[place + Self.blockCount] = UInt64(bitPattern: time.milliseconds) }
    }

    /// Puts an entry in its place. The chunk has one owner.
    ///
    /// - Returns: false when it does not fit the short form; nothing is changed then.
    func put(_ entry: LikeEntry, at address: UInt32) -> Bool {
        guard !isWide else {
            unsafe wide(address).pointee = entry
            return true
        }
        guard let compact = CompactEntry(entry, at: address, blockTime: blockTime(address)) else { return false }
        let row = unsafe row(address)
        unsafe row.storeBytes(of: compact.owners, as: UInt64.self)
        unsafe row.storeBytes(of: compact.links, toByteOffset: 8, as: UInt64.self)
        unsafe row.storeBytes(of: compact.highTime, toByteOffset: 16, as: UInt16.self)
        return true
    }

    /// The same in the long form, in exchange for the share of the short one.
    ///
    /// - Parameter number: the chunk's: its first address, divided by the number of entries.
    func widened(number: UInt32) -> EntryChunk {
        let widened = EntryChunk(unset: true)
        let first = number << Self.shift
        for address in first...first + UInt32(Self.entryCount - 1) {
            unsafe widened.wide(address).initialize(to: entry(at: address))
        }
        for block in 0..<Self.blockCount {
            unsafe widened.memory.elements[Self.wideEntryWords + block] =
                memory.elements[Self.compactEntryWords + block]
        }
        release()
        return widened
    }

    /// The same in the short form, in exchange for the share of the long one; itself when an entry does not fit.
    ///
    /// - Parameter number: the chunk's. All of its addresses are in use.
    func compacted(number: UInt32) -> EntryChunk {
        guard isWide else { return self }
        let compact = EntryChunk()
        let first = number << Self.shift
        for block in 0..<UInt32(Self.blockCount) {
            let addresses = (0..<1 << Self.blockShift).map { first + block << Self.blockShift + $0 }
            let some = addresses.first { !entry(at: $0).isHole } ?? first
            compact.beginBlock(at: addresses[0], sequence: blockSequence(at: addresses[0]), time: entry(at: some).at)
            guard addresses.allSatisfy({ compact.put(entry(at: $0), at: $0) }) else {
                compact.release()
                return self
            }
        }
        release()
        return compact
    }
}

extension EntryChunk {
    private enum Form: UInt32 {
        case wide = 1
        case compact = 2
    }

    /// Writes the form, then the chunk as it lies.
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put((isWide ? Form.wide : .compact).rawValue)
        try unsafe encoder.put(UnsafeRawBufferPointer(UnsafeBufferPointer(start: memory.elements, count: words)))
    }

    /// The chunk that `encode` wrote.
    ///
    /// - Parameter form: the number that stands before it.
    init(form: UInt32, from decoder: inout SnapshotDecoder) throws(JournalError) {
        guard let form = Form(rawValue: form) else { throw SnapshotDecoder.damage }
        self.init(unset: form == .wide)
        do throws(JournalError) {
            try unsafe decoder.read(
                into: UnsafeMutableRawBufferPointer(
                    UnsafeMutableBufferPointer(start: memory.elements, count: words)))
        } catch {
            release()
            throw error
        }
    }
}
