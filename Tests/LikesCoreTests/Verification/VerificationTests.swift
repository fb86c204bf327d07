import TestSupport
import Testing
import Threading

@testable import LikesCore

@Suite("A verification finds nothing wrong, whenever it looks")
struct VerificationTests {
    private static func report(_ shared: SharedLikes) throws -> VerificationReport {
        var verification = Verification(FrozenLikes(shared))
        try verification.recount()
        return verification.report
    }

    @Test("at random moments of a random life, in the middle of sweeps too", arguments: seeds(8))
    func randomLife(seed: UInt64) throws {
        var life = RandomLife(seed: seed, dustLimit: 40)
        var sweeps = 0
        for _ in 0..<120 {
            try life.live(batches: 2)
            let report = try Self.report(life.shared)
            #expect(report.isClean, "\(report.findings)")
            #expect(report.sequence == life.reader.position)
            let (isSweeping, likes) = life.shared.read { ($0.log.sweep != nil, Int($0.log.count)) }
            #expect(report.likes == likes)
            if isSweeping { sweeps += 1 }
        }
        #expect(sweeps > 0)
    }

    @Test("in slices, each of a later state than the one before", arguments: seeds(8))
    func slices(seed: UInt64) throws {
        var life = RandomLife(seed: seed, dustLimit: 40)
        var place = Verifier.Place()
        var passes = 0
        for _ in 0..<150 {
            try life.live(batches: 1)
            var verifier = Verifier(FrozenLikes(life.shared).state)
            if let next = try verifier.advance(from: place, steps: 25) {
                #expect(next != place)
                place = next
            } else {
                passes += 1
                place = Verifier.Place()
            }
            #expect(verifier.tally.drift == 0 && verifier.tally.orphans == 0, "\(verifier.tally.findings)")
        }
        #expect(passes > 2)
    }

    @Test("in the middle of a deletion, whose likes count for users until they are withdrawn")
    func cascade() throws {
        let journal = HotNews.journal(["hot"], likers: Limits.cascadeLikes + 50, author: "writer", baseLikes: 3)
        let bench = try Bench(journal: journal)
        journal.failAppends { events in
            if case .newsRemovalStarted = events.first?.change { return false }
            return true
        }
        #expect(try bench.submit(.removeNews("hot")).rejection == .journalUnavailable)
        let isUnderWay = bench.shared.read { state in
            state.catalog.leavingHandles.contains { state.log.count(.ofNews, of: $0) > 0 }
        }
        #expect(isUnderWay)
        let report = try Self.report(bench.shared)
        #expect(report.isClean, "\(report.findings)")
        #expect(report.news == 1 && report.likes > 0)
        var verifier = Verifier(FrozenLikes(bench.shared).state)
        #expect(try verifier.advance(from: Verifier.Place(), steps: .max) == nil)
        #expect(verifier.tally.drift == 0, "\(verifier.tally.findings)")
    }

    @Test("of a state that a snapshot brought back", arguments: seeds(3))
    func snapshot(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        try life.live(batches: 60)
        let state = try SnapshotBytes(FrozenLikes(life.shared)).state()
        let report = try Self.report(SharedLikes(state))
        #expect(report.isClean && report.likes > 0, "\(report.findings)")
    }

    @Test("of nothing at all")
    func empty() throws {
        let report = try Self.report(SharedLikes(LikesState()))
        #expect(
            report
                == VerificationReport(
                    sequence: 0, drift: 0, orphans: 0, news: 0, users: 0, likes: 0, findings: []))
    }

    @Test("it ends when it is called off, on the longest chain too")
    func cancelled() throws {
        let bench = try Bench(journal: HotNews.journal(["hot"], likers: Limits.chainSteps * 2))
        let frozen = FrozenLikes(bench.shared)
        let looks = Locked(0)
        for allowed in 0..<4 {
            looks.withLock { $0 = 0 }
            var verifier = Verifier(frozen.state) {
                looks.withLock { looks in
                    looks += 1
                    return looks > allowed
                }
            }
            #expect(throws: VerificationStop.self) { _ = try verifier.advance(from: Verifier.Place(), steps: .max) }
        }
        var verification = Verification(frozen, isCancelled: { true })
        #expect(throws: VerificationStop.self) { try verification.recount() }
    }
}
