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

    init(
        _ model: ReferenceModel, _ answered: [Answered], now: Timestamp, createsUnknownNews: Bool
    ) throws(Finding) {
        self.model = model
        self.now = now
        self.createsUnknownNews = createsUnknownNews
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
                try cascade.note(act)
                let stamp = ReferenceModel.Stamp(
                    now: now, operationID: first.operationID, createsUnknownNews: createsUnknownNews)
                let expected = try model.perform(act, stamp)
                for (offset, event) in expected.enumerated() {
                    guard next + offset < commit.count else { throw Finding("there is no event \(event)") }
                    try compare(commit[next + offset], event, "event \(event.sequence)")
                }
                if let account { try accounts[account].confirm(expected, model) }
                next += expected.count
                settle(act.news)
            }
            try cascade.end()
        }
        for account in accounts { try account.close(model) }
    }

    private mutating func settle(_ touched: NewsID?) {
        for index in accounts.indices {
            accounts[index].settle(model, touched: touched, createsUnknownNews: createsUnknownNews)
        }
    }

    /// The act that begins with an event.
    ///
    /// - Parameter account: of the command that the event names; nil for what the mediator does of itself.
    private mutating func act(_ event: LikeEvent, _ account: Int?) throws(Finding) -> ReferenceModel.Act {
        if let account { return try accounts[account].act(event, now, model) }
        switch event.change {
        case .newsRemovalStarted(let id) where accounts.contains { $0.mayRemove(id) }: return .beginRemoval(id)
        case .likeRemoved(let like): return .withdraw(like.news, like.user)
        case .newsRemoved(let id): return .endRemoval(id)
        default: throw Finding("nobody asked for \(event.words)")
        }
    }

    /// A deletion within a commit: nothing comes in between, unless it is too large for one commit.
    private struct Cascade {
        private var news: NewsID?
        private var likes = 0

        mutating func note(_ act: ReferenceModel.Act) throws(Finding) {
            switch act {
            case .beginRemoval(let id):
                try end()
                (news, likes) = (id, 0)
            case .withdraw(let id, _):
                if news != id { try end() }
                (news, likes) = (id, news == id ? likes + 1 : 1)
            case .endRemoval(let id):
                if news != id { try end() }
                news = nil
            default: try end()
            }
        }

        /// Something else comes, or the commit ends.
        mutating func end() throws(Finding) {
            if let news, likes < Limits.cascadeLikes { throw Finding("the deletion of \(news.text) is broken off") }
            news = nil
        }
    }
}
