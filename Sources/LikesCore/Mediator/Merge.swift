/// A merge that has begun: whose likes are to go over, and how far that has come.
///
/// A plain value, a part of its assignment. From its first event on nothing else changes the likes of the old news, and
/// the target stays until the last.
struct Merge {
    private let old: NewsID
    private let target: NewsID
    private let operationID: OperationID?
    /// Who is still to be moved, newest like first, so that the oldest goes over first and the order stays.
    private var users: [UInt32] = []
    private var isCollected = false
    /// Where the walk through the likes stands.
    private var likesBelow: UInt64?

    private init(_ old: NewsID, into target: NewsID, _ operationID: OperationID?) {
        self.old = old
        self.target = target
        self.operationID = operationID
    }

    /// Decides whether two news can be merged, and begins with it.
    ///
    /// - Parameter isResumed: whether the merge was begun before a restart or a failure of the journal.
    /// - Returns: nil when it has to wait for the next round.
    static func begin(
        _ id: NewsID, into other: NewsID, isResumed: Bool, _ operationID: OperationID?, _ draft: inout Draft,
        _ context: Assignment.Context
    ) -> Result<Merge?, Rejection> {
        let state = context.state
        if isResumed { return .success(Merge(id, into: state.resolved(id), operationID)) }
        draft.noteStep()
        let (renamed, target) = (state.redirects[id], state.resolved(other))
        // What this rests on has to be there before this draft, and to stay.
        if draft.change(of: id) != nil || draft.removes(renamed ?? id, in: state) || draft.removes(target, in: state) {
            return .success(nil)
        }
        if let renamed { return .failure(.newsMerged(into: renamed)) }
        guard let handle = state.catalog.find(id), let into = draft.description(of: target, in: state) else {
            return .failure(.newsNotFound)
        }
        if id == target { return .failure(.mergeConflict(.itself)) }
        let baseLikes = state.catalog[handle].news.baseLikes
        if into.baseLikes + baseLikes > Limits.baseLikes { return .failure(.mergeConflict(.baseLikes)) }
        let ids = state.redirects.count(leadingTo: id) + state.redirects.count(leadingTo: target) + 1
        if ids > Limits.mergedIDs { return .failure(.mergeConflict(.tooManyIDs)) }
        if state.catalog.find(target) == nil || draft.isMergeTarget(id, in: state) { return .success(nil) }
        // Likes of this very commit are not in the log yet: they go first.
        guard draft.claim(id), !draft.changesLikes(of: handle) else { return .success(nil) }
        draft.beginMerge(handle, into: target, now: context.now, in: state)
        if baseLikes > 0 {
            draft.setNews(
                into.adding(baseLikes: baseLikes), replacing: into, now: context.now, operationID: operationID,
                in: state)
        }
        return .success(Merge(id, into: target, operationID))
    }

    /// Does as much as one round allows.
    ///
    /// - Returns: the target, when all is done; else nil.
    mutating func proceed(_ draft: inout Draft, _ context: Assignment.Context) -> NewsReceipt? {
        let state = context.state
        guard let old = state.catalog.findStored(old), let target = state.catalog.find(target) else {
            preconditionFailure("a merge of news that are not there")
        }
        if !isCollected { collect(old, state) }
        guard isCollected else { return nil }
        let end = draft.events.count + Limits.cascadeLikes
        while let user = users.last {
            if draft.isFull || draft.events.count >= end { return nil }
            users.removeLast()
            move(user, from: old, to: target, &draft, context)
        }
        draft.append(.newsMerged(self.old, into: self.target), at: context.now, operationID)
        let news = draft.description(of: self.target, in: state) ?? state.catalog[target].news
        return NewsReceipt(
            news: news, created: false, changed: true, likesCount: draft.likesCount(target, in: state),
            sequence: draft.sequence)
    }

    /// Goes on with the list of those who like the old news: its chain can only be walked from the newest like.
    private mutating func collect(_ old: UInt32, _ state: LikesState) {
        let part = state.log.part(
            .ofNews, of: old, before: likesBelow, limit: Limits.cascadeLikes, steps: Limits.chainSteps * 16)
        for like in part.likes { users.append(like.handle) }
        likesBelow = part.rest
        isCollected = part.rest == nil
    }

    /// Lets one like go over, with its time; of two likes of the same user the earlier time is kept.
    private func move(
        _ user: UInt32, from old: UInt32, to target: UInt32, _ draft: inout Draft, _ context: Assignment.Context
    ) {
        let (state, now) = (context.state, context.now)
        guard let at = state.log.likedAt(news: old, user: user) else { return }
        let id = state.users.id(of: user)
        let before = draft.likedAt(news: target, user: user, in: state)
        draft.setLike(
            (self.old, id), news: old, user: user, likedAt: nil, now: now, operationID: operationID, in: state)
        guard let before else {
            return draft.setLike(
                (self.target, id), news: target, user: user, likedAt: at, now: now, operationID: operationID,
                isMoved: true, in: state)
        }
        if at < before {
            draft.redateLike(
                (self.target, id), news: target, user: user, to: at, operationID: operationID, in: state)
        }
    }
}
