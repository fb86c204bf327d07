import Testing
import Threading

@testable import LikesCore

/// A mediator with all that it needs, and a short way to ask it for things.
final class Bench: Sendable {
    let journal: RecordingJournal
    let shared: SharedLikes
    let bus = EventBus()
    let clock = Locked<Int64>(1_000_000)
    /// What the mediator said of the journal: why it fails, or that it works.
    let journalReports = Heard()
    private let looksAtClock = Locked(0)
    let mediator: LikesMediator
    let reader: LikesReader

    /// - Parameters:
    ///   - journal: its events are folded first.
    ///   - isStarted: false for a mediator that first lets commands pile up, until `start` makes them one batch.
    init(
        journal: RecordingJournal = RecordingJournal(), isStarted: Bool = true, dustLimit: UInt32 = 65_536,
        createsUnknownNews: Bool = false,
        observe: @Sendable (any LikeProjection) -> any LikeProjection = { $0 }
    ) throws {
        self.journal = journal
        shared = SharedLikes(LikesState(dustLimit: dustLimit, observe: observe))
        try shared.write { state in
            for event in journal.events { try state.fold(event) }
        }
        reader = LikesReader(shared, epoch: journal.epoch)
        let clock = clock
        let looksAtClock = looksAtClock
        let counted = Clock {
            looksAtClock.withLock { $0 += 1 }
            return clock.withLock { $0 }
        }
        let reports = journalReports
        mediator = LikesMediator(
            journal: journal, state: shared, bus: bus, createsUnknownNews: createsUnknownNews, clock: counted,
            journalChanged: { reports.write($0 ?? "it works") })
        if isStarted { mediator.start() }
    }

    deinit { mediator.stop() }

    func start() { mediator.start() }

    /// The rounds that the mediator has begun: it looks at the clock once in each.
    var rounds: Int { looksAtClock.withLock { $0 } }

    /// Submits a command and goes on.
    func submit(_ action: LikeCommand.Action, operationID: OperationID? = nil) throws -> Answer {
        let answer = Answer()
        try mediator.submit(LikeCommand(action, operationID: operationID)) { answer.give($0) }
        return answer
    }

    /// Submits a command and waits for its receipt.
    @discardableResult
    func ask(_ action: LikeCommand.Action, operationID: OperationID? = nil) throws -> Receipt {
        try submit(action, operationID: operationID).receipt
    }

    @discardableResult
    func like(_ news: NewsID, by user: UserID) throws -> ToggleReceipt { try submit(.like(news, user)).toggle }

    @discardableResult
    func unlike(_ news: NewsID, by user: UserID) throws -> ToggleReceipt { try submit(.unlike(news, user)).toggle }

    /// Makes or replaces a news.
    @discardableResult
    func put(_ id: NewsID, title: String = "", author: UserID? = nil, baseLikes: Int64? = nil) throws -> NewsReceipt {
        guard case .news(let receipt) = try ask(.put(id, title: title, author: author, baseLikes: baseLikes)) else {
            throw Answer.Surprise()
        }
        return receipt
    }

    /// Merges a news into another.
    @discardableResult
    func merge(_ id: NewsID, into target: NewsID) throws -> NewsReceipt {
        guard case .news(let receipt) = try ask(.mergeNews(id, into: target)) else { throw Answer.Surprise() }
        return receipt
    }

    /// Likes and unlikes a news over and over: each answer is followed by the next write.
    func keepWriting(_ news: NewsID, while going: Locked<Bool>) {
        @Sendable func write(_ liked: Bool) {
            guard going.withLock({ $0 }) else { return }
            let action = LikeCommand.Action.toggle(ToggleRequest(liked: liked, news: news, user: "writer"))
            try? mediator.submit(LikeCommand(action, operationID: nil)) { _ in write(!liked) }
        }
        write(true)
    }

    /// Likes of a news by `count` users named u0, u1 and so on.
    func likeByMany(_ news: NewsID, count: Int) throws {
        for start in stride(from: 0, to: count, by: Limits.batchEntries) {
            let users = start..<min(start + Limits.batchEntries, count)
            try ask(.toggleMany(users.map { .request(ToggleRequest(liked: true, news: news, user: .user($0))) }))
        }
    }

    func likesCount(_ news: NewsID) -> Int64? { reader.detail(news, viewer: nil)?.entry.likesCount }

    func givenLikes(_ user: UserID) -> Int64 { reader.profile(user).numberOfGivenLikes }

    /// The counts of the feed, newest first.
    var feedCounts: [String: Int64] {
        let page = reader.feed(.newest, viewer: nil, after: nil, limit: 1_000)
        return Dictionary(uniqueKeysWithValues: page.entries.map { ($0.stored.news.id.text, $0.likesCount) })
    }
}

/// The answer to a command, which comes on the mediator's thread.
final class Answer: Sendable {
    /// No answer, or one of another kind.
    struct Surprise: Error {}

    private struct State {
        var result: Result<Receipt, Rejection>?
        var times = 0
    }

    private let state = Monitor(State())

    func give(_ result: Result<Receipt, Rejection>) {
        state.withLock { state in
            state.result = result
            state.times += 1
        }
        state.broadcast()
    }

    /// How often an answer came.
    var times: Int { state.withLock { $0.times } }

    /// Waits for the answer.
    var result: Result<Receipt, Rejection> {
        get throws {
            guard state.wait(until: { $0.times > 0 }, milliseconds: Patience.milliseconds),
                let result = state.withLock({ $0.result })
            else { throw Surprise() }
            return result
        }
    }

    var receipt: Receipt { get throws { try result.get() } }

    var rejection: Rejection? {
        get throws {
            if case .failure(let rejection) = try result { return rejection }
            return nil
        }
    }

    var toggle: ToggleReceipt {
        get throws {
            guard case .toggle(let receipt) = try receipt else { throw Surprise() }
            return receipt
        }
    }

    var many: BatchReceipt {
        get throws {
            guard case .many(let receipt) = try receipt else { throw Surprise() }
            return receipt
        }
    }

    var bulk: BulkReceipt {
        get throws {
            guard case .bulk(let receipt) = try receipt else { throw Surprise() }
            return receipt
        }
    }
}

extension LikeCommand.Action {
    static func like(_ news: NewsID, _ user: UserID) -> Self {
        .toggle(ToggleRequest(liked: true, news: news, user: user))
    }

    static func unlike(_ news: NewsID, _ user: UserID) -> Self {
        .toggle(ToggleRequest(liked: false, news: news, user: user))
    }

    static func put(_ id: NewsID, title: String = "", author: UserID? = nil, baseLikes: Int64? = nil) -> Self {
        let news = News(id: id, title: title, author: author, baseLikes: baseLikes ?? 0)
        return .putNews(NewsDraft(news, setsBaseLikes: baseLikes != nil))
    }
}

extension Identifier: ExpressibleByStringLiteral {
    /// An id of a test, written down as a literal.
    public init(stringLiteral text: String) {
        guard let id = try? Self(text) else { preconditionFailure("\(text) is no id") }
        self = id
    }
}

extension Identifier where Subject == UserSubject {
    /// One of many users.
    static func user(_ number: Int) -> Self { Self(stringLiteral: "u\(number)") }
}

extension Identifier where Subject == NewsSubject {
    /// One of many news.
    static func news(_ number: Int) -> Self { Self(stringLiteral: "n\(number)") }
}

extension LikeEvent {
    /// The like that was set, taken back or redated, if that is what happened.
    var like: LikeChange? {
        switch change {
        case .likeAdded(let like), .likeRemoved(let like), .likeRedated(let like): like
        default: nil
        }
    }

    /// What happened, in short.
    var summary: String {
        switch change {
        case .likeAdded(let like): "+\(like.news.text) \(like.user.text)"
        case .likeRemoved(let like): "-\(like.news.text) \(like.user.text)"
        case .newsAdded(let change): "added \(change.news.id.text)"
        case .newsUpdated(let change): "updated \(change.news.id.text)"
        case .newsRemovalStarted(let id): "leaving \(id.text)"
        case .newsRemoved(let id): "removed \(id.text)"
        case .userRemoved(let id): "forgot \(id.text)"
        case .newsMergeStarted(let id, let target): "merging \(id.text) into \(target.text)"
        case .likeRedated(let like): "~\(like.news.text) \(like.user.text)"
        case .newsMerged(let id, let target): "merged \(id.text) into \(target.text)"
        }
    }
}
