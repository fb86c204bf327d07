/// A command in the mediator's hands, with how far it has come.
///
/// A plain value: `proceed` decides as much as one round allows and says whether it is through. It changes nothing
/// but itself and the draft.
struct Assignment {
    let submission: Submission
    private var progress = Progress()

    /// How far a command of many steps has come.
    private struct Progress {
        /// Entries of a batch, or news of a list, that are decided.
        var decided = 0
        var results: [BatchReceipt.EntryResult] = []
        var changed = 0
        var unknown: [NewsID] = []
        /// Where a walk through the feed or through a user's likes stands.
        var feedPlace: FeedKey?
        /// The next handle of a walk through the catalogue, when one is needed.
        var nextHandle: UInt32?
        var likesBelow: UInt64?
        /// The state's position when the walk began.
        var walkBegan: UInt64?
        /// A merge that this command has begun or goes on with.
        var merge: Merge?
    }

    /// How a round ended for a command.
    enum Outcome {
        case finished(Result<Receipt, Rejection>)
        /// It goes on in the next round.
        case unfinished
    }

    /// What a single step needs to know.
    struct Context {
        let state: LikesState
        let now: Timestamp
        /// Whether a like of a news that nobody made makes it.
        let createsUnknownNews: Bool
    }

    init(_ submission: Submission) { self.submission = submission }

    private var operationID: OperationID? { submission.command.operationID }

    /// The news whose deletion or merge needs nobody else to be brought to its end, if that is what this is.
    var cascade: NewsID? {
        switch submission.command.action {
        case .removeNews(let id) where submission.done == nil: id
        case .mergeNews(let id, _) where submission.done == nil || progress.merge != nil: id
        default: nil
        }
    }

    /// Decides as much as one round allows.
    mutating func proceed(_ draft: inout Draft, _ context: Context) -> Outcome {
        switch submission.command.action {
        case .toggle(let request):
            // A single one is told where to go; in batches old ids mean the new ones.
            if let outcome = refuseMerged(request.news, draft, context) { return outcome }
            guard let result = toggle(request, &draft, context) else { return .unfinished }
            return .finished(result.map(Receipt.toggle))
        case .toggleMany(let entries):
            return proceed(entries, &draft) { assignment, request, draft in
                assignment.toggle(request, &draft, context).map(Self.entryResult)
            }
        case .putNews(let news):
            guard let result = put(news, &draft, context) else { return .unfinished }
            return .finished(result.map(Receipt.news))
        case .putManyNews(let entries):
            return proceed(entries, &draft) { assignment, news, draft in
                assignment.put(news, &draft, context).map(Self.entryResult)
            }
        case .removeNews(let id): return removeNews(id, &draft, context)
        case .mergeNews(let id, let target): return mergeNews(id, into: target, &draft, context)
        case .likeAll(let user, let news?): return toggleListed(news, of: user, liked: true, &draft, context)
        case .unlikeAll(let user, let news?): return toggleListed(news, of: user, liked: false, &draft, context)
        case .likeAll(let user, nil): return likeFeed(user, &draft, context)
        case .unlikeAll(let user, nil): return unlikeEverything(user, &draft, context)
        case .removeUser(let user): return removeUser(user, &draft, context)
        }
    }

    private static func entryResult(_ result: Result<ToggleReceipt, Rejection>) -> BatchReceipt.EntryResult {
        switch result {
        case .success(let receipt):
            .done(changed: receipt.changed, made: receipt.changed && receipt.liked, likesCount: receipt.likesCount)
        case .failure(let rejection): .failed(rejection)
        }
    }

    private static func entryResult(_ result: Result<NewsReceipt, Rejection>) -> BatchReceipt.EntryResult {
        switch result {
        case .success(let receipt):
            .done(changed: receipt.changed, made: receipt.created, likesCount: receipt.likesCount)
        case .failure(let rejection): .failed(rejection)
        }
    }

    /// How a command ends that names a news which was merged away; nil when it was not.
    private func refuseMerged(_ id: NewsID, _ draft: Draft, _ context: Context) -> Outcome? {
        guard let target = context.state.redirects[id] else { return nil }
        return draft.removes(target, in: context.state)
            ? .unfinished : .finished(.failure(.newsMerged(into: target)))
    }

    /// Goes on with a batch.
    ///
    /// - Parameter decide: nil when the entry has to wait for the next round.
    private mutating func proceed<Request>(
        _ entries: [BatchEntry<Request>], _ draft: inout Draft,
        decide: (inout Assignment, Request, inout Draft) -> BatchReceipt.EntryResult?
    ) -> Outcome {
        if progress.decided == 0 { progress.results.reserveCapacity(entries.count) }
        var steps = 0
        while progress.decided < entries.count {
            if steps == Limits.stepsPerRound || draft.isFull { return .unfinished }
            steps += 1
            switch entries[progress.decided] {
            case .malformed(let code, let detail): progress.results.append(.malformed(code: code, detail: detail))
            case .request(let request):
                guard let result = decide(&self, request, &draft) else { return .unfinished }
                progress.results.append(result)
            }
            progress.decided += 1
        }
        return .finished(.success(.many(BatchReceipt(results: progress.results, sequence: draft.sequence))))
    }

    // MARK: Likes

    /// Decides one like or unlike; nil when it has to wait for the next round.
    private func toggle(
        _ request: ToggleRequest, _ draft: inout Draft, _ context: Context
    ) -> Result<ToggleReceipt, Rejection>? {
        let state = context.state
        draft.noteStep()
        let id = state.resolved(request.news)
        if draft.removes(id, in: state) || draft.forgets(request.user) { return nil }
        guard let news = draft.news(id, in: state) else {
            if request.liked { return likeUnknown(request, &draft, context) }
            draft.noteUnchanged(liked: false)
            return .success(.nothing(at: draft.sequence))
        }
        let known = draft.knownUser(request.user, in: state)
        // A like that a merge has not moved yet is one of this news already.
        if let known, draft.isMoving(user: known, to: id, in: state) { return nil }
        let before = known.flatMap { draft.likedAt(news: news, user: $0, in: state) }
        let changed = (before != nil) != request.liked
        var likedAt = before
        if changed {
            if request.liked && (state.log.isFull || state.users.isFull) { return .failure(.full) }
            likedAt = request.liked ? request.at ?? context.now : nil
            let user = known ?? draft.addUser(request.user)
            draft.setLike(
                (id, request.user), news: news, user: user, likedAt: likedAt, now: context.now,
                operationID: operationID, in: state)
        } else {
            draft.noteUnchanged(liked: request.liked)
        }
        return .success(
            ToggleReceipt(
                liked: request.liked, changed: changed, likesCount: draft.likesCount(news, in: state),
                likedAt: likedAt, sequence: draft.sequence))
    }

    /// Decides a like of a news that nobody made; nil when it has to wait for the next round.
    private func likeUnknown(
        _ request: ToggleRequest, _ draft: inout Draft, _ context: Context
    ) -> Result<ToggleReceipt, Rejection>? {
        guard context.createsUnknownNews else { return .failure(.newsNotFound) }
        // One that is being deleted is made again when that is done.
        if context.state.catalog.findStored(request.news) != nil { return nil }
        let news = News(id: request.news, title: request.news.text)
        draft.setNews(news, replacing: nil, now: context.now, operationID: operationID, in: context.state)
        return toggle(request, &draft, context)
    }

    /// Decides and counts a step of a bulk.
    ///
    /// - Returns: how the round ends for the whole command when the step was not decided; nil when it was.
    private mutating func toggleInBulk(
        _ news: NewsID, of user: UserID, liked: Bool, _ draft: inout Draft, _ context: Context
    ) -> Outcome? {
        if draft.isFull { return .unfinished }
        let request = ToggleRequest(liked: liked, news: news, user: user)
        switch toggle(request, &draft, context) {
        case nil: return .unfinished
        case .success(let receipt)?: progress.changed += receipt.changed ? 1 : 0
        case .failure(.newsNotFound)?: progress.unknown.append(news)
        case .failure(let rejection)?: return .finished(.failure(rejection))
        }
        return nil
    }

    private mutating func toggleListed(
        _ news: [NewsID], of user: UserID, liked: Bool, _ draft: inout Draft, _ context: Context
    ) -> Outcome {
        var steps = 0
        while progress.decided < news.count {
            if steps == Limits.stepsPerRound || draft.isFull { return .unfinished }
            steps += 1
            let id = news[progress.decided]
            if !liked, draft.news(context.state.resolved(id), in: context.state) == nil {
                draft.noteStep()
                progress.unknown.append(id)
            } else if let end = toggleInBulk(id, of: user, liked: liked, &draft, context) {
                return end
            }
            progress.decided += 1
        }
        return bulkFinished(draft)
    }

    private func bulkFinished(_ draft: Draft) -> Outcome {
        .finished(
            .success(
                .bulk(
                    BulkReceipt(changed: progress.changed, unknown: progress.unknown, sequence: draft.sequence))))
    }

    /// The feed walks its news, newest first, and tells the mediator of each.
    private mutating func likeFeed(_ user: UserID, _ draft: inout Draft, _ context: Context) -> Outcome {
        if let next = progress.nextHandle { return likeCatalog(user, from: next, &draft, context) }
        let feed = context.state.feed
        let began = progress.walkBegan ?? context.state.position
        progress.walkBegan = began
        let handles = feed.page(.newest, after: progress.feedPlace, limit: Limits.stepsPerRound)
        for handle in handles {
            let key = feed.key(handle)
            if let end = toggleInBulk(key.id, of: user, liked: true, &draft, context) { return end }
            progress.feedPlace = key
        }
        // A news that went away since it was looked up is not "unknown": nobody named it.
        progress.unknown = []
        if handles.count == Limits.stepsPerRound { return .unfinished }
        if feed.reorderedAt <= began { return bulkFinished(draft) }
        // Between two rounds a news was put into another place of the feed, maybe one that the walk had passed.
        progress.nextHandle = 0
        return .unfinished
    }

    /// Likes what a walk through the feed has missed: a news keeps its handle, wherever it moves.
    private mutating func likeCatalog(
        _ user: UserID, from first: UInt32, _ draft: inout Draft, _ context: Context
    ) -> Outcome {
        let catalog = context.state.catalog
        let end = min(catalog.handleCount, Int(first) + Limits.stepsPerRound)
        for handle in first..<max(first, UInt32(end)) {
            progress.nextHandle = handle
            guard let stored = catalog.stored(handle), !catalog.isLeaving(handle) else { continue }
            if let end = toggleInBulk(stored.news.id, of: user, liked: true, &draft, context) { return end }
        }
        progress.unknown = []
        progress.nextHandle = UInt32(end)
        return end == catalog.handleCount ? bulkFinished(draft) : .unfinished
    }

    private mutating func unlikeEverything(
        _ id: UserID, _ draft: inout Draft, _ context: Context
    ) -> Outcome {
        let state = context.state
        // Likes of this very commit are not in the log yet: they go first.
        if draft.changesLikes(by: id, in: state) { return .unfinished }
        guard let user = state.users.find(id) else { return bulkFinished(draft) }
        let began = progress.walkBegan ?? state.position
        progress.walkBegan = began
        let part = state.log.part(
            .ofUser, of: user, before: progress.likesBelow, limit: Limits.stepsPerRound, steps: Limits.chainSteps)
        for like in part.likes {
            // Likes of a news that is being deleted are withdrawn by the deletion; those that a merge moves are
            // waited for.
            let news = state.catalog[like.handle].news.id
            if !state.catalog.isLeaving(like.handle) || state.redirects[news] != nil,
                let end = toggleInBulk(news, of: id, liked: false, &draft, context)
            {
                return end
            }
            progress.likesBelow = like.sequence
        }
        progress.likesBelow = part.rest
        if part.rest != nil { return .unfinished }
        // A merge may have moved likes to the front, behind the walk's back.
        if state.likesMovedAt > began {
            beginWalkAgain()
            return .unfinished
        }
        return bulkFinished(draft)
    }

    private mutating func beginWalkAgain() {
        progress.likesBelow = nil
        progress.walkBegan = nil
    }

    private mutating func removeUser(_ id: UserID, _ draft: inout Draft, _ context: Context) -> Outcome {
        // Whether the id goes, too, depends on news of this very commit: they go first.
        if draft.changesAuthor(id) { return .unfinished }
        let outcome = unlikeEverything(id, &draft, context)
        guard case .finished(.success(.bulk(let receipt))) = outcome else { return outcome }
        // Another command may have forgotten the user between two rounds of this one.
        guard context.state.users.find(id) != nil, !draft.forgets(id) else { return outcome }
        // Without a like that was withdrawn, or an id to forget, there is nothing to tell anybody.
        guard receipt.changed > 0 || remembers(id, context.state) else { return outcome }
        // Likes of a news that is being deleted are withdrawn by that deletion: it goes first.
        if let user = context.state.users.find(id), draft.numberOfGivenLikes(user, in: context.state) > 0 {
            beginWalkAgain()
            return .unfinished
        }
        draft.forget(id, at: context.now, operationID)
        return bulkFinished(draft)
    }

    /// Whether the id of a user would go with the user. That of an author stays with the news.
    private func remembers(_ id: UserID, _ state: LikesState) -> Bool {
        state.users.find(id).map { !state.profile.isAuthor($0) } ?? false
    }

    // MARK: News

    /// Decides on a news to store; nil when it has to wait for the next round.
    private func put(
        _ draft: NewsDraft, _ events: inout Draft, _ context: Context
    ) -> Result<NewsReceipt, Rejection>? {
        let id = draft.news.id
        let catalog = context.state.catalog
        events.noteStep()
        switch refuseMerged(id, events, context) {
        case .finished(.failure(let rejection))?: return .failure(rejection)
        case .some: return nil
        case nil: break
        }
        if let leaving = catalog.findStored(id), catalog.isLeaving(leaving) { return nil }
        var old = catalog.find(id).map { catalog[$0].news }
        if let change = events.change(of: id) {
            guard let change else { return nil }
            old = change
        }
        let new = draft.replacing(old)
        if old != new {
            // A news that was made elsewhere keeps the time at which it was.
            let now = old == nil ? draft.createdAt ?? context.now : context.now
            events.setNews(new, replacing: old, now: now, operationID: operationID, in: context.state)
        }
        return .success(
            NewsReceipt(
                news: new, created: old == nil, changed: old != new,
                likesCount: events.news(id, in: context.state).map { events.likesCount($0, in: context.state) } ?? 0,
                sequence: events.sequence))
    }

    private mutating func removeNews(_ id: NewsID, _ draft: inout Draft, _ context: Context) -> Outcome {
        let (state, now) = (context.state, context.now)
        if let outcome = refuseMerged(id, draft, context) { return outcome }
        // Asked before the news is claimed, so that likes of it go on while this waits.
        if draft.isMergeTarget(id, in: state) { return .unfinished }
        guard draft.claim(id) else { return .unfinished }
        guard let news = state.catalog.findStored(id) else {
            return .finished(.success(.removed(sequence: draft.sequence)))
        }
        // From here on the news does not exist for callers; a restart goes on from here, too.
        if !state.catalog.isLeaving(news) {
            // Likes of this very commit are not in the log yet: they go first.
            if draft.changesLikes(of: news) { return .unfinished }
            draft.beginRemoval(state.catalog[news].news, at: now)
        }
        let part = state.log.part(
            .ofNews, of: news, before: nil, limit: Limits.cascadeLikes, steps: Limits.chainSteps * 16)
        for like in part.likes {
            let user = state.users.id(of: like.handle)
            draft.setLike(
                (id, user), news: news, user: like.handle, likedAt: nil, now: now, operationID: operationID, in: state)
        }
        guard part.rest == nil else { return .unfinished }
        draft.append(.newsRemoved(id), at: now, operationID)
        return .finished(.success(.removed(sequence: draft.sequence)))
    }

    private mutating func mergeNews(
        _ id: NewsID, into target: NewsID, _ draft: inout Draft, _ context: Context
    ) -> Outcome {
        if progress.merge == nil {
            switch Merge.begin(id, into: target, isResumed: submission.done == nil, operationID, &draft, context) {
            case .success(let merge?): progress.merge = merge
            case .success(nil): return .unfinished
            case .failure(let rejection): return .finished(.failure(rejection))
            }
        }
        guard let receipt = progress.merge?.proceed(&draft, context) else { return .unfinished }
        return .finished(.success(.news(receipt)))
    }
}
