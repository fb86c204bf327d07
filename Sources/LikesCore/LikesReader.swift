internal import Threading

/// What callers read: views of feed, detail, profile and the lists, each a consistent copy.
package struct LikesReader: Sendable {
    private let shared: SharedLikes
    /// The journal's name, for tokens.
    package let epoch: Epoch

    package init(_ shared: SharedLikes, epoch: Epoch) {
        self.shared = shared
        self.epoch = epoch
    }

    /// The sequence of the last event that is folded.
    package var position: UInt64 { shared.read { $0.position } }

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

    /// A page of the feed.
    ///
    /// - Parameter after: the last entry of the page before.
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

    /// Who likes a news, newest like first; nil when the news does not exist.
    ///
    /// - Parameter before: the sequence of the last like of the page before.
    package func likers(_ id: NewsID, before: UInt64?, limit: Int) -> LikersPage? {
        let first = shared.read { state in
            state.catalog.find(id).map {
                ($0, state.catalog[$0].serial, state.detail.changedAt($0), state.position)
            }
        }
        guard let (handle, serial, sequence, position) = first else { return nil }
        let view = { (like: ListedLike, state: LikesState) in
            Liker(user: state.users.id(of: like.handle), likedAt: like.at)
        }
        // The news may go while the lock is given up, and its handle be used again.
        let isThere = { (state: LikesState) in
            state.catalog.find(id) == handle && state.catalog[handle].serial == serial
        }
        guard
            let (likes, next) = walk(
                .ofNews, of: handle, before: before, limit: limit, view: view, while: isThere)
        else { return nil }
        return LikersPage(likes: likes, next: next, sequence: sequence, position: position)
    }

    /// The news that a user likes, newest like first.
    ///
    /// - Parameter before: the sequence of the last like of the page before.
    package func likes(by id: UserID, before: UInt64?, limit: Int) -> UserLikesPage {
        let (user, sequence, position) = shared.read { state in
            let user = state.users.find(id)
            return (user, user.map { state.profile.changedAt($0) } ?? 0, state.position)
        }
        guard let user else { return UserLikesPage(likes: [], next: nil, sequence: sequence, position: position) }
        let page = walk(.ofUser, of: user, before: before, limit: limit) { like, state in
            // Likes of a news that is being deleted are listed as long as they count, until they are withdrawn.
            LikedNews(news: state.catalog[like.handle].news.id, likedAt: like.at)
        }
        return UserLikesPage(likes: page?.views ?? [], next: page?.next, sequence: sequence, position: position)
    }

    /// Collects a page of a chain, giving up the lock after a bounded number of steps.
    ///
    /// - Parameters:
    ///   - view: what to show for a like, under the lock.
    ///   - isThere: whether `owner` is still what it was.
    /// - Returns: the page, and when there is more, the sequence of its last like; nil when the owner is gone.
    private func walk<View>(
        _ chain: Chain, of owner: UInt32, before: UInt64?, limit: Int, view: (ListedLike, LikesState) -> View,
        while isThere: (LikesState) -> Bool = { _ in true }
    ) -> (views: [View], next: UInt64?)? {
        var views: [View] = []
        var last: UInt64?
        var below = before
        repeat {
            var (isGone, hasMore) = (false, false)
            let rest: UInt64? = shared.read { state in
                guard isThere(state) else {
                    isGone = true
                    return nil
                }
                let part = state.log.part(
                    chain, of: owner, before: below, limit: limit + 1 - views.count, steps: Limits.chainSteps)
                for like in part.likes {
                    if views.count == limit {
                        hasMore = true
                    } else {
                        views.append(view(like, state))
                        last = like.sequence
                    }
                }
                return part.rest
            }
            if isGone { return nil }
            if hasMore { return (views, last) }
            below = rest
        } while below != nil
        return (views, nil)
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
