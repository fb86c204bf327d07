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
    /// By handle, what decides on nearly every place: at hand, without a look at the news.
    private var weights: ContiguousArray<Int64> = []
    private var times: ContiguousArray<Timestamp> = []
    private var order = OrderedHandles()

    /// The ranking of the news and likes of a state; takes a while when there are many.
    ///
    /// - Parameter isCancelled: asked now and then; when it says yes, the ranking is nil.
    init?(of state: LikesState, by measure: Measure, isCancelled: () -> Bool) {
        self.measure = measure
        var steps = 0
        func goesOn() -> Bool {
            steps += 1
            return steps % Limits.rankingStepsPerCheck != 0 || !isCancelled()
        }
        for handle in 0..<UInt32(state.catalog.handleCount) {
            setUp(handle, state.catalog.isLeaving(handle) ? nil : state.catalog.stored(handle))
            guard goesOn() else { return nil }
        }
        var isWhole = true
        state.log.forEachLike { like in
            if news[Int(like.news)] != nil { self.measure.add(like.news, at: like.at) }
            isWhole = goesOn()
            return isWhole
        }
        guard isWhole, !isCancelled() else { return nil }
        for index in news.indices where news[index] != nil { weights[index] = self.measure.weight(of: UInt32(index)) }
        order = OrderedHandles(sortedHandles())
    }

    private func setUp(_ handle: UInt32, _ stored: StoredNews?) {
        news.set(handle, to: stored, filler: nil)
        weights.set(handle, to: 0, filler: 0)
        times.set(handle, to: stored?.sortTime ?? Self.noTime, filler: Self.noTime)
        measure.clear(handle)
    }

    private static var noTime: Timestamp { Timestamp(milliseconds: 0) }

    private func sortedHandles() -> [UInt32] {
        let keyed = news.indices.filter { news[$0] != nil }.map { index in
            (weight: weights[index], time: times[index], handle: UInt32(index))
        }
        return keyed.sorted { left, right in
            if left.weight != right.weight { return left.weight > right.weight }
            return left.time == right.time ? id(left.handle) < id(right.handle) : left.time > right.time
        }.map(\.handle)
    }

    func page(after: FeedKey?, limit: Int) -> [RankedNews] {
        let start = order.position { handle in after.map { comes(handle, before: $0) || key(handle) == $0 } ?? false }
        return order.entries(after: start, limit: limit).map {
            RankedNews(handle: $0, weight: weights[Int($0)])
        }
    }

    private func id(_ handle: UInt32) -> NewsID {
        guard let stored = news[Int(handle)] else { preconditionFailure("a handle of no news stands in the order") }
        return stored.news.id
    }

    private func key(_ handle: UInt32) -> FeedKey {
        FeedKey(weight: weights[Int(handle)], sortTime: times[Int(handle)], id: id(handle))
    }

    private func comes(_ handle: UInt32, before key: FeedKey) -> Bool {
        if weights[Int(handle)] != key.weight { return weights[Int(handle)] > key.weight }
        return times[Int(handle)] == key.sortTime ? id(handle) < key.id : times[Int(handle)] > key.sortTime
    }

    private func place(of handle: UInt32) -> OrderedHandles.Position {
        let key = key(handle)
        return order.position { comes($0, before: key) }
    }

    /// Whether a news is in the order. The likes of one that is leaving are taken back one by one, and weigh nothing.
    private func isThere(_ handle: UInt32) -> Bool { Int(handle) < news.count && news[Int(handle)] != nil }

    // MARK: The fold

    /// Gives a news the weight that its likes have by now, and the place that goes with it.
    private func weigh(_ handle: UInt32) {
        let (old, weight) = (weights[Int(handle)], measure.weight(of: handle))
        guard weight != old else { return }
        let position = place(of: handle)
        weights[Int(handle)] = weight
        // Most likes change no order: the neighbour is still on its side.
        let key = key(handle)
        if weight > old, order.entry(before: position).map({ comes($0, before: key) }) ?? true { return }
        order.remove(after: position)
        order.insert(handle, at: place(of: handle))
    }

    package func likeAdded(_ like: FoldedLike) {
        guard isThere(like.news) else { return }
        measure.add(like.news, at: like.at)
        weigh(like.news)
    }

    package func likeRemoved(_ like: FoldedLike) {
        guard isThere(like.news) else { return }
        measure.remove(like.news, at: like.at)
        weigh(like.news)
    }

    package func likeRedated(_ like: FoldedLike, from old: Timestamp) {
        guard isThere(like.news) else { return }
        measure.remove(like.news, at: old)
        measure.add(like.news, at: like.at)
        weigh(like.news)
    }

    package func newsAdded(_ added: FoldedNews) {
        setUp(added.handle, added.stored)
        order.insert(added.handle, at: place(of: added.handle))
    }

    package func newsUpdated(_ updated: FoldedNews, from old: StoredNews) {
        order.remove(after: place(of: updated.handle))
        news[Int(updated.handle)] = updated.stored
        times[Int(updated.handle)] = updated.stored.sortTime
        order.insert(updated.handle, at: place(of: updated.handle))
    }

    package func newsRemovalStarted(_ removed: FoldedNews) {
        order.remove(after: place(of: removed.handle))
        setUp(removed.handle, nil)
    }

    package func newsRemoved(_ removed: FoldedNews) {}

    package func userRemoved(_ user: UInt32, sequence: UInt64) {}
}
