internal import Threading

/// Sets counts right that a verification found wrong, from nothing but the likes themselves.
///
/// It runs on the mediator's thread between two rounds. Nobody else changes the state there, so what was counted under
/// the read lock still holds when it is written, and readers wait only for the writing. No event is made: the likes
/// did not change.
struct Repair: Sendable {
    let shared: SharedLikes

    /// What a chain has, to be written.
    private struct Recounted {
        let owner: UInt32
        let likes: UInt32
    }

    /// Asks for all that is to be set right, a bounded part between any two rounds, and waits until it is.
    func perform(_ repairs: Repairs, by mediator: LikesMediator) throws(Rejection) {
        for (chain, handles) in [(Chain.ofNews, repairs.news), (.ofUser, repairs.users)] {
            let handles = handles.sorted()
            for start in stride(from: 0, to: handles.count, by: Limits.repairsPerRound) {
                let part = Array(handles[start..<min(start + Limits.repairsPerRound, handles.count)])
                try mediator.performBetweenRounds { recount(chain, of: part) }
            }
        }
        if repairs.total { try mediator.performBetweenRounds { recountAll() } }
        let authors = repairs.authors
        if !authors.isEmpty { try mediator.performBetweenRounds { recount(authors: authors) } }
        if repairs.orders { try mediator.performBetweenRounds { remakeOrders() } }
    }

    private func recount(_ chain: Chain, of owners: [UInt32]) {
        let recounted = shared.read { state in
            owners.compactMap { owner -> Recounted? in
                // A chain that breaks off says nothing of what there is.
                guard let count = try? state.log.walk(chain, of: owner, isCancelled: { false }), !count.isBroken else {
                    return nil
                }
                return Recounted(owner: owner, likes: count.live)
            }
        }
        shared.write { state in
            for count in recounted {
                var head = state.log.head(chain, of: count.owner)
                if head.count != count.likes {
                    head.count = count.likes
                    state.log.setHead(head, chain, of: count.owner)
                }
                guard chain == .ofNews else {
                    state.profile.correct(count.owner, to: count.likes)
                    continue
                }
                guard let stored = state.catalog.stored(count.owner) else { continue }
                state.detail.correct(count.owner, to: stored.news.baseLikes + Int64(count.likes))
                state.feed.correct(count.owner, to: stored.news.baseLikes + Int64(count.likes))
            }
        }
    }

    private func recountAll() {
        let count = shared.read { state in (try? LiveCounts(state, isCancelled: { false }))?.total ?? 0 }
        shared.write { $0.log.correct(count: UInt32(count)) }
    }

    private func recount(authors: Set<UInt32>) {
        let totals = shared.read { state in
            AuthorTotals.counted(state) { state.log.count(.ofNews, of: $0) }
        }
        shared.write { state in
            for author in authors { state.profile.correct(author, to: totals[author] ?? AuthorTotals.Total()) }
        }
    }

    private func remakeOrders() {
        let orders = shared.read { $0.feed.remadeOrders() }
        shared.write { $0.feed.correct(orders) }
    }
}
