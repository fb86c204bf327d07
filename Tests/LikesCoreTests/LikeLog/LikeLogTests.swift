import TestSupport
import Testing

@testable import LikesCore

@Suite("The like log says what a plain set of likes would say")
struct LikeLogTests {
    static let settings = [
        LogTrial.Setting(name: "one news, few users", news: 1, users: 5),
        LogTrial.Setting(name: "one news, many users", news: 1, users: 800),
        LogTrial.Setting(name: "many news, one user", news: 800, users: 1),
        LogTrial.Setting(name: "few of both", news: 6, users: 9, dustLimit: 70),
        LogTrial.Setting(name: "many of both", news: 60, users: 90, dustLimit: 500),
        LogTrial.Setting(name: "addresses go round soon", news: 12, users: 30, start: 0xFFFF_FF00),
        LogTrial.Setting(name: "addresses go round in the next chunk", news: 12, users: 30, start: 0xFFFE_F000),
        LogTrial.Setting(name: "addresses go round, from the last chunk", news: 12, users: 30, start: 0xFFFF_0000),
        LogTrial.Setting(name: "huge gaps", news: 8, users: 40, dustLimit: 300, hugeGapOnceIn: 30),
        LogTrial.Setting(
            name: "huge gaps while addresses go round", news: 8, users: 40, dustLimit: 1_000, start: 0xFFFF_FE40,
            hugeGapOnceIn: 20),
        LogTrial.Setting(
            name: "entries that fit the short form", news: 60, users: 90, dustLimit: 500, strayTimeOnceIn: .max),
        LogTrial.Setting(
            name: "short entries, and a long one now and then", news: 60, users: 90, dustLimit: 500,
            strayTimeOnceIn: 500),
        LogTrial.Setting(
            name: "short entries while addresses go round", news: 12, users: 30, start: 0xFFFF_FE40,
            strayTimeOnceIn: .max),
        LogTrial.Setting(
            name: "short entries and huge gaps", news: 8, users: 40, dustLimit: 300, hugeGapOnceIn: 30,
            strayTimeOnceIn: .max),
    ]

    @Test("whatever is added and removed, at every stage of a sweep", arguments: settings, seeds(2))
    func equalsModel(setting: LogTrial.Setting, seed: UInt64) throws {
        let trial = LogTrial(setting, seed: seed)
        var wasSweeping = false
        for step in 0..<4_000 {
            // It fills, is toggled, empties, and fills again.
            try trial.change(likes: [8, 5, 5, 2][step / 1_000])
            if step % 5 == 0 { try trial.checkSomePart() }
            let turned = wasSweeping != trial.isSweeping
            wasSweeping = trial.isSweeping
            if step % 1_000 == 0 || (turned && trial.random.once(in: 4)) || trial.changesInSweep == 9 {
                try trial.checkEverything()
            }
        }
        try trial.checkEverything()
        #expect(trial.sweepsBegun > 1)
        #expect(trial.sweepsEnded > 1)
    }

    @Test("a cursor goes on where it stood, though its like was taken back and given again")
    func cursorOutlivesItsLike() {
        let log = LikeLog()
        for user: UInt32 in 0..<10 { log.add(news: 0, user: user, at: .some, sequence: UInt64(user) + 1) }
        let page = log.part(.ofNews, of: 0, before: nil, limit: 4, steps: 100)
        #expect(page.likes.map(\.handle) == [9, 8, 7, 6])
        log.remove(news: 0, user: 6)
        log.add(news: 0, user: 6, at: .some, sequence: 12)
        let next = log.part(.ofNews, of: 0, before: page.rest, limit: 4, steps: 100)
        #expect(next.likes.map(\.handle) == [5, 4, 3, 2])
        #expect(log.part(.ofNews, of: 0, before: nil, limit: 2, steps: 100).likes.map(\.handle) == [6, 9])
    }

    @Test("a repeated like and a like that is not there change nothing")
    func repeatedChangesNothing() {
        let log = LikeLog()
        #expect(log.add(news: 3, user: 4, at: Timestamp(milliseconds: 5), sequence: 1))
        #expect(!log.add(news: 3, user: 4, at: Timestamp(milliseconds: 6), sequence: 2))
        #expect(log.remove(news: 4, user: 3) == nil)
        #expect(log.likedAt(news: 3, user: 4) == Timestamp(milliseconds: 5))
        #expect(log.count(.ofNews, of: 3) == 1)
        #expect(log.count(.ofUser, of: 4) == 1)
        #expect(log.count == 1)
    }

    @Test("a news handle that is used again begins without likes, also in the middle of a sweep")
    func handleUsedAgain() throws {
        let trial = LogTrial(LogTrial.Setting(name: "", news: 5, users: 60, dustLimit: 100), seed: 7)
        var generations = 0
        for step in 0..<8_000 {
            try trial.change(likes: 6)
            guard step % 400 == 399 || (trial.changesInSweep == 5 && trial.random.once(in: 3)) else { continue }
            let news = UInt32.random(in: 0..<5, using: &trial.random)
            for like in trial.model.chain(.ofNews, of: news) {
                trial.log.remove(news: news, user: like.user)
                _ = trial.model.remove(news: news, user: like.user)
            }
            generations += 1
            #expect(trial.log.part(.ofNews, of: news, before: nil, limit: 1, steps: 1).likes.isEmpty)
            try trial.checkEverything()
        }
        #expect(generations > 20)
        #expect(trial.sweepsEnded > 2)
    }
}

@Suite("The like log stays small and quick")
struct LikeLogBoundsTests {
    @Test("toggling hundreds of thousands of times by few users does not grow it")
    func togglingIsBounded() {
        let log = LikeLog()
        var largest: UInt32 = 0
        for step: UInt64 in 1...200_000 {
            let (news, user) = (UInt32(step % 3), UInt32(step % 7))
            log.add(news: news, user: user, at: .some, sequence: step * 2 - 1)
            log.sweep(steps: 16)
            log.remove(news: news, user: user)
            log.sweep(steps: 16)
            largest = max(largest, log.ring.occupied)
        }
        #expect(log.count == 0)
        #expect(largest < LikeLog.defaultDustLimit * 5 / 4)
    }

    @Test("however many likes were taken back, the newest are found in a few steps")
    func newestPageIsShort() {
        let log = LikeLog()
        var users = Array(UInt32(0)..<10_000)
        for user in users { log.add(news: 0, user: user, at: .some, sequence: UInt64(user) + 1) }
        var random = SeededRandom(seed: 1)
        users.removeFirst(5)
        for user in users.shuffled(using: &random) { log.remove(news: 0, user: user) }
        // Nothing was swept: the dead entries are still there.
        #expect(log.deadCount == 9_995)
        let page = log.part(.ofNews, of: 0, before: nil, limit: Limits.newestLikers, steps: Limits.newestLikers)
        #expect(page.likes.map(\.handle) == [4, 3, 2])
    }

    @Test("a sweep is through before an eighth more entries have died")
    func sweepKeepsUp() throws {
        let trial = LogTrial(LogTrial.Setting(name: "", news: 50, users: 100, dustLimit: 400), seed: 3)
        for _ in 0..<4_000 { try trial.change(likes: 8) }
        for _ in 0..<8_000 {
            try trial.change(likes: 5)
            #expect(trial.log.deadCount <= 400 + trial.log.count / 4 + 128)
        }
        #expect(trial.sweepsEnded > 3)
    }

    @Test("a page deep in a list of many is found from the log, not by walking the list")
    func deepPageIsFound() {
        let log = LikeLog()
        for user: UInt32 in 0..<50_000 { log.add(news: 0, user: user, at: .some, sequence: UInt64(user) + 1) }
        for before: UInt64 in [2, 25_000, 49_999, 50_001, 90_000] {
            let page = log.part(.ofNews, of: 0, before: before, limit: 2, steps: 2)
            #expect(page.likes.first?.sequence == min(before, 50_001) - 1)
        }
        #expect(log.part(.ofNews, of: 0, before: 1, limit: 2, steps: 2).likes.isEmpty)
    }
}

extension Timestamp {
    /// A time that does not matter.
    static let some = Timestamp(milliseconds: 1_000_000_000_000)
}
