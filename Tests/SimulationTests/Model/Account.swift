@testable import LikesCore

/// What became of a command, as its caller heard it.
struct Answered {
    let command: LikeCommand
    let result: Result<Receipt, Rejection>
    /// What was folded when the answer came.
    let position: UInt64
    /// How often something had been appended to the journal, or tried to be, when the answer came.
    let attempts: Int
}

/// What one command still owes while its batch is followed event by event: the order in which the commands of a batch
/// were decided is nobody's promise, but there must be one in which every answer was true when it was decided.
///
/// Steps come in order: one that changed something is settled by its event, one that changed nothing by the first
/// moment at which the model says the same. Demands come in any order: each must be met at one moment.
struct Account {
    let answered: Answered
    private var steps: ArraySlice<Step> = []
    /// By the news that they are about.
    private var demands: [NewsID: Demand] = [:]
    /// Something that must be so right where the answer says.
    private var end: End?
    /// Why it was refused; nil when that was so at one moment, or when it was not refused.
    private var refusal: Rejection?
    /// What the steps' answers say of the end; nil when the command failed, and nothing is said.
    private let sequence: UInt64?
    private var likeEvents = 0
    private var lastEvent: UInt64 = 0

    /// A step with what the answer says of it.
    private struct Step {
        let request: Request
        let told: Told

        enum Request {
            case toggle(ToggleRequest)
            case put(NewsDraft)
        }

        enum Told {
            /// Nothing, since the command failed.
            case nothing
            case refused(Rejection, at: UInt64?)
            case done(Done)
        }

        struct Done {
            let changed: Bool
            var made: Bool?
            let likesCount: Int64
            var likedAt: Timestamp??
            var news: News?
            var sequence: UInt64?
        }
    }

    /// Something that must have been so at one moment.
    private enum Demand {
        case likedOrGone(UserID)
        case freeOrGone(UserID)
        case gone
    }

    private enum End {
        case removed(NewsID)
        case forgotten(UserID)
        /// Settled by the merge's last event, which must be its own.
        case merged(NewsID)
    }

    /// - Parameter news: the news that exist before the batch.
    init(_ answered: Answered, news: [NewsID]) throws(Finding) {
        self.answered = answered
        switch answered.result {
        case .failure(.journalUnavailable):
            sequence = nil
            steps = Self.openSteps(answered.command.action)
        case .failure(let rejection):
            sequence = nil
            refusal = rejection
        case .success(let receipt):
            sequence = receipt.sequence
            try expect(receipt, news)
        }
    }

    /// Notes what a receipt says.
    private mutating func expect(_ receipt: Receipt, _ news: [NewsID]) throws(Finding) {
        switch (answered.command.action, receipt) {
        case (.toggle(let request), .toggle(let receipt)):
            try compare(receipt.liked, request.liked, "a receipt")
            steps = [Step(request: .toggle(request), told: .done(Self.done(receipt)))]
        case (.putNews(let draft), .news(let receipt)):
            steps = [Step(request: .put(draft), told: .done(Self.done(receipt)))]
        case (.toggleMany(let entries), .many(let receipt)):
            steps = try Self.steps(entries, receipt) { .toggle($0) }[...]
        case (.putManyNews(let entries), .many(let receipt)): steps = try Self.steps(entries, receipt) { .put($0) }[...]
        case (.removeNews(let id), .removed): end = .removed(id)
        case (.mergeNews(let id, _), .news): end = .merged(id)
        case (.likeAll(let user, let listed), .bulk(let receipt)):
            demands = Self.demands(listed ?? news, receipt, .likedOrGone(user))
        case (.unlikeAll(let user, let listed), .bulk(let receipt)):
            demands = Self.demands(listed ?? news, receipt, .freeOrGone(user))
        case (.removeUser(let user), .bulk): end = .forgotten(user)
        default: throw Finding("the receipt \(receipt) is of another command")
        }
    }

    private static func openSteps(_ action: LikeCommand.Action) -> ArraySlice<Step> {
        switch action {
        case .toggle(let request): return [Step(request: .toggle(request), told: .nothing)]
        case .putNews(let draft): return [Step(request: .put(draft), told: .nothing)]
        case .toggleMany(let entries):
            return entries.compactMap(\.request).map { Step(request: .toggle($0), told: .nothing) }[...]
        case .putManyNews(let entries):
            return entries.compactMap(\.request).map { Step(request: .put($0), told: .nothing) }[...]
        default: return []
        }
    }

    private static func done(_ receipt: ToggleReceipt) -> Step.Done {
        Step.Done(
            changed: receipt.changed, likesCount: receipt.likesCount, likedAt: .some(receipt.likedAt),
            sequence: receipt.sequence)
    }

    private static func done(_ receipt: NewsReceipt) -> Step.Done {
        Step.Done(
            changed: receipt.changed, made: receipt.created, likesCount: receipt.likesCount, news: receipt.news,
            sequence: receipt.sequence)
    }

    /// The steps of a batch; the last one is known to have been decided where the receipt says.
    private static func steps<Request>(
        _ entries: [BatchEntry<Request>], _ receipt: BatchReceipt, _ request: (Request) -> Step.Request
    ) throws(Finding) -> [Step] {
        try compare(receipt.results.count, entries.count, "the number of results")
        var steps: [Step] = []
        for (index, (entry, result)) in zip(entries, receipt.results).enumerated() {
            let sequence = index == entries.count - 1 ? receipt.sequence : nil
            switch (entry, result) {
            case (.malformed(let code, let detail), _):
                try compare(result, .malformed(code: code, detail: detail), "a malformed entry")
            case (.request(let asked), .failed(let rejection)):
                steps.append(Step(request: request(asked), told: .refused(rejection, at: sequence)))
            case (.request(let asked), .done(let changed, let made, let likesCount)):
                let done = Step.Done(changed: changed, made: made, likesCount: likesCount, sequence: sequence)
                steps.append(Step(request: request(asked), told: .done(done)))
            default: throw Finding("an entry ended as \(result)")
            }
        }
        return steps
    }

    private static func demands(
        _ news: [NewsID], _ receipt: BulkReceipt, _ demand: Demand
    ) -> [NewsID: Demand] {
        var demands: [NewsID: Demand] = [:]
        // The same id may stand there a thousand times.
        var last: NewsID?
        for id in news where id != last { (demands[id], last) = (demand, id) }
        last = nil
        for id in receipt.unknown where id != last { (demands[id], last) = (.gone, id) }
        return demands
    }

    // MARK: Following the events

    /// Whether an old id means the new one, or is refused.
    private var isMany: Bool {
        if case .toggleMany = answered.command.action { true } else { false }
    }

    /// Whether this likes what is in the feed, where merged news are not.
    private var likesFeed: Bool {
        if case .likeAll(_, nil) = answered.command.action { true } else { false }
    }

    private var failure: String { "\(answered.command.words) was answered \(answered.result)" }

    /// Settles what is true at this moment and needs no event.
    ///
    /// - Parameter touched: the only news that is not as it was at the moment before; nil when all may be different.
    mutating func settle(_ model: ReferenceModel, touched: NewsID?, createsUnknownNews: Bool) {
        if model.position > sequence ?? answered.position { return }
        if let refusal, refusal == model.refusal(of: answered.command.action, createsUnknownNews: createsUnknownNews) {
            self.refusal = nil
        }
        while let step = steps.first, isSettled(step, model, createsUnknownNews) { steps.removeFirst() }
        if let touched, !demands.isEmpty {
            for id in model.names(of: touched) {
                if let demand = demands[id], isMet(demand, id, model) { demands[id] = nil }
            }
        } else if !demands.isEmpty {
            demands = demands.filter { !isMet($0.value, $0.key, model) }
        }
        if let end, model.position == sequence, isMet(end, model) { self.end = nil }
    }

    private func isSettled(_ step: Step, _ model: ReferenceModel, _ createsUnknownNews: Bool) -> Bool {
        switch (step.told, step.request) {
        case (.nothing, _): return false
        case (.refused(let rejection, let sequence), .toggle(let request)):
            return rejection == .newsNotFound && !createsUnknownNews && request.liked
                && model.visible(model.resolved(request.news)) == nil && sequence ?? model.position == model.position
        case (.refused(let rejection, let sequence), .put(let draft)):
            return rejection == model.refusal(of: .putNews(draft), createsUnknownNews: createsUnknownNews)
                && sequence ?? model.position == model.position
        case (.done(let done), .toggle(let request)):
            guard !done.changed, done.made != true, done.sequence ?? model.position == model.position else {
                return false
            }
            let id = model.resolved(request.news)
            guard isMany || id == request.news, !model.isMoving(request.user, to: id) else { return false }
            let item = model.visible(id)
            let like = item?.likes[request.user]
            return (like != nil) == request.liked && done.likesCount == item?.likesCount ?? 0
                && (done.likedAt ?? like?.at) == like?.at
        case (.done(let done), .put(let draft)):
            guard !done.changed, done.made != true, done.sequence ?? model.position == model.position,
                let item = model.visible(draft.news.id)
            else { return false }
            return item.news == model.stored(draft) && done.news ?? item.news == item.news
                && done.likesCount == item.likesCount
        }
    }

    private func isMet(_ demand: Demand, _ named: NewsID, _ model: ReferenceModel) -> Bool {
        let news = likesFeed ? named : model.resolved(named)
        guard let item = model.visible(news) else { return true }
        switch demand {
        case .likedOrGone(let user): return item.likes[user] != nil
        case .freeOrGone(let user): return item.likes[user] == nil && !model.isMoving(user, to: news)
        case .gone: return false
        }
    }

    private func isMet(_ end: End, _ model: ReferenceModel) -> Bool {
        switch end {
        case .removed(let news): model.items[news] == nil && model.redirects[news] == nil
        case .merged: false
        case .forgotten(let user):
            !model.canForget(user)
                && model.given(by: user).allSatisfy { model.visible($0.news) == nil && model.merges[$0.news] == nil }
        }
    }

    /// The act of this command that begins with an event.
    mutating func act(_ event: LikeEvent, _ now: Timestamp, _ model: ReferenceModel) throws(Finding) -> Act {
        lastEvent = event.sequence
        try require(sequence != nil || hasFailed, "\(failure), and caused \(event.words)")
        switch event.change {
        case .likeAdded, .likeRemoved: likeEvents += 1
        default: break
        }
        switch (answered.command.action, event.change) {
        case (.toggle, _), (.toggleMany, _), (.putNews, _), (.putManyNews, _): return try stepAct(event, now, model)
        case (.likeAll(let user, let listed), .likeAdded(let like))
        where like.user == user && Self.names(listed, like.news, model):
            return .like(like.news, user, at: now)
        case (.likeAll(let user, let listed?), .newsAdded(let change)) where listed.contains(change.news.id):
            likeEvents += 1
            return .like(change.news.id, user, at: now)
        case (.unlikeAll(let user, let listed), .likeRemoved(let like))
        where like.user == user && Self.names(listed, like.news, model):
            return .unlike(like.news, user)
        case (.removeUser(let user), .likeRemoved(let like)) where like.user == user: return .unlike(like.news, user)
        case (.removeUser(let user), .userRemoved(let gone)) where gone == user: return .forget(user)
        case (.removeNews(let id), .likeRemoved(let like)) where like.news == id: return .withdraw(id, like.user)
        case (.removeNews(let id), .newsRemoved(let gone)) where gone == id: return .endRemoval(id)
        case (.mergeNews(let id, _), .likeRemoved(let like)) where like.news == id: return .move(id, like.user)
        case (.mergeNews(let id, _), .newsMerged(let gone, _)) where gone == id: return .endMerge(id)
        default: throw Finding("\(event.words) is nothing that \(answered.command.words) can cause")
        }
    }

    typealias Act = ReferenceModel.Act

    private static func names(_ listed: [NewsID]?, _ news: NewsID, _ model: ReferenceModel) -> Bool {
        listed?.contains { model.resolved($0) == news } != false
    }

    /// The next step, which must have changed something; of a command that failed, the next that fits.
    private mutating func stepAct(
        _ event: LikeEvent, _ now: Timestamp, _ model: ReferenceModel
    ) throws(Finding) -> Act {
        while let step = steps.first {
            if case .nothing = step.told, !fits(step.request, event, model) {
                steps.removeFirst()
                continue
            }
            switch (step.told, step.request) {
            case (.done(let done), _) where !done.changed:
                throw Finding("\(failure), and it changed nothing: that was true at no time before \(event.words)")
            case (.refused, _): throw Finding("\(failure), and caused \(event.words)")
            case (_, .toggle(let request)):
                let id = meant(request, model)
                return request.liked
                    ? .like(id, request.user, at: request.at ?? now) : .unlike(id, request.user)
            case (_, .put(let draft)): return .put(draft)
            }
        }
        throw Finding("\(failure), and more than it asks for happened: \(event.words)")
    }

    /// The news that a request is about: one that names it alone is refused when it was merged.
    private func meant(_ request: ToggleRequest, _ model: ReferenceModel) -> NewsID {
        isMany ? model.resolved(request.news) : request.news
    }

    private func fits(_ request: Step.Request, _ event: LikeEvent, _ model: ReferenceModel) -> Bool {
        switch (request, event.change) {
        case (.toggle(let request), .likeAdded(let like)):
            request.liked && meant(request, model) == like.news && request.user == like.user
        case (.toggle(let request), .likeRemoved(let like)):
            !request.liked && meant(request, model) == like.news && request.user == like.user
        case (.toggle(let request), .newsAdded(let change)): request.liked && request.news == change.news.id
        case (.put(let draft), .newsAdded(let change)), (.put(let draft), .newsUpdated(let change)):
            draft.news.id == change.news.id
        default: false
        }
    }

    /// The act has happened: what the answer says of the step must be so now.
    mutating func confirm(_ events: [LikeEvent], _ model: ReferenceModel) throws(Finding) {
        lastEvent = model.position
        if case .newsMerged(_, let target)? = events.last?.change { return try confirmMerge(target, model) }
        guard let step = steps.popFirst() else { return }
        guard case .done(let done) = step.told else { return }
        let (id, made): (NewsID, Bool) =
            switch (step.request, events[0].change) {
            case (.toggle(let request), _): (meant(request, model), request.liked)
            case (.put(let draft), .newsAdded): (draft.news.id, true)
            case (.put(let draft), _): (draft.news.id, false)
            }
        let item = model.visible(id)
        try compare(done.likesCount, item?.likesCount ?? 0, failure + ", likesCount")
        try compare(done.made ?? made, made, failure + ", created")
        try compare(done.sequence ?? model.position, model.position, failure + ", sequence")
        if let news = done.news { try compare(news, item?.news, failure + ", news") }
        if case .toggle(let request) = step.request, let likedAt = done.likedAt {
            try compare(likedAt, item?.likes[request.user]?.at, failure + ", likedAt")
        }
    }

    /// The merge is at its end.
    private mutating func confirmMerge(_ target: NewsID, _ model: ReferenceModel) throws(Finding) {
        end = nil
        guard case .success(.news(let receipt)) = answered.result else { return }
        guard let item = model.visible(target) else { throw Finding("\(failure), and \(target.text) is gone") }
        let expected = NewsReceipt(
            news: item.news, created: false, changed: true, likesCount: item.likesCount, sequence: model.position)
        try compare(receipt, expected, "the receipt of a merge")
    }

    private var hasFailed: Bool { answered.result.failure == .journalUnavailable }

    /// Whether this is a deletion of a news that may still begin.
    func mayRemove(_ id: NewsID) -> Bool {
        guard case .removeNews(id) = answered.command.action else { return false }
        return hasFailed || end != nil
    }

    /// Whether this is a merge that may still begin.
    func mayMerge(_ id: NewsID, into target: NewsID, _ model: ReferenceModel) -> Bool {
        guard case .mergeNews(id, let other) = answered.command.action else { return false }
        return model.resolved(other) == target && (hasFailed || end != nil)
    }

    /// All has happened.
    func close(_ model: ReferenceModel) throws(Finding) {
        guard let sequence else {
            return try require(refusal == nil, "\(failure), and that was so at no time")
        }
        if let step = steps.first { throw Finding("\(failure), but this was true at no time: \(step)") }
        if let demand = demands.first { throw Finding("\(failure), but this was true at no time: \(demand)") }
        if let end { throw Finding("\(failure), but this was not true then: \(end)") }
        try require(sequence >= lastEvent && sequence <= model.position, "\(failure): its sequence is none of its own")
        try require(sequence <= answered.position, "\(failure) when \(answered.position) was folded")
        if case .success(.bulk(let receipt)) = answered.result {
            try compare(receipt.changed, likeEvents, failure + ", changed")
        }
    }
}
