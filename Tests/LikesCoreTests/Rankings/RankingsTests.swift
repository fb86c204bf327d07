import Testing
import Threading

@testable import LikesCore

@Suite("Rankings are made when somebody asks for them, beside running traffic")
struct RankingsTests {
    /// A mediator with rankings, and a clock for them that stands still.
    private struct Trial {
        let bench: Bench
        let rankings: Rankings
        let now = Locked<Int64>(0)

        init(isStarted: Bool = true) throws {
            bench = try Bench(isStarted: isStarted)
            let now = now
            rankings = Rankings(
                bench.shared, mediator: bench.mediator, monotonicClock: Clock { now.withLock { $0 } })
            rankings.start(bench.bus)
        }

        func ask(_ name: RankingName) throws -> Outcome {
            let outcome = Outcome()
            try rankings.prepare(name) { outcome.give($0) }
            return outcome
        }

        func ids(_ name: RankingName) -> [String]? {
            bench.reader.feed(name, viewer: nil, after: nil, limit: 10)?.entries.map(\.stored.news.id.text)
        }

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
        #expect(trial.ids(.trending(.standard)) == nil)
        #expect(try trial.ask(.trending(.standard)).isReady())
        #expect(trial.ids(.trending(.standard))?.first == "b")
        for user in ["u", "v"] as [UserID] { try trial.bench.like("c", by: user) }
        #expect(trial.ids(.trending(.standard)) == ["c", "b", "a"])
        try trial.bench.unlike("c", by: "u")
        try trial.bench.unlike("c", by: "v")
        #expect(trial.ids(.trending(.standard)) == ["b", "a", "c"])
    }

    @Test("many who ask at once all hear of it, and it is made once")
    func manyAsk() throws {
        let trial = try Trial()
        try trial.bench.put("n")
        let outcomes = try (0..<100).map { _ in try trial.ask(.likes(since: .some)) }
        for outcome in outcomes { #expect(try outcome.isReady()) }
        let followers = trial.bench.shared.read { $0.rankings.followerCount }
        #expect(followers == 1)
    }

    @Test("more than may wait are refused as busy; at the stop everybody is refused")
    func limits() throws {
        // The mediator has not started: nothing is made yet.
        let trial = try Trial(isStarted: false)
        let waiting = try (0..<Limits.readsWaitingForRankings).map { number in
            try trial.ask(.likes(since: Timestamp(milliseconds: Int64(number % 7))))
        }
        #expect(throws: Rejection.busy) { try trial.ask(.trending(.standard)) }
        trial.bench.start()
        for outcome in waiting { #expect(try outcome.isReady()) }
        trial.rankings.stop()
        #expect(throws: Rejection.shuttingDown) { try trial.ask(.trending(.standard)) }
    }

    @Test("after the mediator has stopped nobody waits in vain")
    func mediatorStopped() throws {
        let trial = try Trial()
        trial.bench.mediator.stop()
        #expect(try trial.ask(.trending(.standard)).rejection() == .shuttingDown)
        trial.rankings.stop()
    }

    @Test("what nobody asks for is let go of; what is asked for stays")
    func tidyingUp() throws {
        let trial = try Trial()
        try trial.bench.put("n")
        let (window, trending) = (RankingName.likes(since: .some), RankingName.trending(.standard))
        #expect(try trial.ask(window).isReady())
        #expect(try trial.ask(trending).isReady())
        func pass(_ milliseconds: Int64) throws {
            trial.now.withLock { $0 += milliseconds }
            try trial.bench.like("n", by: "u")
            try trial.bench.unlike("n", by: "u")
        }
        try pass(Limits.windowKeptMilliseconds - 1)
        #expect(trial.isThere(window))
        try pass(Limits.rankingTidyingMilliseconds)
        #expect(!trial.isThere(window))
        #expect(trial.isThere(trending))
        try pass(Limits.trendingKeptMilliseconds)
        #expect(!trial.isThere(trending))
        #expect(trial.bench.shared.read { $0.rankings.followerCount } == 0)
    }

    @Test("a tape that is too short says so")
    func fullTape() throws {
        let tape = FoldTape(limit: 2)
        for sequence in 1...3 as ClosedRange<UInt64> {
            #expect(!tape.isFull)
            tape.userRemoved(0, sequence: sequence)
        }
        #expect(tape.isFull)
    }
}
