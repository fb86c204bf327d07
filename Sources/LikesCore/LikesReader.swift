package import Threading

/// What callers read: views of feed, detail, profile and the lists, each a consistent copy.
package struct LikesReader: Sendable {
    private let shared: SharedLikes
    private let monotonicClock: Clock
    /// The journal's name, for tokens.
    package let epoch: Epoch

    /// - Parameter monotonicClock: milliseconds that only grow: when a ranking was asked for.
    package init(_ shared: SharedLikes, epoch: Epoch, monotonicClock: Clock = .monotonic) {
        self.shared = shared
        self.epoch = epoch
        self.monotonicClock = monotonicClock
    }

    /// The sequence of the last event that is folded.
    package var position: UInt64 { shared.read { $0.position } }

    /// How much there is.
    package var totals: Totals {
        shared.read { state in
            Totals(
                news: state.catalog.count, users: state.users.knownCount, likes: Int(state.log.count),
                position: state.position)
        }
    }

    /// Everything as it is now, to be read while the service goes on.
    package func frozen() -> FrozenLikes { FrozenLikes(shared) }

    /// One news, or nil when it does not exist.
    package func detail(_ id: NewsID, viewer: UserID?) -> NewsDetail? {
        shared.read { state in
            guard let handle = state.catalog.find(id) else { return nil }
            let newest = state.log.part(
                .ofNews, of: handle, before: nil, limit: Limits.newestLikers, steps: Limits.chainSteps)
            let viewer = viewer.map { Viewer($0, in: state) }
            return NewsDetail(
                entry: Self.entry(handle, count: state.detail.likesCount(handle), viewer: viewer, in: state),
                newestLikers: newest.likes.map { Liker(user: state.users.id(of: $0.handle), likedAt: $0.at) },
                sequence: state.detail.changedAt(handle), position: state.position)
        }
    }

    /// The news into which the one with this id was merged; nil when it was not.
    package func redirect(of id: NewsID) -> NewsID? { shared.read { $0.redirects[id] } }

    /// A page of the feed, behind the last entry of the page before.
    package func feed(_ order: FeedOrder, viewer: UserID?, after: FeedKey?, limit: Int) -> FeedPage {
        shared.read { state in
            let handles = state.feed.page(order, after: after, limit: limit + 1)
            let viewer = viewer.map { Viewer($0, in: state) }
            let entries = handles.prefix(limit).map {
                Self.entry($0, count: state.feed.likesCount($0), viewer: viewer, in: state)
            }
            return FeedPage(
                entries: entries, next: handles.count > limit ? state.feed.key(handles[limit - 1]) : nil,
                sequence: state.feed.changedAt, position: state.position)
        }
    }

    /// Whether a ranking is there.
    package func has(_ ranking: RankingName) -> Bool { shared.read { $0.rankings.has(ranking) } }

    /// What to show for a ranking that is asked for: itself, or while it is not there, but the same window as it was just
    /// before is, that one.
    package func present(_ ranking: RankingName) -> RankingName {
        guard let previous = ranking.previous else { return ranking }
        return shared.read { !$0.rankings.has(ranking) && $0.rankings.has(previous) } ? previous : ranking
    }

    /// A page of the feed in the order of a ranking, behind the last entry of the page before; nil when nobody has had
    /// that ranking made yet, or it is gone again.
    package func feed(_ ranking: RankingName, viewer: UserID?, after: FeedKey?, limit: Int) -> FeedPage? {
        let now = monotonicClock.now()
        return shared.read { state in
            guard let ranking = state.rankings.ask(for: ranking, now: now) else { return nil }
            let ranked = ranking.page(after: after, limit: limit + 1)
            let viewer = viewer.map { Viewer($0, in: state) }
            let entries = ranked.prefix(limit).map { ranked in
                var entry = Self.entry(
                    ranked.handle, count: state.feed.likesCount(ranked.handle), viewer: viewer, in: state)
                entry.weight = ranked.weight
                return entry
            }
            return FeedPage(
                entries: entries, next: ranked.count > limit ? entries.last?.feedKey : nil,
                sequence: state.feed.changedAt, position: state.position)
        }
    }

    /// Who likes a news, newest like first, before the sequence of the last like of the page before; nil when the news
    /// does not exist.
    package func likers(_ id: NewsID, before: UInt64?, limit: Int) -> LikersPage? {
        let owner = { (state: LikesState) in
            state.catalog.find(id).map {
                ChainOwner(handle: $0, serial: state.catalog[$0].serial, changedAt: state.detail.changedAt($0))
            }
        }
        let page = walk(.ofNews, of: owner, before: before, limit: limit) { like, state in
            Liker(user: state.users.id(of: like.handle), likedAt: like.at)
        }
        return page.map {
            LikersPage(likes: $0.views, next: $0.next, sequence: $0.sequence, position: $0.position)
        }
    }

    /// The news that a user likes, newest like first, before the sequence of the last like of the page before. The
    /// entries tell of the likes of `viewer`.
    package func likes(by id: UserID, viewer: UserID? = nil, before: UInt64?, limit: Int) -> UserLikesPage {
        let owner = { (state: LikesState) in
            state.users.find(id).map { ChainOwner(handle: $0, serial: 0, changedAt: state.profile.changedAt($0)) }
        }
        let page = walk(.ofUser, of: owner, before: before, limit: limit) { like, state in
            // Likes of a news that is leaving are listed as long as they count, until they are withdrawn or moved.
            let viewer = viewer.map { Viewer($0, in: state) }
            let count = state.detail.likesCount(like.handle)
            return LikedNews(
                entry: Self.entry(like.handle, count: count, viewer: viewer, in: state), likedAt: like.at,
                place: like.sequence, changedAt: state.detail.changedAt(like.handle))
        }
        return UserLikesPage(
            likes: page?.views ?? [], next: page?.next, sequence: page?.sequence ?? 0,
            position: page?.position ?? position)
    }

    /// Whose likes a chain holds, at one moment.
    private struct ChainOwner {
        let handle: UInt32
        /// Tells a news from a later one with the same handle.
        let serial: UInt32
        let changedAt: UInt64
    }

    /// A page of a chain, as it was when its first like was read.
    private struct ChainPage<View> {
        var views: [View] = []
        /// When there is more, the sequence of the last like.
        var next: UInt64?
        let sequence: UInt64
        let position: UInt64
    }

    /// Collects a page of a chain, giving up the lock after a bounded number of steps.
    ///
    /// - Parameters:
    ///   - owner: whose chain it is; nil when it does not exist.
    ///   - view: what to show for a like, under the lock.
    /// - Returns: nil when the owner does not exist, or went while the lock was given up.
    private func walk<View>(
        _ chain: Chain, of owner: (LikesState) -> ChainOwner?, before: UInt64?, limit: Int,
        view: (ListedLike, LikesState) -> View
    ) -> ChainPage<View>? {
        var page: ChainPage<View>?
        var (serial, last): (UInt32?, UInt64?)
        var below = before
        repeat {
            let rest: UInt64? = shared.read { state in
                guard let owner = owner(state), serial == nil || serial == owner.serial else {
                    page = nil
                    return nil
                }
                serial = owner.serial
                var grown = page ?? ChainPage(sequence: owner.changedAt, position: state.position)
                // One more than is wanted tells whether there is a next page.
                let part = state.log.part(
                    chain, of: owner.handle, before: below, limit: limit + 1 - grown.views.count,
                    steps: Limits.chainSteps)
                for like in part.likes {
                    if grown.views.count == limit {
                        grown.next = last
                    } else {
                        grown.views.append(view(like, state))
                        last = like.sequence
                    }
                }
                page = grown
                return grown.next == nil ? part.rest : nil
            }
            below = rest
        } while below != nil
        return page
    }

    /// Since when a user likes a news; nil when it does not. Throws `.newsNotFound`.
    package func like(_ news: NewsID, by user: UserID) throws(Rejection) -> LikeView? {
        try shared.read { state throws(Rejection) in
            guard let handle = state.catalog.find(news) else { throw .newsNotFound }
            guard let user = state.users.find(user), let at = state.log.likedAt(news: handle, user: user) else {
                return nil
            }
            return LikeView(
                likedAt: at, likesCount: state.detail.likesCount(handle), sequence: state.detail.changedAt(handle),
                position: state.position)
        }
    }

    /// One user; any user exists, with zeros until it likes.
    package func profile(_ id: UserID) -> ProfileView {
        shared.read { state in
            let user = state.users.find(id)
            return ProfileView(
                numberOfGivenLikes: user.map { state.profile.numberOfGivenLikes($0) } ?? 0,
                numberOfReceivedLikes: user.map { state.profile.numberOfReceivedLikes($0) } ?? 0,
                sequence: user.map { state.profile.changedAt($0) } ?? 0, position: state.position)
        }
    }

    /// The counts of news, with who of some users likes them: `friends` is nil when none were named. A merged one has
    /// those of the news that it led to.
    package func counts(of news: [NewsID], viewer: UserID?, friends: [UserID]?) -> CountsView {
        var counts: [CountsView.Count] = []
        counts.reserveCapacity(news.count)
        var (sequence, position): (UInt64, UInt64) = (0, self.position)
        // Each news costs a look-up for the viewer and for each friend: the lock is given up in between.
        let slice = max(1, Limits.chainSteps / (2 + (friends?.count ?? 0)))
        for start in stride(from: 0, to: news.count, by: slice) {
            shared.read { state in
                let viewer = viewer.map { Viewer($0, in: state) }
                let friends = friends?.map { (id: $0, viewer: Viewer($0, in: state)) }
                for id in news[start..<min(start + slice, news.count)] {
                    let handle = state.catalog.find(state.resolved(id))
                    counts.append(
                        CountsView.Count(
                            news: id, known: handle != nil,
                            likesCount: handle.map { state.detail.likesCount($0) } ?? 0,
                            viewerLikes: viewer.map { viewer in handle.map { viewer.likes($0, in: state) } ?? false },
                            friends: friends?.filter { friend in
                                handle.map { friend.viewer.likes($0, in: state) } ?? false
                            }.map(\.id)))
                    sequence = max(sequence, handle.map { state.detail.changedAt($0) } ?? 0)
                }
                position = state.position
            }
        }
        return CountsView(counts: counts, sequence: sequence, position: position)
    }

    /// Whose likes are shown: a user, looked up once for a whole page.
    private struct Viewer {
        private let handle: UInt32?

        init(_ id: UserID, in state: LikesState) { handle = state.users.find(id) }

        func likes(_ news: UInt32, in state: LikesState) -> Bool {
            handle.flatMap { state.log.find(news: news, user: $0) } != nil
        }
    }

    private static func entry(_ handle: UInt32, count: Int64, viewer: Viewer?, in state: LikesState) -> NewsEntry {
        NewsEntry(
            stored: state.catalog[handle], likesCount: count, viewerLikes: viewer.map { $0.likes(handle, in: state) })
    }
}
