/// What a walk along a chain of likes has found.
struct ChainCount {
    /// Likes on the chain.
    var live: UInt32 = 0
    /// Likes on the chain that are not found by their pair at the place where they are.
    var unindexed = 0
    /// Entries that the walk has passed, dead ones included.
    var steps = 0
    /// Whether the chain leads to a place where nothing of it can be; the walk ends there.
    var isBroken = false
}

extension LikeLog {
    /// The addresses that hold entries, in order of sequence: all but the free room of a sweep under way.
    var entryRanges: [(first: UInt32, end: UInt32)] {
        guard let unvisited = sweep?.unvisited, let written = sweep?.written else { return [(ring.base, ring.end)] }
        return [(ring.base, unvisited), (written, ring.end)]
    }

    /// Walks a chain, without trust in anything: whatever the memory holds, the walk ends.
    ///
    /// - Parameter isCancelled: asked now and then; the walk is given up when it says so.
    func walk(
        _ chain: Chain, of owner: UInt32, isCancelled: () -> Bool
    ) throws(VerificationStop) -> ChainCount {
        let ranges = entryRanges
        var count = ChainCount()
        var address = head(chain, of: owner).newest
        var last = UInt64.max
        while address != EntryRing.none {
            guard ranges.contains(where: { address &- $0.first < $0.end &- $0.first }) else {
                count.isBroken = true
                break
            }
            let entry = ring[address]
            let sequence = ring.sequence(at: address)
            // Older with each step: so no like comes twice, and the walk has an end.
            guard entry.owner(in: chain) == owner, sequence < last else {
                count.isBroken = true
                break
            }
            if !entry.isDead {
                count.live += 1
                // A like is looked for once, from the news' side.
                if chain == .ofNews, find(news: entry.news, user: entry.user) != address { count.unindexed += 1 }
            }
            last = sequence
            address = entry[chain]
            count.steps += 1
            if count.steps % Limits.chainSteps == 0, isCancelled() { throw .cancelled }
        }
        return count
    }
}

/// The likes of each news and by each user, counted entry by entry: what everything else is compared with.
struct LiveCounts {
    private var ofNews: [UInt32]
    private var ofUsers: [UInt32]
    /// All likes.
    private(set) var total = 0
    /// Likes whose news or user is not there.
    private(set) var orphans = 0
    /// Likes that lie behind one that is newer.
    private(set) var misplaced = 0

    /// Counts all entries of a state.
    init(_ state: LikesState, isCancelled: () -> Bool) throws(VerificationStop) {
        ofNews = Array(repeating: 0, count: state.catalog.handleCount)
        ofUsers = Array(repeating: 0, count: state.users.count)
        let isThere = (0..<UInt32(state.catalog.handleCount)).map { state.catalog.stored($0) != nil }
        var last: UInt64 = 0
        for range in state.log.entryRanges {
            var address = range.first
            while address != range.end {
                let entry = state.log.ring[address]
                if !entry.isDead {
                    count(entry, isThere, state.users)
                    let sequence = state.log.ring.sequence(at: address)
                    if sequence <= last { misplaced += 1 }
                    last = sequence
                }
                address &+= 1
                if address % UInt32(Limits.chainSteps) == 0, isCancelled() { throw .cancelled }
            }
        }
    }

    private mutating func count(_ entry: LikeEntry, _ isThere: [Bool], _ users: UserTable) {
        total += 1
        let (news, user) = (Int(entry.news), Int(entry.user))
        if news < ofNews.count { ofNews[news] += 1 }
        if user < ofUsers.count { ofUsers[user] += 1 }
        if news >= isThere.count || !isThere[news] || !users.isKnown(entry.user) { orphans += 1 }
    }

    /// The likes of a chain's owner.
    func count(_ chain: Chain, of owner: UInt32) -> UInt32 {
        chain == .ofNews ? ofNews[Int(owner)] : ofUsers[Int(owner)]
    }
}
