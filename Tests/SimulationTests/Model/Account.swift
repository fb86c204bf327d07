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
            case missing(at: UInt64?)
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
    }

    /// - Parameter news: the news that exist before the batch.
    init(_ answered: Answered, news: [NewsID]) throws(Finding) {
        self.answered = answered
        guard case .success(let receipt) = answered.result else {
            sequence = nil
            if case .failure(.newsNotFound) = answered.result, case .toggle(let request) = answered.command.action {
                steps = [Step(request: .toggle(request), told: .missing(at: nil))]
            } else {
                steps = Self.openSteps(answered.command.action)
            }
            return
        }
        sequence = receipt.sequence
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
            case (.request(let asked), .failed(.newsNotFound)):
                steps.append(Step(request: request(asked), told: .missing(at: sequence)))
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
        for id in news { demands[id] = demand }
        for id in receipt.unknown { demands[id] = .gone }
        return demands
    }

    // MARK: Following the events

    private var failure: String { "\(answered.command.words) was answered \(answered.result)" }

    /// Settles what is true at this moment and needs no event.
    ///
    /// - Parameter touched: the only news that is not as it was at the moment before; nil at the first moment.
    mutating func settle(_ model: ReferenceModel, touched: NewsID?, createsUnknownNews: Bool) {
        if let sequence, model.position > sequence { return }
        while let step = steps.first, isSettled(step, model, createsUnknownNews) { steps.removeFirst() }
        if let touched {
            if let demand = demands[touched], isMet(demand, touched, model) { demands[touched] = nil }
        } else if !demands.isEmpty {
            demands = demands.filter { !isMet($0.value, $0.key, model) }
        }
        if let end, model.position == sequence, isMet(end, model) { self.end = nil }
    }

    private func isSettled(_ step: Step, _ model: ReferenceModel, _ createsUnknownNews: Bool) -> Bool {
        switch (step.told, step.request) {
        case (.nothing, _): return false
        case (.missing(let sequence), .toggle(let request)):
            return !createsUnknownNews && request.liked && model.visible(request.news) == nil
                && sequence ?? model.position == model.position
        case (.missing, .put): return false
        case (.done(let done), .toggle(let request)):
            guard !done.changed, done.made != true, done.sequence ?? model.position == model.position else {
                return false
            }
            let item = model.visible(request.news)
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

    private func isMet(_ demand: Demand, _ news: NewsID, _ model: ReferenceModel) -> Bool {
        guard let item = model.visible(news) else { return true }
        switch demand {
        case .likedOrGone(let user): return item.likes[user] != nil
        case .freeOrGone(let user): return item.likes[user] == nil
        case .gone: return false
        }
    }

    private func isMet(_ end: End, _ model: ReferenceModel) -> Bool {
        switch end {
        case .removed(let news): model.items[news] == nil
        case .forgotten(let user):
            !model.canForget(user) && model.given(by: user).allSatisfy { model.visible($0.news) == nil }
        }
    }

    /// The act of this command that begins with an event.
    mutating func act(_ event: LikeEvent, _ now: Timestamp, _ model: ReferenceModel) throws(Finding) -> Act {
        lastEvent = event.sequence
        switch event.change {
        case .likeAdded, .likeRemoved: likeEvents += 1
        default: break
        }
        switch (answered.command.action, event.change) {
        case (.toggle, _), (.toggleMany, _), (.putNews, _), (.putManyNews, _): return try stepAct(event, now)
        case (.likeAll(let user, let listed), .likeAdded(let like))
        where like.user == user && listed?.contains(like.news) != false:
            return .like(like.news, user, at: now)
        case (.likeAll(let user, let listed?), .newsAdded(let news)) where listed.contains(news.id):
            likeEvents += 1
            return .like(news.id, user, at: now)
        case (.unlikeAll(let user, let listed), .likeRemoved(let like))
        where like.user == user && listed?.contains(like.news) != false:
            return .unlike(like.news, user)
        case (.removeUser(let user), .likeRemoved(let like)) where like.user == user: return .unlike(like.news, user)
        case (.removeUser(let user), .userRemoved(let gone)) where gone == user: return .forget(user)
        case (.removeNews(let id), .likeRemoved(let like)) where like.news == id: return .withdraw(id, like.user)
        case (.removeNews(let id), .newsRemoved(let gone)) where gone == id: return .endRemoval(id)
        default: throw Finding("\(event.words) is nothing that \(answered.command.words) can cause")
        }
    }

    typealias Act = ReferenceModel.Act

    /// The next step, which must have changed something; of a command that failed, the next that fits.
    private mutating func stepAct(_ event: LikeEvent, _ now: Timestamp) throws(Finding) -> Act {
        while let step = steps.first {
            if case .nothing = step.told, !Self.fits(step.request, event) {
                steps.removeFirst()
                continue
            }
            switch (step.told, step.request) {
            case (.done(let done), _) where !done.changed:
                throw Finding("\(failure), and it changed nothing: that was true at no time before \(event.words)")
            case (.missing, _): throw Finding("\(failure), and caused \(event.words)")
            case (_, .toggle(let request)):
                return request.liked
                    ? .like(request.news, request.user, at: request.at ?? now) : .unlike(request.news, request.user)
            case (_, .put(let draft)): return .put(draft)
            }
        }
        throw Finding("\(failure), and more than it asks for happened: \(event.words)")
    }

    private static func fits(_ request: Step.Request, _ event: LikeEvent) -> Bool {
        switch (request, event.change) {
        case (.toggle(let request), .likeAdded(let like)):
            request.liked && request.news == like.news && request.user == like.user
        case (.toggle(let request), .likeRemoved(let like)):
            !request.liked && request.news == like.news && request.user == like.user
        case (.toggle(let request), .newsAdded(let news)): request.liked && request.news == news.id
        case (.put(let draft), .newsAdded(let news)), (.put(let draft), .newsUpdated(let news)):
            draft.news.id == news.id
        default: false
        }
    }

    /// The act has happened: what the answer says of the step must be so now.
    mutating func confirm(_ events: [LikeEvent], _ model: ReferenceModel) throws(Finding) {
        lastEvent = model.position
        guard let step = steps.popFirst() else { return }
        guard case .done(let done) = step.told else { return }
        let (id, made): (NewsID, Bool) =
            switch (step.request, events[0].change) {
            case (.toggle(let request), _): (request.news, request.liked)
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

    /// Whether this is a deletion of a news that may still begin.
    func mayRemove(_ id: NewsID) -> Bool {
        guard case .removeNews(id) = answered.command.action else { return false }
        return sequence == nil || end != nil
    }

    /// All has happened.
    func close(_ model: ReferenceModel) throws(Finding) {
        guard let sequence else {
            if case .failure(.newsNotFound) = answered.result {
                try require(steps.isEmpty, "\(failure), and the news was there")
            }
            return
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
