@testable import LikesCore

/// A batch of commands that was carried out, followed event by event: each event must be what the model says comes of
/// the command that it names, and each answer must have been true.
struct Trial {
    private(set) var model: ReferenceModel
    private var accounts: [Account] = []
    /// The commands by their operation ids, all different.
    private var numbers: [String: Int] = [:]
    private let now: Timestamp
    private let createsUnknownNews: Bool
    /// Whether the steps of all commands are enough to end a round before a merge has moved a like.
    private let mayBeFull: Bool
    /// Events after which a commit is full.
    private let eventsPerCommit: Int

    /// - Parameter isFrozen: whether somebody had a frozen copy meanwhile, which makes commits shorter.
    init(
        _ model: ReferenceModel, _ answered: [Answered], now: Timestamp, createsUnknownNews: Bool, isFrozen: Bool
    ) throws(Finding) {
        eventsPerCommit = isFrozen ? Limits.eventsPerCommitWhileFrozen : Limits.eventsPerCommit
        self.model = model
        self.now = now
        self.createsUnknownNews = createsUnknownNews
        mayBeFull = answered.reduce(0) { $0 + $1.command.weight } >= Limits.stepsPerCommit
        let news = model.feed.map(\.news.id)
        for answered in answered {
            numbers[answered.command.operationID?.text ?? ""] = accounts.count
            accounts.append(try Account(answered, news: news))
        }
    }

    /// Follows what was kept, commit by commit.
    mutating func follow(_ commits: [[LikeEvent]]) throws(Finding) {
        settle(nil)
        for commit in commits {
            var cascade = Cascade()
            var next = 0
            while next < commit.count {
                let first = commit[next]
                let account = first.operationID.flatMap { numbers[$0.text] }
                let act = try act(first, account)
                let stamp = ReferenceModel.Stamp(
                    now: now, operationID: try caller(commit[next...]), createsUnknownNews: createsUnknownNews)
                let expected = try model.perform(act, stamp)
                try cascade.note(act, events: expected.count)
                for (offset, event) in expected.enumerated() {
                    guard next + offset < commit.count else { throw Finding("there is no event \(event)") }
                    try compare(commit[next + offset], event, "event \(event.sequence)")
                }
                if let account { try accounts[account].confirm(expected, model) }
                next += expected.count
                settle(act.news)
            }
            try cascade.end(isFull: mayBeFull || commit.count >= eventsPerCommit)
        }
        for account in accounts { try account.close(model) }
    }

    private mutating func settle(_ touched: NewsID?) {
        for index in accounts.indices {
            accounts[index].settle(model, touched: touched, createsUnknownNews: createsUnknownNews)
        }
    }

    /// Whom the events of an act name. The first of a merge names nobody, so that it is the second that tells.
    private func caller(_ events: ArraySlice<LikeEvent>) throws(Finding) -> OperationID? {
        guard let first = events.first, case .newsMergeStarted(let id, let target) = first.change,
            let second = events.dropFirst().first, case .newsUpdated = second.change
        else { return events.first?.operationID }
        let account = second.operationID.flatMap { numbers[$0.text] }
        try require(
            account.map { accounts[$0].mayMerge(id, into: target, model) } == true,
            "\(first.words), but not for \(second.operationID?.text ?? "anybody")")
        return second.operationID
    }

    /// The act that begins with an event.
    ///
    /// - Parameter account: of the command that the event names; nil for what the mediator does of itself.
    private mutating func act(_ event: LikeEvent, _ account: Int?) throws(Finding) -> ReferenceModel.Act {
        if let account { return try accounts[account].act(event, now, model) }
        switch event.change {
        case .newsRemovalStarted(let id) where accounts.contains { $0.mayRemove(id) }: return .beginRemoval(id)
        case .newsMergeStarted(let id, let target)
        where accounts.contains { $0.mayMerge(id, into: target, model) }:
            return .beginMerge(id, into: target)
        case .likeRemoved(let like) where model.merges[like.news] != nil: return .move(like.news, like.user)
        case .newsMerged(let id, _): return .endMerge(id)
        case .likeRemoved(let like): return .withdraw(like.news, like.user)
        case .newsRemoved(let id): return .endRemoval(id)
        default: throw Finding("nobody asked for \(event.words)")
        }
    }

    /// A deletion or a merge within a commit: nothing comes in between, unless it is too large for one commit.
    private struct Cascade {
        private var news: NewsID?
        private var events = 0

        mutating func note(_ act: ReferenceModel.Act, events count: Int) throws(Finding) {
            switch act {
            case .beginRemoval(let id), .beginMerge(let id, _):
                try end()
                (news, events) = (id, 0)
            case .withdraw(let id, _), .move(let id, _):
                if news != id { try end() }
                (news, events) = (id, news == id ? events + count : count)
            case .endRemoval(let id), .endMerge(let id):
                if news != id { try end() }
                news = nil
            default: try end()
            }
        }

        /// Something else comes, or the commit ends.
        ///
        /// - Parameter isFull: whether the round may have ended since it was full.
        mutating func end(isFull: Bool = false) throws(Finding) {
            if let news, events < Limits.cascadeLikes, !isFull { throw Finding("\(news.text) is left halfway") }
            news = nil
        }
    }
}
