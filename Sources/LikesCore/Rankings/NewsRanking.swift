/// An order of all news that only some callers ask for: made from the likes when one does, then kept by the fold.
protocol Ranking: LikeProjection {
    /// A page, each news with its weight.
    ///
    /// - Parameter after: the key of the last entry of the page before, which need not exist any more.
    func page(after: FeedKey?, limit: Int) -> [RankedNews]
}

/// A news in a ranking.
struct RankedNews {
    let handle: UInt32
    let weight: Int64
}

/// News in descending order of what a measure makes of their likes; between equals as in `newest`.
///
/// It keeps a record of its own of the news, so that it can be made from a frozen copy, beside running traffic, and be
/// brought up to date afterwards, one change after the other.
final class NewsRanking<Measure: RankingMeasure>: Ranking {
    private var measure: Measure
    /// By handle; nil for a news that is not in the order.
    private var news: ContiguousArray<StoredNews?> = []
    private var weights: ContiguousArray<Int64> = []
    private var order = OrderedHandles()

    /// The ranking of the news and likes of a state; takes a while when there are many.
    ///
    /// - Parameter isCancelled: asked now and then; when it says yes, the ranking is nil.
    init?(of state: LikesState, by measure: Measure, isCancelled: () -> Bool) {
        self.measure = measure
        for handle in 0..<UInt32(state.catalog.handleCount) {
            setUp(handle, state.catalog.isLeaving(handle) ? nil : state.catalog.stored(handle))
        }
        var likes = 0
        var goesOn = true
        state.log.forEachLike { like in
            if news[Int(like.news)] != nil { weights[Int(like.news)] = self.measure.add(like.news, at: like.at) }
            likes += 1
            if likes % Limits.rankedLikesPerCheck == 0 { goesOn = !isCancelled() }
            return goesOn
        }
        guard goesOn else { return nil }
        order = OrderedHandles(sortedHandles())
    }

    private func setUp(_ handle: UInt32, _ stored: StoredNews?) {
        news.set(handle, to: stored, filler: nil)
        weights.set(handle, to: 0, filler: 0)
        measure.clear(handle)
    }

    private func sortedHandles() -> [UInt32] {
        let keyed = news.indices.compactMap { index in
            news[index].map { (handle: UInt32(index), weight: weights[index], time: $0.sortTime, news: $0.news) }
        }
        return keyed.sorted { left, right in
            if left.weight != right.weight { return left.weight > right.weight }
            return left.time == right.time ? left.news.id < right.news.id : left.time > right.time
        }.map(\.handle)
    }

    func page(after: FeedKey?, limit: Int) -> [RankedNews] {
        let start = order.position { handle in
            guard let after, let stored = news[Int(handle)] else { return false }
            return comes(handle, before: after) || key(handle, stored) == after
        }
        return order.entries(after: start, limit: limit).map {
            RankedNews(handle: $0, weight: weights[Int($0)])
        }
    }

    private func key(_ handle: UInt32, _ stored: StoredNews) -> FeedKey {
        FeedKey(weight: weights[Int(handle)], sortTime: stored.sortTime, id: stored.news.id)
    }

    /// Whether a news stands before a key. Weights decide first, since they are at hand.
    private func comes(_ handle: UInt32, before key: FeedKey) -> Bool {
        if weights[Int(handle)] != key.weight { return weights[Int(handle)] > key.weight }
        guard let stored = news[Int(handle)] else { preconditionFailure("a handle of no news stands in the order") }
        return stored.sortTime == key.sortTime ? stored.news.id < key.id : stored.sortTime > key.sortTime
    }

    private func place(of handle: UInt32, _ stored: StoredNews) -> OrderedHandles.Position {
        let key = key(handle, stored)
        return order.position { comes($0, before: key) }
    }

    // MARK: The fold

    /// Changes a news that is in the order, and gives it the place that it has then.
    private func change(_ handle: UInt32, _ body: () -> Void) {
        // The likes of a news that is leaving are taken back one by one, and weigh nothing any more.
        guard Int(handle) < news.count, let before = news[Int(handle)] else { return }
        order.remove(after: place(of: handle, before))
        body()
        guard let after = news[Int(handle)] else { return }
        order.insert(handle, at: place(of: handle, after))
    }

    package func likeAdded(_ like: FoldedLike) {
        change(like.news) { weights[Int(like.news)] = measure.add(like.news, at: like.at) }
    }

    package func likeRemoved(_ like: FoldedLike) {
        change(like.news) { weights[Int(like.news)] = measure.remove(like.news, at: like.at) }
    }

    package func likeRedated(_ like: FoldedLike, from old: Timestamp) {
        change(like.news) {
            _ = measure.remove(like.news, at: old)
            weights[Int(like.news)] = measure.add(like.news, at: like.at)
        }
    }

    package func newsAdded(_ added: FoldedNews) {
        setUp(added.handle, added.stored)
        order.insert(added.handle, at: place(of: added.handle, added.stored))
    }

    package func newsUpdated(_ updated: FoldedNews, from old: StoredNews) {
        change(updated.handle) { news[Int(updated.handle)] = updated.stored }
    }

    package func newsRemovalStarted(_ removed: FoldedNews) {
        change(removed.handle) { setUp(removed.handle, nil) }
    }

    package func newsRemoved(_ removed: FoldedNews) {}

    package func userRemoved(_ user: UInt32, sequence: UInt64) {}
}
