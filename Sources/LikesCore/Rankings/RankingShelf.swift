internal import Synchronization

/// An order of the feed that is made when it is asked for.
package enum RankingName: Sendable, Hashable {
    /// By the likes, each worth half as much after every half-life.
    case trending(HalfLife)
    /// By the number of likes that were set at a moment or later.
    case likes(since: Timestamp)

    /// For how long it is kept when nobody asks for it.
    fileprivate var keptMilliseconds: Int64 {
        switch self {
        case .trending: Limits.trendingKeptMilliseconds
        case .likes: Limits.windowKeptMilliseconds
        }
    }
}

/// The rankings that there are at the moment, and the tapes that run for those that are being made.
///
/// To the state it is one more projection; it tells all of them of every change.
final class RankingShelf: LikeProjection {
    /// A ranking with the time at which it was asked for last.
    private final class Entry {
        let ranking: any Ranking
        /// Monotonic milliseconds; readers set it, many at a time.
        let askedAt: Atomic<Int64>

        init(_ ranking: any Ranking, askedAt: Int64) {
            self.ranking = ranking
            self.askedAt = Atomic(askedAt)
        }
    }

    private var entries: [RankingName: Entry] = [:]
    /// All who are told: the rankings and the tapes.
    private var followers: [any LikeProjection] = []

    /// How many are told of every change.
    var followerCount: Int { followers.count }

    /// Whether a ranking is there.
    func has(_ name: RankingName) -> Bool { entries[name] != nil }

    /// A ranking that somebody asks for, if it is there.
    ///
    /// - Parameter now: monotonic milliseconds.
    func ask(for name: RankingName, now: Int64) -> (any Ranking)? {
        guard let entry = entries[name] else { return nil }
        entry.askedAt.store(now, ordering: .relaxed)
        return entry.ranking
    }

    /// Takes in a ranking.
    func put(_ ranking: any Ranking, as name: RankingName, now: Int64) {
        entries[name] = Entry(ranking, askedAt: now)
        followers.append(ranking)
    }

    /// Whether there is a ranking that nobody has asked for in a while.
    func hasUnasked(now: Int64) -> Bool { entries.contains { isUnasked($0.key, $0.value, now) } }

    /// Lets go of the rankings that nobody has asked for in a while.
    func dropUnasked(now: Int64) {
        for (name, entry) in entries where isUnasked(name, entry, now) {
            entries[name] = nil
            followers.removeAll { $0 === entry.ranking }
        }
    }

    private func isUnasked(_ name: RankingName, _ entry: Entry, _ now: Int64) -> Bool {
        entry.askedAt.load(ordering: .relaxed) + name.keptMilliseconds <= now
    }

    /// Begins to record all changes.
    func begin(_ tape: FoldTape) { followers.append(tape) }

    /// Ends a recording.
    func end(_ tape: FoldTape) { followers.removeAll { $0 === tape } }

    package func likeAdded(_ like: FoldedLike) {
        for follower in followers { follower.likeAdded(like) }
    }

    package func likeRemoved(_ like: FoldedLike) {
        for follower in followers { follower.likeRemoved(like) }
    }

    package func likeRedated(_ like: FoldedLike, from old: Timestamp) {
        for follower in followers { follower.likeRedated(like, from: old) }
    }

    package func newsAdded(_ news: FoldedNews) {
        for follower in followers { follower.newsAdded(news) }
    }

    package func newsUpdated(_ news: FoldedNews, from old: StoredNews) {
        for follower in followers { follower.newsUpdated(news, from: old) }
    }

    package func newsRemovalStarted(_ news: FoldedNews) {
        for follower in followers { follower.newsRemovalStarted(news) }
    }

    package func newsRemoved(_ news: FoldedNews) {
        for follower in followers { follower.newsRemoved(news) }
    }

    package func userRemoved(_ user: UInt32, sequence: UInt64) {
        for follower in followers { follower.userRemoved(user, sequence: sequence) }
    }
}
