/// A like as a list shows it.
struct ListedLike {
    /// The other side of the like: the user in a list of likers, the news in a list of a user's likes.
    let handle: UInt32
    let at: Timestamp
    let sequence: UInt64
}

/// A part of a chain.
struct ChainPart {
    var likes: [ListedLike] = []
    /// The sequence below which the rest of the chain lies, if any; nil when the chain was walked to its end.
    var rest: UInt64?
}

extension LikeLog {
    /// The likes of a chain, newest first, that are older than the like with sequence `before`.
    ///
    /// - Parameters:
    ///   - before: nil for the newest. The like need not exist any more: its place in the order does.
    ///   - limit: the most likes to return.
    ///   - steps: the most entries to look at; a part that ends because of it has fewer likes and a `rest`.
    func part(_ chain: Chain, of owner: UInt32, before: UInt64?, limit: Int, steps: Int) -> ChainPart {
        var part = ChainPart()
        // As much as most pages have: growing from nothing would allocate again and again.
        part.likes.reserveCapacity(min(limit, Limits.pageDefault + 1))
        var address = head(chain, of: owner).newest
        if let before { address = locate(chain, of: owner, newest: address, before: before) }
        var stepsLeft = steps
        var passed: UInt64?
        while address != EntryRing.none {
            if part.likes.count == limit || stepsLeft == 0 {
                part.rest = passed
                return part
            }
            let entry = ring[address]
            let sequence = ring.sequence(at: address)
            if !entry.isDead {
                let other = chain == .ofNews ? entry.user : entry.news
                part.likes.append(ListedLike(handle: other, at: entry.at, sequence: sequence))
            }
            passed = sequence
            stepsLeft -= 1
            address = entry[chain]
        }
        return part
    }

    /// The newest entry of a chain that is older than a sequence.
    ///
    /// Two searches in step, and the first to find it wins: along the chain from its newest entry, and through the
    /// log downwards from the sequence. A chain of n likes among N takes at most n of the one and about N/n of the
    /// other, so never much more than the square root of N.
    private func locate(_ chain: Chain, of owner: UInt32, newest: UInt32, before: UInt64) -> UInt32 {
        var onChain = newest
        var inLog = lastAddress(notAbove: before)
        while onChain != EntryRing.none {
            if ring.sequence(at: onChain) < before { return onChain }
            onChain = ring[onChain][chain]
            // Nothing in the log is as old as that: what is left of the chain is all newer.
            guard let address = inLog else { return EntryRing.none }
            let entry = ring[address]
            // Only live entries are known to be on their chain still.
            if !entry.isDead, entry.owner(in: chain) == owner {
                return ring.sequence(at: address) < before ? address : entry[chain]
            }
            inLog = predecessor(of: address)
        }
        return EntryRing.none
    }

    /// The address before another in the order of sequences; nil at the oldest.
    private func predecessor(of address: UInt32) -> UInt32? {
        if let sweep = unsweptRange, address == sweep.written {
            return sweep.unvisited == ring.base ? nil : sweep.unvisited &- 1
        }
        return address == ring.base ? nil : address &- 1
    }

    private var unsweptRange: (unvisited: UInt32, written: UInt32)? {
        guard let unvisited = sweep?.unvisited, let written = sweep?.written else { return nil }
        return (unvisited, written)
    }

    /// The last address whose sequence is at most `sequence`; nil when there is none.
    private func lastAddress(notAbove sequence: UInt64) -> UInt32? {
        if let (unvisited, written) = unsweptRange {
            return lastAddress(notAbove: sequence, from: written, to: ring.end)
                ?? lastAddress(notAbove: sequence, from: ring.base, to: unvisited)
        }
        return lastAddress(notAbove: sequence, from: ring.base, to: ring.end)
    }

    private func lastAddress(notAbove sequence: UInt64, from first: UInt32, to end: UInt32) -> UInt32? {
        var low: UInt32 = 0
        var high = end &- first
        while low < high {
            let middle = low + (high - low) / 2
            if ring.sequence(at: first &+ middle) <= sequence { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : first &+ (low - 1)
    }
}

extension LikeLog {
    /// Goes through all likes, the oldest first.
    ///
    /// - Parameter body: returns false to end it.
    func forEachLike(_ body: (LikeEntry) -> Bool) {
        let ranges = sweep == nil ? [(ring.base, ring.end)] : [(ring.base, unswept), (written, ring.end)]
        for (first, end) in ranges {
            var address = first
            while address != end {
                let entry = ring[address]
                if !entry.isDead, !body(entry) { return }
                address &+= 1
            }
        }
    }

    private var unswept: UInt32 { sweep?.unvisited ?? ring.end }
    private var written: UInt32 { sweep?.written ?? ring.end }
}
