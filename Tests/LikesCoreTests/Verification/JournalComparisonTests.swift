import TestSupport
import Testing
import Threading

@testable import LikesCore

@Suite("The kept events say what the likes say")
struct JournalComparisonTests {
    private static func kept(_ events: [LikeEvent], first: UInt64 = 1) -> KeptEvents {
        KeptEvents(first: { first <= events.last?.sequence ?? 0 ? first : nil }) { sequence, limit in
            Array(events.drop { $0.sequence <= sequence || $0.sequence < first }.prefix(limit))
        }
    }

    private static func report(_ frozen: FrozenLikes, _ kept: KeptEvents) throws -> VerificationReport {
        var verification = Verification(frozen)
        try verification.compare(kept)
        return verification.report
    }

    @Test("from whichever event on they are kept, and whatever came after the frozen position", arguments: seeds(6))
    func agreement(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            try life.live(batches: 10)
            let frozen = FrozenLikes(life.shared)
            try life.live(batches: 2)
            let events = life.journal.events
            for _ in 0..<5 {
                let first = UInt64.random(in: 1...UInt64(events.count) + 1, using: &random)
                let report = try Self.report(frozen, Self.kept(events, first: first))
                #expect(report.isClean, "from \(first): \(report.findings)")
            }
        }
        #expect(life.journal.events.count > Limits.comparedEvents)
    }

    private static func changed(_ event: LikeEvent, likes: Int64 = 0, given: Int64 = 0) -> LikeEvent {
        guard case .likeAdded(let like) = event.change else { return event }
        return LikeEvent(
            sequence: event.sequence, at: event.at,
            change: .likeAdded(
                LikeChange(
                    news: like.news, user: like.user, likesCount: like.likesCount + likes,
                    numberOfGivenLikes: like.numberOfGivenLikes + given, firstTime: like.firstTime)))
    }

    @Test("what does not agree is found")
    func disagreement() throws {
        let bench = try Damage.bench()
        try bench.like("n0", by: "last")
        let frozen = FrozenLikes(bench.shared)
        let events = bench.journal.events
        let last = events.count - 1
        func places(_ change: (inout [LikeEvent]) -> Void) throws -> [String] {
            var changed = events
            change(&changed)
            return try Self.report(frozen, Self.kept(changed)).findings.map(\.place)
        }
        #expect(try places { _ in } == [])
        #expect(
            try places { $0[last] = Self.changed($0[last], likes: 1) } == [
                "the last count of news \"n0\" in the journal"
            ])
        #expect(
            try places { $0[last] = Self.changed($0[last], given: -1) }
                == ["the last count of user \"last\" in the journal"])
        #expect(try places { $0.remove(at: 10) } == ["the journal before event 12"])
        #expect(try places { $0.removeLast() }.contains("the end of the journal"))
        #expect(
            try places {
                $0[0] = LikeEvent(
                    sequence: 1, at: .some,
                    change: .newsAdded(NewsChange(news: News(id: "n0", title: "", baseLikes: 7), likesCount: 7)))
            } == ["baseLikes of news \"n0\" in the journal"])
    }

    @Test("the count that comes with a news is compared, and may be missing, as in older journals")
    func countOfNews() throws {
        let bench = try Damage.bench()
        try bench.put("n1", baseLikes: 7)
        let frozen = FrozenLikes(bench.shared)
        let events = bench.journal.events
        let last = try #require(events.last)
        guard case .newsUpdated(let change) = last.change, let likesCount = change.likesCount else {
            Issue.record("the last event is \(last)")
            return
        }
        for (count, places) in [
            (likesCount + 1, ["the last count of news \"n1\" in the journal"]), (likesCount, []), (nil, []),
        ] {
            let told = NewsChange(news: change.news, likesCount: count)
            let event = LikeEvent(sequence: last.sequence, at: last.at, change: .newsUpdated(told))
            let report = try Self.report(frozen, Self.kept(events.dropLast() + [event]))
            #expect(report.findings.map(\.place) == places)
        }
    }

    @Test("events that are dropped while it reads are none that are missing")
    func dropped() throws {
        let journal = HotNews.journal(["hot"], likers: 3 * Limits.comparedEvents)
        let bench = try Bench(journal: journal)
        let events = journal.events
        let first = Locked<UInt64>(1)
        let kept = KeptEvents(first: { first.withLock { $0 } }) { sequence, limit in
            defer { first.withLock { $0 = 2_500 } }
            let oldest = first.withLock { $0 }
            return Array(events.drop { $0.sequence <= sequence || $0.sequence < oldest }.prefix(limit))
        }
        let report = try Self.report(FrozenLikes(bench.shared), kept)
        #expect(report.isClean, "\(report.findings)")
    }

    @Test("a journal that cannot be read ends it, and none that is kept leaves it out")
    func unreadable() throws {
        let bench = try Damage.bench()
        let failing = KeptEvents(first: { 1 }) { _, _ throws(JournalError) in throw .unavailable("no disk") }
        #expect(throws: VerificationStop.self) { _ = try Self.report(FrozenLikes(bench.shared), failing) }
        let nothing = KeptEvents(first: { nil }) { _, _ in [] }
        #expect(try Self.report(FrozenLikes(bench.shared), nothing).isClean)
    }

    @Test("a state that was made again is the same, and one that is not is found", arguments: seeds(2))
    func madeAgain(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        try life.live(batches: 60)
        var verification = Verification(FrozenLikes(life.shared))
        let again = LikesState()
        try again.replay(life.journal)
        verification.compare(with: again)
        #expect(verification.report.isClean)
        let short = LikesState()
        try short.replay(RecordingJournal(events: Array(life.journal.events.dropLast())))
        verification.compare(with: short)
        #expect(!verification.report.isClean)
    }
}
