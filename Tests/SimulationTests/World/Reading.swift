import Threading

@testable import LikesCore

/// Reads what callers can read, and compares it with the model.
struct Reading {
    private let shared: SharedLikes
    private let reader: LikesReader
    private let model: ReferenceModel
    private let pageSize: Int
    private let viewer: UserID

    /// A feed of more news is read completely only now and then.
    private static let longFeed = 60
    private static let manyPeople = 200

    init(_ shared: SharedLikes, _ epoch: Epoch, _ model: ReferenceModel, pageSize: Int, viewer: UserID) {
        self.shared = shared
        reader = LikesReader(shared, epoch: epoch)
        self.model = model
        self.pageSize = pageSize
        self.viewer = viewer
    }

    /// What costs little: the feed, and all that events were about.
    func compareTouched(_ events: [LikeEvent]) throws(Finding) {
        try compare(reader.position, model.position, "the position")
        try compareFeeds(isComplete: false)
        if model.position % Self.positionsPerRankings == 0 { try compareRankings() }
        var news: Set<NewsID> = []
        var users: Set<UserID> = []
        for event in events.suffix(12) {
            switch event.change {
            case .likeAdded(let like), .likeRemoved(let like), .likeRedated(let like):
                news.insert(like.news)
                users.insert(like.user)
            case .newsAdded(let change), .newsUpdated(let change):
                news.insert(change.news.id)
                if let author = change.news.author { users.insert(author) }
            case .newsRemovalStarted(let id), .newsRemoved(let id): news.insert(id)
            case .newsMergeStarted(let id, let target), .newsMerged(let id, let target): news.formUnion([id, target])
            case .userRemoved(let id): users.insert(id)
            }
        }
        for id in news { try compareNews(id) }
        for id in users { try compareUser(id) }
    }

    /// Everything.
    ///
    /// - Parameters:
    ///   - news: ids to ask for beside those that exist.
    ///   - users: ids to ask for beside those that take part.
    func compareAll(news: [NewsID], users: [UserID]) throws(Finding) {
        try compare(reader.position, model.position, "the position")
        try compareFeeds(isComplete: true)
        try compareRankings()
        for id in Set(news).union(model.items.keys).union(model.redirects.keys) { try compareNews(id) }
        for id in Set(users).union(model.people.keys.filter(isAsked)) { try compareUser(id) }
        try compareCounts(of: news, friends: Array(users.prefix(5)))
        let redirects = shared.read { state in state.redirects.pairs.map { [$0.old, $0.target] } }
        let pairs = model.redirects.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
        try compare(redirects, pairs, "all redirects")
        let numbers = shared.read { state in
            [
                Int(state.log.count), state.log.indexedCount, state.feed.count, state.catalog.count,
                state.users.knownCount,
            ]
        }
        let likes = model.items.values.reduce(0) { $0 + $1.likes.count }
        let feed = model.feed.count
        try compare(
            numbers, [likes, likes, feed, feed, model.people.count], "likes, indexed likes, feed, catalogue and users")
    }

    /// Of a crowd, a hundredth is looked at each time: the likes of all are seen in the lists of the news anyway.
    private func isAsked(_ user: UserID) -> Bool {
        guard model.people.count > Self.manyPeople else { return true }
        let end = user.text.utf8.suffix(2)
        return UInt64(end.last ?? 0) % 10 == model.position % 10
            && UInt64(end.first ?? 0) % 10 == model.position / 10 % 10
    }

    // MARK: The rankings

    private static let positionsPerRankings: UInt64 = 16
    private static let rankings: [RankingName] = [
        .trending(HalfLife(milliseconds: 3_600_000)),
        .likes(of: .day, since: Timestamp(milliseconds: 1_700_000_100_000)),
    ]

    /// What the fold has kept since this was called last is what is made anew. After a start there is none.
    private func compareRankings() throws(Finding) {
        for name in Self.rankings {
            guard let fresh = shared.read({ name.ranking(of: $0) { false } }) else { continue }
            guard let kept = shared.read({ $0.rankings.ask(for: name, now: 0) }) else {
                _ = shared.write { $0.rankings.put(fresh, as: name, now: 0) }
                continue
            }
            try compare(Self.words(kept), Self.words(fresh), "\(name)")
        }
    }

    private static func words(_ ranking: any Ranking) -> [String] {
        ranking.page(after: nil, limit: 1_000_000).map { "\($0.handle): \($0.weight)" }
    }

    // MARK: The feed

    private func compareFeeds(isComplete: Bool) throws(Finding) {
        var expected = model.feed
        let isComplete = isComplete || expected.count <= Self.longFeed
        expected.sort { Self.comes($0, before: $1) }
        try compareFeed(.newest, expected, isComplete)
        expected.sort {
            $0.likesCount == $1.likesCount ? Self.comes($0, before: $1) : $0.likesCount > $1.likesCount
        }
        try compareFeed(.top, expected, isComplete)
    }

    private static func comes(_ left: ReferenceModel.Item, before right: ReferenceModel.Item) -> Bool {
        if left.sortTime != right.sortTime { return left.sortTime > right.sortTime }
        return left.news.id.text.utf8.lexicographicallyPrecedes(right.news.id.text.utf8)
    }

    private func compareFeed(
        _ order: FeedOrder, _ expected: [ReferenceModel.Item], _ isComplete: Bool
    ) throws(Finding) {
        var (seen, after): (Int, FeedKey?) = (0, nil)
        let size = isComplete && expected.count > Self.longFeed ? 1_000 : pageSize
        repeat {
            let page = reader.feed(order, viewer: viewer, after: after, limit: size)
            try compare(page.sequence, model.feedChangedAt, "the sequence of the feed")
            for entry in page.entries {
                try require(seen < expected.count, "\(order) has too many news: \(entry.stored.news.id.text)")
                let item = expected[seen]
                let place = "place \(seen) of \(order)"
                try compare(entry.stored.news.id.text, item.news.id.text, place)
                try compareEntry(entry, item, place)
                seen += 1
            }
            after = page.next
        } while after != nil && isComplete
        try require(seen == expected.count || !isComplete, "\(order) has \(seen) of \(expected.count) news")
    }

    private func compareEntry(
        _ entry: NewsEntry, _ item: ReferenceModel.Item, _ place: @autoclosure () -> String
    ) throws(Finding) {
        try compare(entry.stored.news, item.news, place())
        try compare(entry.stored.createdAt, item.createdAt, place() + ", createdAt")
        try compare(entry.likesCount, item.likesCount, place() + ", \(item.news.id.text), likesCount")
        try compare(entry.viewerLikes, item.likes[viewer] != nil, place() + ", viewerLikes")
    }

    // MARK: A news

    private func compareNews(_ id: NewsID) throws(Finding) {
        let item = model.visible(id)
        let detail = reader.detail(id, viewer: viewer)
        let page = reader.likers(id, before: nil, limit: pageSize)
        try compare(reader.redirect(of: id), model.redirects[id], "the redirect of \(id.text)")
        guard let item, let detail else {
            try require(item == nil && detail == nil && page == nil, "\(id.text) is there for one, and not the other")
            return
        }
        try compareEntry(detail.entry, item, "the detail of \(id.text)")
        try compare(detail.sequence, item.changedAt, "the sequence of \(id.text)")
        let expected = item.likes.sorted { $0.value.arrival > $1.value.arrival }
        try compare(
            detail.newestLikers.map(\.user), expected.prefix(Limits.newestLikers).map(\.key),
            "the newest likers of \(id.text)")
        var (seen, before): (Int, UInt64?) = (0, nil)
        let size = expected.count > 100 * pageSize ? 1_000 : pageSize
        repeat {
            guard let page = reader.likers(id, before: before, limit: size) else {
                throw Finding("the likers of \(id.text) are gone")
            }
            for like in page.likes {
                try require(seen < expected.count, "\(id.text) has more likers than its count: \(like.user.text)")
                try compare(like.user, expected[seen].key, "liker \(seen) of \(id.text)")
                try compare(like.likedAt, expected[seen].value.at, "liker \(seen) of \(id.text), likedAt")
                seen += 1
            }
            before = page.next
        } while before != nil
        try compare(Int64(seen), item.likesCount - item.news.baseLikes, "the number of likers of \(id.text)")
        for like in expected.prefix(3) { try compareLike(id, like.key, like.value.at) }
        try compareLike(id, viewer, item.likes[viewer]?.at)
    }

    private func compareLike(_ news: NewsID, _ user: UserID, _ expected: Timestamp?) throws(Finding) {
        let said: Timestamp?
        do throws(Rejection) {
            said = try reader.like(news, by: user)?.likedAt
        } catch {
            throw Finding("the like of \(news.text) by \(user.text): \(error)")
        }
        try compare(said, expected, "the like of \(news.text) by \(user.text)")
    }

    // MARK: A user

    private func compareUser(_ id: UserID) throws(Finding) {
        let profile = reader.profile(id)
        let expected = model.given(by: id)
        try compare(profile.numberOfGivenLikes, Int64(expected.count), "the likes that \(id.text) gave")
        try compare(profile.numberOfReceivedLikes, model.received(by: id), "the likes that \(id.text) received")
        try compare(profile.sequence, model.people[id]?.changedAt ?? 0, "the sequence of \(id.text)")
        var (seen, before): (Int, UInt64?) = (0, nil)
        let size = expected.count > 100 * pageSize ? 1_000 : pageSize
        repeat {
            let page = reader.likes(by: id, before: before, limit: size)
            for like in page.likes {
                try require(seen < expected.count, "\(id.text) likes too much: \(like.news.text)")
                try compare(like.news, expected[seen].news, "like \(seen) by \(id.text)")
                try compare(like.likedAt, expected[seen].like.at, "like \(seen) by \(id.text), likedAt")
                seen += 1
            }
            before = page.next
        } while before != nil
        try compare(seen, expected.count, "the list of the likes of \(id.text)")
    }

    private func compareCounts(of news: [NewsID], friends: [UserID]) throws(Finding) {
        let view = reader.counts(of: news, viewer: viewer, friends: friends)
        let changes = news.compactMap { model.visible(model.resolved($0))?.changedAt }
        try compare(view.sequence, changes.max() ?? 0, "the sequence of the counts")
        let counts = view.counts
        try compare(counts.map(\.news), news, "the counts")
        for count in counts {
            let item = model.visible(model.resolved(count.news))
            let what = "the count of \(count.news.text)"
            try compare(count.known, item != nil, what)
            try compare(count.likesCount, item?.likesCount ?? 0, what)
            try compare(count.viewerLikes, item?.likes[viewer] != nil, what)
            try compare(count.friends, friends.filter { item?.likes[$0] != nil }, what)
        }
    }
}
