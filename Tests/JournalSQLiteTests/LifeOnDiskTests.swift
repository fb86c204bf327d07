import JournalSQLite
import LikesCore
import TestSupport
import Testing
import Threading

@Suite("A service on the SQLite journal")
struct LifeOnDiskTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Likes and unlikes at random, and reads everything at the end.
    private func live(_ random: inout some RandomNumberGenerator) throws -> [String] {
        let journal = try SQLiteJournal(folder: folder.path)
        let shared = try replay(journal)
        let reader = LikesReader(shared, epoch: journal.epoch)
        let mediator = LikesMediator(journal: journal, state: shared, bus: EventBus())
        let unanswered = Locked(400)
        for number in 0..<400 {
            let news = try NewsID("n\(Int.random(in: 0..<8, using: &random))")
            let user = try UserID("u\(Int.random(in: 0..<20, using: &random))")
            let action: LikeCommand.Action =
                switch Int.random(in: 0..<30, using: &random) {
                case 0: .removeNews(news)
                case 1, 2: .putNews(NewsDraft(News(id: news, title: "t\(number)", author: user), setsBaseLikes: false))
                case 3: .unlikeAll(user, of: nil)
                case 4: .mergeNews(news, into: try NewsID("n\(Int.random(in: 0..<8, using: &random))"))
                default: .toggle(ToggleRequest(liked: Bool.random(using: &random), news: news, user: user))
                }
            try mediator.submit(LikeCommand(action)) { _ in unanswered.withLock { $0 -= 1 } }
        }
        mediator.start()
        mediator.stop()
        #expect(unanswered.withLock { $0 } == 0)
        journal.close()
        return try Self.read(reader)
    }

    private static func read(_ reader: LikesReader) throws -> [String] {
        var lines = ["\(reader.position)"]
        for order in [FeedOrder.newest, .top] {
            for entry in reader.feed(order, viewer: try UserID("u1"), after: nil, limit: 100).entries {
                let id = entry.stored.news.id
                lines.append("\(id.text) \(entry.stored.news.title) \(entry.likesCount) \(entry.viewerLikes == true)")
                let likers = reader.likers(id, before: nil, limit: 100)?.likes ?? []
                lines.append(likers.map { "\($0.user.text) \($0.likedAt.rfc3339)" }.joined(separator: ","))
            }
        }
        for number in 0..<8 { lines.append(reader.redirect(of: try NewsID("n\(number)"))?.text ?? "-") }
        for number in 0..<20 {
            let profile = reader.profile(try UserID("u\(number)"))
            lines.append("\(profile.numberOfGivenLikes) \(profile.numberOfReceivedLikes) \(profile.sequence)")
        }
        return lines
    }

    @Test("what was lived through is there after each restart", arguments: 1...3)
    func restarts(seed: UInt64) throws {
        var random = Multiplier(state: seed)
        for _ in 0..<3 {
            let lived = try live(&random)
            let journal = try SQLiteJournal(folder: folder.path)
            let reader = LikesReader(try replay(journal), epoch: journal.epoch)
            #expect(try Self.read(reader) == lived)
            #expect(lived.count > 20)
        }
    }

    /// Random numbers with a seed: a linear congruential generator, mixed (Knuth's MMIX constants).
    private struct Multiplier: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
