/// All that the journal's events add up to: the truth about likes and the three projections of it.
///
/// It changes only in `fold`, in order of sequence; start-up replay, live traffic and the events of other machines
/// go through that one function.
package final class LikesState {
    let catalog: NewsCatalog
    let users: UserTable
    let log: LikeLog
    let feed: FeedProjection
    let detail: DetailProjection
    let profile: ProfileProjection
    /// The orders of the feed that somebody has asked for; frozen copies and snapshots have none.
    let rankings = RankingShelf()
    var withdrawn: WithdrawnLikes
    /// From the beginning of a merge on: a stored news whose id leads to another one is being merged.
    private(set) var redirects: NewsRedirects
    /// The last event that took a like from a news to the one into which it is merged; not kept across restarts.
    private(set) var likesMovedAt: UInt64 = 0
    let key: HashKey

    /// Feed, detail, profile, then the rankings: the order in which they are told.
    private let projections: [any LikeProjection]

    /// The sequence of the last event that is folded; 0 for none.
    package private(set) var position: UInt64 = 0

    /// Likes taken back that may wait to be swept, beside an eighth of those that are there.
    package static let dustLimit = LikeLog.defaultDustLimit

    /// The state before the first event.
    ///
    /// - Parameters:
    ///   - dustLimit: see `LikeLog`; tests make it small.
    ///   - observe: wraps each projection; a test watches the order of calls with it.
    package init(
        dustLimit: UInt32 = LikesState.dustLimit,
        observe: (any LikeProjection) -> any LikeProjection = { $0 }
    ) {
        key = .random()
        catalog = NewsCatalog(key: key)
        users = UserTable(key: key)
        log = LikeLog(dustLimit: dustLimit, key: key)
        feed = FeedProjection(catalog: catalog)
        detail = DetailProjection()
        profile = ProfileProjection()
        withdrawn = WithdrawnLikes(capacity: Limits.withdrawnLikes, key: key)
        redirects = NewsRedirects()
        projections = [observe(feed), observe(detail), observe(profile), rankings]
    }

    /// A copy that shares its memory for as long as neither changes it: cheap, and good to be read for as long as it
    /// takes, by one thread without a lock, while the original goes on.
    init(frozen other: LikesState) {
        key = other.key
        catalog = NewsCatalog(frozen: other.catalog)
        users = UserTable(frozen: other.users)
        log = LikeLog(frozen: other.log)
        feed = FeedProjection(frozen: other.feed, catalog: catalog)
        detail = DetailProjection(frozen: other.detail)
        profile = ProfileProjection(frozen: other.profile)
        withdrawn = other.withdrawn.frozenCopy()
        redirects = other.redirects
        likesMovedAt = other.likesMovedAt
        position = other.position
        projections = [feed, detail, profile, rankings]
    }

    /// The state of a snapshot. `section` is called on two threads, since sections are read side by side.
    ///
    /// - Throws: `.unusable` when it is none that `FrozenLikes.encode` wrote.
    package init(
        dustLimit: UInt32 = LikesState.dustLimit,
        snapshot section: @escaping @Sendable (SnapshotSection) -> SnapshotDecoder
    ) throws(JournalError) {
        let entries = EntriesLoader { section(.entries) }
        defer { entries.wait() }
        var decoder = section(.rest)
        position = try decoder.number(UInt64.self)
        key = try decoder.value(HashKey(first: 0, second: 0))
        users = try UserTable(key: key, from: &decoder)
        catalog = try NewsCatalog(key: key, from: &decoder)
        log = try LikeLog(dustLimit: dustLimit, key: key, from: &decoder)
        feed = try FeedProjection(catalog: catalog, from: &decoder)
        detail = try DetailProjection(from: &decoder)
        profile = try ProfileProjection(from: &decoder)
        withdrawn = try WithdrawnLikes(capacity: Limits.withdrawnLikes, key: key, from: &decoder)
        redirects = try NewsRedirects(from: &decoder)
        projections = [feed, detail, profile, rankings]
        log.take(try entries.ring())
    }

    /// Writes all but the entries of the like log.
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(position)
        try encoder.put(key)
        try users.encode(to: &encoder)
        try catalog.encode(to: &encoder)
        try log.encode(to: &encoder)
        try feed.encode(to: &encoder)
        try detail.encode(to: &encoder)
        try profile.encode(to: &encoder)
        try withdrawn.encode(to: &encoder)
        try redirects.encode(to: &encoder)
    }

    /// Takes an event in. One that was folded before changes nothing.
    ///
    /// - Throws: `FoldError` when the event cannot follow what was folded; the state is then as before.
    package func fold(_ event: LikeEvent) throws(FoldError) {
        guard event.sequence > position else { return }
        guard event.sequence == position + 1 else { throw FoldError(sequence: event.sequence, reason: .gap) }
        do throws(FoldError.Reason) {
            switch event.change {
            case .likeAdded(let like): try addLike(like, event)
            case .likeRemoved(let like): try removeLike(like, event)
            case .newsAdded(let change): try addNews(change, event)
            case .newsUpdated(let change): try updateNews(change, event)
            case .newsRemovalStarted(let id): try beginRemoval(id, event)
            case .newsRemoved(let id): try removeNews(id, event)
            case .userRemoved(let id): try removeUser(id, event)
            case .newsMergeStarted(let id, let target): try beginMerge(id, into: target, event)
            case .likeRedated(let like): try redateLike(like, event)
            case .newsMerged(let id, let target): try endMerge(id, into: target, event)
            }
        } catch {
            throw FoldError(sequence: event.sequence, reason: error)
        }
        position = event.sequence
        // While somebody has a frozen copy, moving entries would mean to copy them first: the sweep waits.
        if !copies.exist { log.sweep(steps: Self.sweepSteps) }
    }

    /// The frozen copies of this state that somebody has.
    let copies = FrozenCopies()

    /// Steps of the sweep with each event: see `LikeLog.sweep(steps:)`.
    private static let sweepSteps = 16

    private func addLike(_ like: LikeChange, _ event: LikeEvent) throws(FoldError.Reason) {
        guard let news = catalog.find(like.news) else { throw .unknownNews }
        let known = users.find(like.user)
        let given = known.map { profile.numberOfGivenLikes($0) } ?? 0
        guard detail.likesCount(news) + 1 == like.likesCount, given + 1 == like.numberOfGivenLikes else {
            throw .wrongCount
        }
        let user = known ?? users.intern(like.user)
        guard log.add(news: news, user: user, at: event.at, sequence: event.sequence) else { throw .repeatedLike }
        let folded = FoldedLike(
            news: news, user: user, author: catalog[news].author, at: event.at, sequence: event.sequence)
        for projection in projections { projection.likeAdded(folded) }
    }

    private func removeLike(_ like: LikeChange, _ event: LikeEvent) throws(FoldError.Reason) {
        guard let news = catalog.findStored(like.news) else { throw .unknownNews }
        guard let user = users.find(like.user) else { throw .unknownLike }
        guard detail.likesCount(news) - 1 == like.likesCount,
            profile.numberOfGivenLikes(user) - 1 == like.numberOfGivenLikes
        else { throw .wrongCount }
        guard let at = log.remove(news: news, user: user) else { throw .unknownLike }
        let stored = catalog[news]
        // Of a news that is being deleted no like will ever be a second one.
        let isLeaving = catalog.isLeaving(news)
        if !isLeaving { withdrawn.remember(serial: stored.serial, user: user) }
        if isLeaving, redirects[like.news] != nil { likesMovedAt = event.sequence }
        let folded = FoldedLike(
            news: news, user: user, author: isLeaving ? nil : stored.author, at: at, sequence: event.sequence)
        for projection in projections { projection.likeRemoved(folded) }
    }

    private func addNews(_ change: NewsChange, _ event: LikeEvent) throws(FoldError.Reason) {
        let news = change.news
        guard catalog.findStored(news.id) == nil else { throw .repeatedNews }
        guard redirects[news.id] == nil else { throw .mergedNews }
        guard change.agrees(with: news.baseLikes) else { throw .wrongCount }
        let author = news.author.map { users.intern($0) }
        let handle = catalog.add(news, createdAt: event.at, author: author)
        let folded = foldedNews(handle, event)
        for projection in projections { projection.newsAdded(folded) }
    }

    private func updateNews(_ change: NewsChange, _ event: LikeEvent) throws(FoldError.Reason) {
        let news = change.news
        guard let handle = catalog.find(news.id) else { throw .unknownNews }
        let old = catalog[handle]
        guard change.agrees(with: detail.likesCount(handle) - old.news.baseLikes + news.baseLikes) else {
            throw .wrongCount
        }
        catalog.update(handle, to: news, author: news.author.map { users.intern($0) })
        let folded = foldedNews(handle, event)
        for projection in projections { projection.newsUpdated(folded, from: old) }
    }

    private func beginRemoval(_ id: NewsID, _ event: LikeEvent) throws(FoldError.Reason) {
        guard let handle = catalog.find(id) else { throw .unknownNews }
        guard newsMerging(into: id).isEmpty else { throw .wrongMerge }
        let folded = foldedNews(handle, event)
        for projection in projections { projection.newsRemovalStarted(folded) }
        catalog.beginRemoval(handle)
        redirects.free(leadingTo: id)
    }

    private func removeNews(_ id: NewsID, _ event: LikeEvent) throws(FoldError.Reason) {
        guard redirects[id] == nil else { throw .wrongMerge }
        try endLeaving(id, event)
    }

    /// The end of a removal or a merge.
    private func endLeaving(_ id: NewsID, _ event: LikeEvent) throws(FoldError.Reason) {
        guard let handle = catalog.findStored(id), catalog.isLeaving(handle) else { throw .unknownNews }
        guard log.count(.ofNews, of: handle) == 0 else { throw .wrongCount }
        let folded = foldedNews(handle, event)
        for projection in projections { projection.newsRemoved(folded) }
        catalog.remove(handle)
    }

    private func removeUser(_ id: UserID, _ event: LikeEvent) throws(FoldError.Reason) {
        guard let user = users.find(id) else { throw .unknownUser }
        guard log.count(.ofUser, of: user) == 0 else { throw .wrongCount }
        for projection in projections { projection.userRemoved(user, sequence: event.sequence) }
        // Of an author the id stands in the news that it wrote, too.
        if !profile.isAuthor(user) { users.erase(user) }
    }

    private func beginMerge(_ id: NewsID, into target: NewsID, _ event: LikeEvent) throws(FoldError.Reason) {
        guard let handle = catalog.find(id), let targetHandle = catalog.find(target) else { throw .unknownNews }
        guard id != target, newsMerging(into: id).isEmpty else { throw .wrongMerge }
        let folded = foldedNews(handle, event)
        // What the old id shows is the target's from here on: it has to count as changed.
        let foldedTarget = foldedNews(targetHandle, event)
        for projection in projections {
            projection.newsRemovalStarted(folded)
            projection.newsUpdated(foldedTarget, from: foldedTarget.stored)
        }
        catalog.beginRemoval(handle)
        redirects.add(id, to: target)
    }

    private func redateLike(_ like: LikeChange, _ event: LikeEvent) throws(FoldError.Reason) {
        guard let news = catalog.find(like.news) else { throw .unknownNews }
        guard let user = users.find(like.user), let at = log.likedAt(news: news, user: user) else {
            throw .unknownLike
        }
        guard detail.likesCount(news) == like.likesCount,
            profile.numberOfGivenLikes(user) == like.numberOfGivenLikes
        else { throw .wrongCount }
        guard event.at < at else { throw .wrongTime }
        log.redate(news: news, user: user, at: event.at)
        let folded = FoldedLike(
            news: news, user: user, author: catalog[news].author, at: event.at, sequence: event.sequence)
        for projection in projections { projection.likeRedated(folded, from: at) }
    }

    private func endMerge(_ id: NewsID, into target: NewsID, _ event: LikeEvent) throws(FoldError.Reason) {
        guard redirects[id] == target else { throw .wrongMerge }
        try endLeaving(id, event)
    }

    /// The handles of the news whose merges into this one are under way.
    func newsMerging(into target: NewsID) -> [UInt32] {
        guard redirects.lead(to: target) else { return [] }
        return catalog.leavingHandles.filter { redirects[catalog[$0].news.id] == target }
    }

    /// The id that callers mean by an id: that of the news into which it was merged, else itself.
    func resolved(_ id: NewsID) -> NewsID { redirects[id] ?? id }

    private func foldedNews(_ handle: UInt32, _ event: LikeEvent) -> FoldedNews {
        FoldedNews(
            handle: handle, stored: catalog[handle], likers: Int64(log.count(.ofNews, of: handle)),
            sequence: event.sequence)
    }
}

/// An event that cannot follow what was folded: the journal is damaged, or another program wrote it.
package struct FoldError: Error, Equatable {
    /// The sequence of the event.
    package let sequence: UInt64
    /// What is wrong with it.
    package let reason: Reason

    /// What is wrong with the event.
    package enum Reason: String, Error {
        case gap = "the event before it is missing"
        case unknownNews = "it is about a news that is not there"
        case repeatedNews = "it makes a news that is there already"
        case unknownUser = "it is about a user that is not there"
        case unknownLike = "it takes back a like that is not there"
        case repeatedLike = "it adds a like that is there already"
        case wrongCount = "its count is not the number of likes"
        case mergedNews = "it makes a news whose id leads to another one"
        case wrongMerge = "it does not fit the merges that were begun"
        case wrongTime = "its time is not earlier than before"
    }
}
