/// The events of one commit while they are being decided, and what they would change.
///
/// Commands are decided against the state *and* the draft, so that of fifty equal likes in one batch just one
/// changes something. Nothing else sees a draft before it is durable: a failed commit drops it.
struct Draft {
    /// The state's position when the draft was begun.
    private let base: UInt64
    private(set) var events: [LikeEvent] = []
    /// News that are made, replaced or removed in this draft: the new description, or nil for a removal.
    private var changedNews: [NewsID: News?] = [:]
    private var steps = 0
    /// Likes that are different from the state: the time of the like, or nil when it was taken back.
    private var likes: [UInt64: Timestamp?] = [:]
    /// How many more likes a news has than in the state.
    private var likesOfNews: [UInt32: Int64] = [:]
    /// How many more likes a user gave than in the state.
    private var likesByUser: [UInt32: Int64] = [:]
    /// Handles for users that the state does not know, counted down from the highest; they mean nothing outside.
    private var newUsers: [UserID: UInt32] = [:]

    init(position: UInt64) { base = position }

    /// The sequence of the last event, or of the state when there is none.
    var sequence: UInt64 { base + UInt64(events.count) }

    /// Whether a round should not get any longer. Steps that change nothing count too: they take time as well.
    var isFull: Bool { events.count >= Limits.eventsPerCommit || steps >= Limits.stepsPerCommit }

    /// Counts a decision.
    mutating func noteStep() { steps += 1 }

    /// A handle for a user in this draft.
    mutating func user(_ id: UserID, in state: LikesState) -> UInt32 {
        if let known = state.users.find(id) ?? newUsers[id] { return known }
        let handle = UInt32.max - UInt32(newUsers.count)
        newUsers[id] = handle
        return handle
    }

    /// A handle for a user, if the state or the draft knows it.
    func knownUser(_ id: UserID, in state: LikesState) -> UInt32? { state.users.find(id) ?? newUsers[id] }

    private func isNew(_ user: UInt32) -> Bool { UInt32.max - user < UInt32(newUsers.count) }

    /// When the user liked the news, if it does.
    func likedAt(news: UInt32, user: UInt32, in state: LikesState) -> Timestamp? {
        if let change = likes[Self.key(news, user)] { return change }
        return isNew(user) ? nil : state.log.likedAt(news: news, user: user)
    }

    /// Whether likes of this news are set or taken back in this draft, also when they cancel out in its count.
    func changesLikes(of news: UInt32) -> Bool { likesOfNews[news] != nil }

    func likesCount(_ news: UInt32, in state: LikesState) -> Int64 {
        state.detail.likesCount(news) + (likesOfNews[news] ?? 0)
    }

    func numberOfGivenLikes(_ user: UInt32, in state: LikesState) -> Int64 {
        (isNew(user) ? 0 : state.profile.numberOfGivenLikes(user)) + (likesByUser[user] ?? 0)
    }

    /// Whether this would be the user's first like of the news, as far as is known.
    private func isFirstTime(news: UInt32, user: UInt32, in state: LikesState) -> Bool {
        if likes[Self.key(news, user)] != nil { return false }
        return isNew(user) || !state.withdrawn.contains(serial: state.catalog[news].serial, user: user)
    }

    /// Writes down that a like is set (`likedAt`) or taken back (nil).
    mutating func setLike(
        _ request: (news: NewsID, user: UserID), news: UInt32, user: UInt32, likedAt: Timestamp?, now: Timestamp,
        operationID: OperationID?, in state: LikesState
    ) {
        let firstTime = likedAt != nil && isFirstTime(news: news, user: user, in: state)
        let difference: Int64 = likedAt == nil ? -1 : 1
        likes[Self.key(news, user)] = .some(likedAt)
        likesOfNews[news, default: 0] += difference
        likesByUser[user, default: 0] += difference
        let change = LikeChange(
            news: request.news, user: request.user, likesCount: likesCount(news, in: state),
            numberOfGivenLikes: numberOfGivenLikes(user, in: state), firstTime: firstTime)
        append(likedAt == nil ? .likeRemoved(change) : .likeAdded(change), at: likedAt ?? now, operationID)
    }

    /// Whether likes of this user are set or taken back in this draft.
    func changesLikes(by user: UserID, in state: LikesState) -> Bool {
        knownUser(user, in: state).map { likesByUser[$0] != nil } ?? false
    }

    /// Whether a like of this news has to wait, since the draft changes the news itself. One that is being deleted is
    /// gone whatever the draft says.
    func hasChanged(_ id: NewsID, in state: LikesState) -> Bool {
        guard !changedNews.isEmpty, changedNews[id] != nil else { return false }
        return state.catalog.findStored(id).map { !state.catalog.isLeaving($0) } ?? true
    }

    /// What the draft does to a news: nil when nothing, `.some(nil)` when it is removed.
    func change(of id: NewsID) -> News?? { changedNews.isEmpty ? nil : changedNews[id] }

    /// Reserves a news for its removal by one command; false when the draft changes it already.
    mutating func claim(_ id: NewsID) -> Bool {
        guard changedNews[id] == nil else { return false }
        changedNews[id] = .some(nil)
        return true
    }

    /// Writes down that a news is made or replaced.
    mutating func setNews(_ news: News, isNew: Bool, now: Timestamp, operationID: OperationID?) {
        changedNews[news.id] = news
        append(isNew ? .newsAdded(news) : .newsUpdated(news), at: now, operationID)
    }

    /// Writes down a step of a removal.
    mutating func appendRemoval(_ change: LikeEvent.Change, now: Timestamp, operationID: OperationID?) {
        append(change, at: now, operationID)
    }

    private mutating func append(_ change: LikeEvent.Change, at: Timestamp, _ operationID: OperationID?) {
        events.append(LikeEvent(sequence: sequence + 1, at: at, operationID: operationID, change: change))
    }

    private static func key(_ news: UInt32, _ user: UInt32) -> UInt64 { UInt64(news) << 32 | UInt64(user) }
}
