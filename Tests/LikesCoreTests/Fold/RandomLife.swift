import TestSupport
import Threading

@testable import LikesCore

/// A service that lives through random commands, in batches that depend on the seed alone.
struct RandomLife {
    let journal = RecordingJournal()
    let shared: SharedLikes
    let news: [NewsID] = (0..<14).map { .news($0) }
    let users: [UserID] = (0..<25).map { .user($0) } + ["caf\u{E9}", "cafe\u{301}", "n1"]
    private var random: SeededRandom
    private var now: Int64 = 1_700_000_000_000

    /// - Parameter dustLimit: small, so that sweeps are part of the life that is compared with a replay.
    init(seed: UInt64, dustLimit: UInt32 = 100) {
        random = SeededRandom(seed: seed)
        shared = SharedLikes(LikesState(dustLimit: dustLimit))
    }

    var reader: LikesReader { LikesReader(shared, epoch: journal.epoch) }

    /// Lives through some batches of commands; sometimes the journal refuses one.
    mutating func live(batches: Int) throws {
        for _ in 0..<batches {
            now += Int64.random(in: 0...2_000, using: &random)
            let time = now
            // A mediator for each batch: what was submitted before the start is decided together.
            let mediator = LikesMediator(
                journal: journal, state: shared, bus: EventBus(), createsUnknownNews: random.once(in: 3),
                clock: Clock { time })
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                try mediator.submit(LikeCommand(action(), operationID: operationID())) { _ in }
            }
            let fails = random.once(in: 15)
            journal.failAppends { _ in fails }
            mediator.start()
            mediator.stop()
        }
    }

    private mutating func operationID() -> OperationID? {
        random.once(in: 3) ? OperationID("op-\(UInt16.random(in: 0...9, using: &random))") : nil
    }

    private mutating func someNews() -> NewsID { news.randomElement(using: &random) ?? news[0] }

    private mutating func someUser() -> UserID { users.randomElement(using: &random) ?? users[0] }

    private mutating func toggle() -> ToggleRequest {
        ToggleRequest(
            liked: Int.random(in: 0..<5, using: &random) < 3, news: someNews(), user: someUser(),
            at: random.once(in: 4) ? Timestamp(milliseconds: Int64.random(in: 0...now, using: &random)) : nil)
    }

    private mutating func draft() -> NewsDraft {
        let base = random.once(in: 2) ? Int64.random(in: 0...5, using: &random) : nil
        let publishedAt = random.once(in: 3) ? Int64.random(in: now - 50_000...now, using: &random) : nil
        let news = News(
            id: someNews(), title: "t\(UInt8.random(in: 0...3, using: &random))",
            author: random.once(in: 2) ? someUser() : nil, url: nil,
            publishedAt: publishedAt.map { Timestamp(milliseconds: $0) }, baseLikes: base ?? 0)
        return NewsDraft(news, setsBaseLikes: base != nil)
    }

    private mutating func action() -> LikeCommand.Action {
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<5: return .putNews(draft())
        case 5: return .putManyNews([.request(draft()), .malformed(code: "", detail: ""), .request(draft())])
        case 6, 7: return .removeNews(someNews())
        case 8: return .likeAll(someUser(), of: nil)
        case 9: return .unlikeAll(someUser(), of: nil)
        case 10: return .likeAll(someUser(), of: [someNews(), someNews()])
        case 11: return .unlikeAll(someUser(), of: [someNews(), someNews()])
        case 12: return .removeUser(someUser())
        case 18, 19: return .mergeNews(someNews(), into: someNews())
        case 13..<18: return .toggleMany((0..<6).map { _ in .request(toggle()) })
        default: return .toggle(toggle())
        }
    }
}
