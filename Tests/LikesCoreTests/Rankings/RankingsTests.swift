import Testing
import Threading

@testable import LikesCore

@Suite("Rankings are made when somebody asks for them, beside running traffic")
struct RankingsTests {
    /// A mediator with rankings, and a clock for them that stands still.
    private struct Trial {
        let bench: Bench
        let reader: LikesReader
        let rankings: Rankings
        let now = Locked<Int64>(0)

        init(isStarted: Bool = true, recordedChanges: Int = Limits.recordedChanges) throws {
            bench = try Bench(isStarted: isStarted)
            let now = now
            let clock = Clock { now.withLock { $0 } }
            reader = LikesReader(bench.shared, epoch: bench.journal.epoch, monotonicClock: clock)
            rankings = Rankings(
                bench.shared, mediator: bench.mediator, monotonicClock: clock, recordedChanges: recordedChanges)
            rankings.start(bench.bus)
        }

        func ask(_ name: RankingName) throws -> Outcome {
            let outcome = Outcome()
            try rankings.prepare(name) { outcome.give($0) }
            return outcome
        }

        func ids(_ name: RankingName) -> [String]? {
            reader.feed(name, viewer: nil, after: nil, limit: 10)?.entries.map(\.stored.news.id.text)
        }

        var followers: Int { bench.shared.read { $0.rankings.followerCount } }

        func isThere(_ name: RankingName) -> Bool { bench.shared.read { $0.rankings.has(name) } }
    }

    /// How it ended for somebody who waited.
    private final class Outcome: Sendable {
        private let results = Monitor<[Rejection?]>([])

        func give(_ result: Result<Void, Rejection>) {
            results.withLock { results in
                if case .failure(let rejection) = result { results.append(rejection) } else { results.append(nil) }
            }
            results.broadcast()
        }

        /// Waits for it.
        func isReady() throws -> Bool {
            try #require(results.wait(until: { !$0.isEmpty }, milliseconds: Patience.milliseconds))
            return results.withLock { $0 == [nil] }
        }

        func rejection() throws -> Rejection? {
            try #require(results.wait(until: { !$0.isEmpty }, milliseconds: Patience.milliseconds))
            return results.withLock { $0[0] }
        }
    }

    @Test("asked for it is there, with all that was written before and since")
    func asked() throws {
        let trial = try Trial()
        for id in ["a", "b", "c"] as [NewsID] { try trial.bench.put(id) }
        try trial.bench.like("b", by: "u")
        #expect(trial.ids(Self.trending) == nil)
        #expect(try trial.ask(Self.trending).isReady())
        #expect(trial.ids(Self.trending)?.first == "b")
        for user in ["u", "v"] as [UserID] { try trial.bench.like("c", by: user) }
        #expect(trial.ids(Self.trending) == ["c", "b", "a"])
        try trial.bench.unlike("c", by: "u")
        try trial.bench.unlike("c", by: "v")
        #expect(trial.ids(Self.trending) == ["b", "a", "c"])
    }

    @Test("many who ask at once all hear of it, and it is made once")
    func manyAsk() throws {
        let trial = try Trial()
        try trial.bench.put("n")
        let outcomes = try (0..<100).map { _ in try trial.ask(Self.window) }
        for outcome in outcomes { #expect(try outcome.isReady()) }
        #expect(trial.followers == 1)
    }

    private static let window = RankingName.likes(of: .day, since: .some)
    private static let trending = RankingName.trending(.standard)

    @Test("more than may wait are refused as busy; at the stop everybody is refused")
    func limits() throws {
        // The mediator has not started: nothing is made yet.
        let trial = try Trial(isStarted: false)
        let waiting = try (0..<Limits.readsWaitingForRankings).map { number in
            try trial.ask(.likes(of: .day, since: Timestamp(milliseconds: Int64(number % 7))))
        }
        #expect(throws: Rejection.busy) { try trial.ask(Self.trending) }
        trial.bench.start()
        for outcome in waiting { #expect(try outcome.isReady()) }
        trial.rankings.stop()
        #expect(throws: Rejection.shuttingDown) { try trial.ask(Self.trending) }
    }

    @Test("a stop refuses those who wait, and leaves nobody to be told")
    func stopWhileMaking() throws {
        let trial = try Trial(isStarted: false)
        let outcome = try trial.ask(Self.trending)
        // The maker waits for the mediator, which has not begun.
        trial.rankings.stop()
        #expect(try outcome.rejection() == .shuttingDown)
        trial.bench.start()
        trial.bench.mediator.stop()
        #expect(trial.followers == 0)
    }

    @Test("after the mediator has stopped nobody waits in vain")
    func mediatorStopped() throws {
        let trial = try Trial()
        trial.bench.mediator.stop()
        #expect(try trial.ask(Self.trending).rejection() == .shuttingDown)
        trial.rankings.stop()
    }

    @Test("a queue that is full refuses no ranking, and leaves no tape behind")
    func fullQueue() throws {
        let trial = try Trial(isStarted: false)
        let writes = try (0..<Limits.queuedCommands).map { try trial.bench.submit(.put(.news($0))) }
        let outcome = try trial.ask(Self.window)
        trial.bench.start()
        #expect(try outcome.isReady())
        for write in writes { _ = try write.receipt }
        #expect(trial.followers == 1)
    }

    @Test("when more happens than a tape holds, whoever waits is refused as busy, and no tape is left")
    func shortTape() throws {
        let trial = try Trial(recordedChanges: 0)
        try trial.bench.put("n")
        // Something happens between any two rounds, since each answer is followed by another write.
        let going = Locked(true)
        trial.bench.keepWriting("n", while: going)
        #expect(try trial.ask(Self.window).rejection() == .busy)
        going.withLock { $0 = false }
        #expect(trial.followers == 0)
    }

    @Test("what nobody asks for is let go of; what is asked for stays")
    func tidyingUp() throws {
        let trial = try Trial()
        try trial.bench.put("n")
        #expect(try trial.ask(Self.window).isReady())
        #expect(try trial.ask(Self.trending).isReady())
        func pass(_ milliseconds: Int64) throws {
            trial.now.withLock { $0 += milliseconds }
            try trial.bench.like("n", by: "u")
            try trial.bench.unlike("n", by: "u")
        }
        try pass(Limits.dayKeptMilliseconds - 1)
        #expect(trial.isThere(Self.window))
        #expect(trial.ids(Self.window) == ["n"])
        try pass(Limits.dayKeptMilliseconds - 1)
        #expect(trial.isThere(Self.window))
        try pass(Limits.rankingTidyingMilliseconds)
        #expect(!trial.isThere(Self.window))
        #expect(trial.isThere(Self.trending))
        try pass(Limits.rankingKeptMilliseconds)
        #expect(!trial.isThere(Self.trending))
        #expect(trial.followers == 0)
    }

    @Test("without any write, too, there are at most two of a window")
    func movingOn() throws {
        let trial = try Trial()
        for minute in 0..<10 as Range<Int64> {
            for (window, length) in [(FeedWindow.day, Int64(60_000)), (.week, 3_600_000)] {
                let start = Timestamp(milliseconds: minute * length)
                #expect(try trial.ask(.likes(of: window, since: start)).isReady())
            }
        }
        #expect(trial.followers == 4)
        #expect(trial.isThere(.likes(of: .day, since: Timestamp(milliseconds: 8 * 60_000))))
        #expect(trial.isThere(.likes(of: .week, since: Timestamp(milliseconds: 9 * 3_600_000))))
    }

    @Test("until the next of a window is made, the one before is shown, but no older one")
    func oneBefore() throws {
        let trial = try Trial()
        func day(_ minute: Int64) -> RankingName { .likes(of: .day, since: Timestamp(milliseconds: minute * 60_000)) }
        #expect(trial.reader.present(day(5)) == day(5))
        #expect(try trial.ask(day(5)).isReady())
        #expect(trial.reader.present(day(5)) == day(5))
        #expect(trial.reader.present(day(6)) == day(5))
        #expect(trial.reader.present(day(7)) == day(7))
        trial.rankings.prepareAhead(day(6))
        #expect(try trial.ask(day(6)).isReady())
        #expect(trial.reader.present(day(6)) == day(6))
        #expect(trial.followers == 2)
        #expect(trial.reader.present(Self.trending) == Self.trending)
    }

    @Test("a window begins at a full minute or hour, and the one before it a minute or hour earlier")
    func windowStarts() {
        let now = Timestamp(milliseconds: 1_700_000_123_456)
        for (window, length, bucket) in [
            (FeedWindow.day, Int64(86_400_000), Int64(60_000)), (.week, 604_800_000, 3_600_000),
            (.month, 2_592_000_000, 3_600_000),
        ] {
            let start = window.start(at: now).milliseconds
            #expect(start % bucket == 0)
            #expect(length..<(length + bucket) ~= now.milliseconds - start)
            let edge = Timestamp(milliseconds: start + length)
            #expect(window.start(at: edge).milliseconds == start)
            #expect(window.start(at: Timestamp(milliseconds: edge.milliseconds - 1)).milliseconds == start - bucket)
            let name = RankingName.likes(of: window, since: Timestamp(milliseconds: start))
            #expect(name.previous == .likes(of: window, since: Timestamp(milliseconds: start - bucket)))
        }
        #expect(Self.trending.previous == nil)
    }
}
