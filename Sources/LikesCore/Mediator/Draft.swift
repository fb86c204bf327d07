/// The events of one commit while they are being decided, and what they would change.
///
/// Commands are decided against the state *and* the draft, so that of fifty equal likes in one batch just one
/// changes something. Nothing else sees a draft before it is durable: a failed commit drops it.
struct Draft {
    /// The state's position when the draft was begun.
    private let base: UInt64
    private(set) var events: [LikeEvent] = []
    /// News that are made, replaced, removed or merged in this draft: the new description, or nil for the latter two.
    private var changedNews: [NewsID: News?] = [:]
    /// Who comes to be the author of a news in this draft, or is it no longer.
    private var changedAuthors: Set<UserID> = []
    /// Users who are forgotten in this draft.
    private var forgottenUsers: Set<UserID> = []
    /// News into which others are merged from this draft on, with the handles of those.
    private var mergesBegun: [NewsID: [UInt32]] = [:]
    private var steps = 0
    private(set) var tally = LikeTally()
    /// Likes that are different from the state: the time of the like, or nil when it was taken back.
    private var likes: DraftTable<Timestamp?>
    /// How many more likes a news has than in the state.
    private var likesOfNews: DraftTable<Int64>
    /// How many more likes a user gave than in the state.
    private var likesByUser: DraftTable<Int64>
    /// How much larger the `baseLikes` of a news are than in the state.
    private var baseOfNews: [UInt32: Int64] = [:]
    /// Handles for users and news that the state does not know, counted down from `newHandles`; they mean nothing outside.
    private var newUsers: [UserID: UInt32] = [:]
    private var newNews: [NewsID: UInt32] = [:]

    /// Events after which it is full.
    private let limit: Int

    /// The highest handle that a user or a news can have.
    private static let newHandles = HandleIndex.none - 1

    /// - Parameters:
    ///   - hashKey: the state's.
    ///   - expected: events for which there shall be room at once.
    init(position: UInt64, hashKey: HashKey, expecting expected: Int = 0, limit: Int = Limits.eventsPerCommit) {
        base = position
        self.limit = limit
        let room = min(expected, limit)
        events.reserveCapacity(room)
        likes = DraftTable(filler: nil, hashKey: hashKey, expecting: room)
        likesOfNews = DraftTable(filler: 0, hashKey: hashKey, expecting: room)
        likesByUser = DraftTable(filler: 0, hashKey: hashKey, expecting: room)
    }

    /// The sequence of the last event, or of the state when there is none.
    var sequence: UInt64 { base + UInt64(events.count) }

    /// Whether a round should not get any longer. Steps that change nothing count too: they take time as well.
    var isFull: Bool { events.count >= limit || steps >= Limits.stepsPerCommit }

    /// Counts a decision.
    mutating func noteStep() { steps += 1 }

    /// Counts a like, or an unlike, that changes nothing.
    mutating func noteUnchanged(liked: Bool) {
        if liked { tally.unchangedLikes += 1 } else { tally.unchangedUnlikes += 1 }
    }

    /// A handle for a user whom neither the state nor the draft knows.
    mutating func addUser(_ id: UserID) -> UInt32 {
        let handle = Self.newHandles - UInt32(newUsers.count)
        newUsers[id] = handle
        return handle
    }

    /// A handle for a user, if the state or the draft knows it.
    func knownUser(_ id: UserID, in state: LikesState) -> UInt32? { state.users.find(id) ?? newUsers[id] }

    private func isNew(user: UInt32) -> Bool { Self.newHandles - user < UInt32(newUsers.count) }

    /// The handle of a news that exists in the state or by this draft.
    func news(_ id: NewsID, in state: LikesState) -> UInt32? { state.catalog.find(id) ?? newNews[id] }

    private func isNew(news: UInt32) -> Bool { Self.newHandles - news < UInt32(newNews.count) }

    /// When the user liked the news, if it does.
    func likedAt(news: UInt32, user: UInt32, in state: LikesState) -> Timestamp? {
        if let change = likes[Self.key(news, user)] { return change }
        return isNew(user: user) || isNew(news: news) ? nil : state.log.likedAt(news: news, user: user)
    }

    /// Whether likes of this news are set or taken back in this draft, also when they cancel out in its count.
    func changesLikes(of news: UInt32) -> Bool { likesOfNews[news] != nil }

    func likesCount(_ news: UInt32, in state: LikesState) -> Int64 {
        (isNew(news: news) ? 0 : state.detail.likesCount(news)) + (baseOfNews[news] ?? 0) + (likesOfNews[news] ?? 0)
    }

    func numberOfGivenLikes(_ user: UInt32, in state: LikesState) -> Int64 {
        (isNew(user: user) ? 0 : state.profile.numberOfGivenLikes(user)) + (likesByUser[user] ?? 0)
    }

    /// Whether this would be the user's first like of the news, as far as is known.
    private func isFirstTime(news: UInt32, user: UInt32, in state: LikesState) -> Bool {
        if likes[Self.key(news, user)] != nil { return false }
        return isNew(user: user) || isNew(news: news)
            || !state.withdrawn.contains(serial: state.catalog[news].serial, user: user)
    }

    /// Writes down that a like is set (`likedAt`) or taken back (nil).
    ///
    /// - Parameter isMoved: whether it comes from a news that is merged into this one, and so is nobody's first.
    mutating func setLike(
        _ request: (news: NewsID, user: UserID), news: UInt32, user: UInt32, likedAt: Timestamp?, now: Timestamp,
        operationID: OperationID?, isMoved: Bool = false, in state: LikesState
    ) {
        let firstTime = likedAt != nil && !isMoved && isFirstTime(news: news, user: user, in: state)
        let difference: Int64 = likedAt == nil ? -1 : 1
        likes.set(likedAt, Self.key(news, user))
        likesOfNews.add(difference, to: news)
        likesByUser.add(difference, to: user)
        let change = LikeChange(
            news: request.news, user: request.user, likesCount: likesCount(news, in: state),
            numberOfGivenLikes: numberOfGivenLikes(user, in: state), firstTime: firstTime)
        append(likedAt == nil ? .likeRemoved(change) : .likeAdded(change), at: likedAt ?? now, operationID)
    }

    /// Writes down that a like gets another time.
    mutating func redateLike(
        _ request: (news: NewsID, user: UserID), news: UInt32, user: UInt32, to at: Timestamp,
        operationID: OperationID?, in state: LikesState
    ) {
        likes.set(at, Self.key(news, user))
        let change = LikeChange(
            news: request.news, user: request.user, likesCount: likesCount(news, in: state),
            numberOfGivenLikes: numberOfGivenLikes(user, in: state), firstTime: false)
        append(.likeRedated(change), at: at, operationID)
    }

    /// Whether the user has a like that is still to go over to this news, into which its own is being merged.
    func isMoving(user: UInt32, to target: NewsID, in state: LikesState) -> Bool {
        if mergesBegun.isEmpty, state.redirects.isEmpty { return false }
        // A large merge that begins in this draft has not moved all likes when the next command is decided.
        return (state.newsMerging(into: target) + (mergesBegun[target] ?? []))
            .contains { likedAt(news: $0, user: user, in: state) != nil }
    }

    /// Whether likes of this user are set or taken back in this draft.
    func changesLikes(by user: UserID, in state: LikesState) -> Bool {
        knownUser(user, in: state).map { likesByUser[$0] != nil } ?? false
    }

    /// Whether a like of this news has to wait, since its removal or merge begins in this draft. Later on it is gone.
    func removes(_ id: NewsID, in state: LikesState) -> Bool {
        guard !changedNews.isEmpty, case .some(nil) = changedNews[id] else { return false }
        return state.catalog.findStored(id).map { !state.catalog.isLeaving($0) } ?? true
    }

    /// What the draft does to a news: nil when nothing, `.some(nil)` when it is removed or merged.
    func change(of id: NewsID) -> News?? { changedNews.isEmpty ? nil : changedNews[id] }

    /// What is said of a news that exists for callers, in the state and after this draft; nil for one that does not.
    func description(of id: NewsID, in state: LikesState) -> News? {
        if let change = change(of: id) { return change }
        return state.catalog.find(id).map { state.catalog[$0].news }
    }

    /// Reserves a news for its removal or merge by one command; false when the draft changes it already.
    mutating func claim(_ id: NewsID) -> Bool {
        guard changedNews[id] == nil else { return false }
        changedNews[id] = .some(nil)
        return true
    }

    /// Writes down that a user, who has no likes left, is forgotten.
    mutating func forget(_ id: UserID, at: Timestamp, _ operationID: OperationID?) {
        forgottenUsers.insert(id)
        append(.userRemoved(id), at: at, operationID)
    }

    /// Whether a user is forgotten in this draft: a like by it has to wait, since it is nobody's any more.
    func forgets(_ id: UserID) -> Bool { !forgottenUsers.isEmpty && forgottenUsers.contains(id) }

    /// Writes down that a merge begins.
    ///
    /// - Parameter old: the handle of the news whose likes go over.
    mutating func beginMerge(_ old: UInt32, into target: NewsID, now: Timestamp, in state: LikesState) {
        let news = state.catalog[old].news
        if let author = news.author { changedAuthors.insert(author) }
        mergesBegun[target, default: []].append(old)
        append(.newsMergeStarted(news.id, into: target), at: now, nil)
    }

    /// Whether a merge into this news has begun and is not known to have ended: it must neither go nor be merged.
    func isMergeTarget(_ id: NewsID, in state: LikesState) -> Bool {
        mergesBegun[id] != nil || !state.newsMerging(into: id).isEmpty
    }

    /// Writes down that a news is made, or replaced.
    ///
    /// - Parameter old: what it was, in the state or by this draft; nil when it is new.
    mutating func setNews(
        _ news: News, replacing old: News?, now: Timestamp, operationID: OperationID?, in state: LikesState
    ) {
        changedNews[news.id] = news
        if let author = old?.author { changedAuthors.insert(author) }
        if let author = news.author { changedAuthors.insert(author) }
        let handle = self.news(news.id, in: state) ?? Self.newHandles - UInt32(newNews.count)
        if old == nil { newNews[news.id] = handle }
        baseOfNews[handle, default: 0] += news.baseLikes - (old?.baseLikes ?? 0)
        let change = NewsChange(news: news, likesCount: likesCount(handle, in: state))
        append(old == nil ? .newsAdded(change) : .newsUpdated(change), at: now, operationID)
    }

    /// Writes down that the removal of a news begins.
    mutating func beginRemoval(_ news: News, at: Timestamp) {
        if let author = news.author { changedAuthors.insert(author) }
        append(.newsRemovalStarted(news.id), at: at, nil)
    }

    /// Whether this draft may have made a user an author, or made it one no longer.
    func changesAuthor(_ user: UserID) -> Bool { !changedAuthors.isEmpty && changedAuthors.contains(user) }

    /// Writes down an event as it is: a step of a removal or merge, which nothing in the draft is decided on.
    mutating func append(_ change: LikeEvent.Change, at: Timestamp, _ operationID: OperationID?) {
        switch change {
        case .likeAdded: tally.likes += 1
        case .likeRemoved: tally.unlikes += 1
        default: break
        }
        events.append(LikeEvent(sequence: sequence + 1, at: at, operationID: operationID, change: change))
    }

    private static func key(_ news: UInt32, _ user: UInt32) -> UInt64 { UInt64(news) << 32 | UInt64(user) }
}
