internal import Synchronization

/// An order of the feed that is made when it is asked for.
package enum RankingName: Sendable, Hashable {
    /// By the likes, each worth half as much after every half-life.
    case trending(HalfLife)
    /// By the number of likes of a window, which began at a moment.
    case likes(of: FeedWindow, since: Timestamp)

    /// The same as it was one beginning of its window before.
    package var previous: RankingName? {
        guard case .likes(let window, let start) = self else { return nil }
        let earlier = Timestamp(milliseconds: start.milliseconds - window.bucketMilliseconds)
        return .likes(of: window, since: earlier)
    }

    /// Whether both are about the same window, and this one is too old to be shown once the other is there.
    fileprivate func isOutdated(by other: RankingName) -> Bool {
        guard case .likes(let window, let start) = self, case .likes(window, let previous)? = other.previous else {
            return false
        }
        return start < previous
    }

    /// For how long it is kept when nobody asks for it.
    fileprivate var keptMilliseconds: Int64 {
        switch self {
        case .likes(.day, _): Limits.dayKeptMilliseconds
        case .trending, .likes: Limits.rankingKeptMilliseconds
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

    /// Takes in a ranking. Of the same window, the one that began just before stays, and no older one.
    ///
    /// - Returns: what it lets go of: releasing a large one takes a while, and nobody shall wait for that.
    @discardableResult
    func put(_ ranking: any Ranking, as name: RankingName, now: Int64) -> [any Ranking] {
        let dropped = remove { other, _ in other.isOutdated(by: name) }
        entries[name] = Entry(ranking, askedAt: now)
        followers.append(ranking)
        return dropped
    }

    /// Whether there is a ranking that nobody has asked for in a while.
    func hasUnasked(now: Int64) -> Bool { entries.contains { isUnasked($0.key, $0.value, now) } }

    /// Lets go of the rankings that nobody has asked for in a while, and returns them.
    func dropUnasked(now: Int64) -> [any Ranking] { remove { isUnasked($0, $1, now) } }

    private func remove(where isUnwanted: (RankingName, Entry) -> Bool) -> [any Ranking] {
        let unwanted = entries.filter { isUnwanted($0.key, $0.value) }
        for (name, entry) in unwanted {
            entries[name] = nil
            followers.removeAll { $0 === entry.ranking }
        }
        return unwanted.values.map(\.ranking)
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
