/// A sweep under way: live entries move up to the newer end, so that the room of dead ones comes free at the old end.
///
/// It visits entries from the newest to the oldest. The oldest entry of each chain that it has passed is remembered,
/// and that entry's pointer, or the chain's head, is set right when the next entry of the chain moves. So every
/// pointer is valid at every moment, and reads and writes go on between the steps.
///
/// Addresses below `unvisited` are as they were; those from `written` on are settled; between them lies free room: a
/// block or more, since a block has one sequence, which must not change under entries that are still to be visited.
struct Sweep: ~Copyable {
    /// The address behind the next entry to visit.
    var unvisited: UInt32
    /// The lowest address written.
    var written: UInt32
    /// For each news and each user: the oldest settled entry of the chain, or `EntryRing.none`.
    private var oldestOfNews: ChunkedArray<UInt32>
    private var oldestOfUser: ChunkedArray<UInt32>

    /// A sweep of everything below `start`, into the room below `end`; both must be the beginning of a block.
    init(below start: UInt32, into end: UInt32) {
        unvisited = start
        written = end
        oldestOfNews = ChunkedArray(filler: EntryRing.none)
        oldestOfUser = ChunkedArray(filler: EntryRing.none)
    }

    private init(
        unvisited: UInt32, written: UInt32, _ oldestOfNews: consuming ChunkedArray<UInt32>,
        _ oldestOfUser: consuming ChunkedArray<UInt32>
    ) {
        self.unvisited = unvisited
        self.written = written
        self.oldestOfNews = oldestOfNews
        self.oldestOfUser = oldestOfUser
    }

    /// A copy that shares its memory for as long as neither changes it.
    func frozenCopy() -> Sweep {
        Sweep(
            unvisited: unvisited, written: written, oldestOfNews.frozenCopy(), oldestOfUser.frozenCopy())
    }

    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(unvisited)
        try encoder.put(written)
        try oldestOfNews.encode(to: &encoder)
        try oldestOfUser.encode(to: &encoder)
    }

    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        let unvisited = try decoder.number(UInt32.self)
        let written = try decoder.number(UInt32.self)
        let ofNews = try ChunkedArray(filler: EntryRing.none, from: &decoder)
        let ofUser = try ChunkedArray(filler: EntryRing.none, from: &decoder)
        self.init(unvisited: unvisited, written: written, ofNews, ofUser)
    }

    /// The oldest settled entry of a chain.
    func oldest(_ chain: Chain, of owner: UInt32) -> UInt32 {
        switch chain {
        case .ofNews: Int(owner) < oldestOfNews.count ? oldestOfNews[owner] : EntryRing.none
        case .ofUser: Int(owner) < oldestOfUser.count ? oldestOfUser[owner] : EntryRing.none
        }
    }

    mutating func setOldest(_ address: UInt32, _ chain: Chain, of owner: UInt32) {
        switch chain {
        case .ofNews:
            oldestOfNews.grow(to: Int(owner) + 1)
            oldestOfNews[owner] = address
        case .ofUser:
            oldestOfUser.grow(to: Int(owner) + 1)
            oldestOfUser[owner] = address
        }
    }

    /// An entry was appended while the sweep is under way.
    mutating func noteAppended(_ address: UInt32, news: UInt32, user: UInt32) {
        if oldest(.ofNews, of: news) == EntryRing.none { setOldest(address, .ofNews, of: news) }
        if oldest(.ofUser, of: user) == EntryRing.none { setOldest(address, .ofUser, of: user) }
    }

    /// A dead entry was let go by its chain; `predecessor` is the newer entry that pointed to it, nil for the head.
    mutating func noteUnlinked(_ address: UInt32, _ chain: Chain, of owner: UInt32, predecessor: UInt32?) {
        if oldest(chain, of: owner) == address { setOldest(predecessor ?? EntryRing.none, chain, of: owner) }
    }
}

extension LikeLog {
    /// Does a part of the sweep, and begins one when there is enough to sweep.
    ///
    /// With 16 steps for every change a sweep is through before an eighth more entries have died.
    func sweep(steps: Int) {
        if sweep == nil {
            guard deadCount > dustLimit + count / 8 else { return }
            let start = ring.appendFreeBlock()
            sweep = Sweep(below: start, into: ring.end)
        }
        for _ in 0..<steps {
            guard let unvisited = sweep?.unvisited, unvisited != ring.base else { return endSweep() }
            sweep?.unvisited = unvisited &- 1
            visit(unvisited &- 1)
        }
    }

    private func endSweep() {
        guard let written = sweep?.written else { return }
        dropAll(before: written)
        sweep = nil
    }

    private func visit(_ address: UInt32) {
        let entry = ring[address]
        if entry.isHole { return }
        if entry.isDead {
            unlinkDead(entry, at: address, .ofNews)
            unlinkDead(entry, at: address, .ofUser)
        } else {
            move(entry, at: address)
        }
    }

    private func unlinkDead(_ entry: LikeEntry, at address: UInt32, _ chain: Chain) {
        // The entry may have left the chain long ago: then nothing points to it.
        let predecessor = sweep?.oldest(chain, of: entry.owner(in: chain)) ?? EntryRing.none
        guard predecessor != EntryRing.none, ring[predecessor][chain] == address else { return }
        ring[predecessor][chain] = entry[chain]
    }

    private func move(_ entry: LikeEntry, at address: UInt32) {
        guard let written = sweep?.written else { return }
        let place = ring.prepend(entry, sequence: ring.sequence(at: address), before: written)
        sweep?.written = place
        if place != address { noteMoved(from: address, to: place, entry: entry) }
        for chain in [Chain.ofNews, .ofUser] {
            let owner = entry.owner(in: chain)
            let predecessor = sweep?.oldest(chain, of: owner) ?? EntryRing.none
            if predecessor != EntryRing.none {
                ring[predecessor][chain] = place
            } else {
                var head = head(chain, of: owner)
                head.newest = place
                setHead(head, chain, of: owner)
            }
            sweep?.setOldest(place, chain, of: owner)
        }
    }
}
