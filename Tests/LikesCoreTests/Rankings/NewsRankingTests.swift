import TestSupport
import Testing
import Threading

@testable import LikesCore

@Suite("A ranking is what the likes make it, however it came to be")
struct NewsRankingTests {
    /// A ranking in full: ids with their weights.
    private struct Listing: Equatable {
        var lines: [String] = []

        init(_ ranking: any Ranking, in state: LikesState, pageSize: Int) {
            var after: FeedKey?
            repeat {
                let page = ranking.page(after: after, limit: pageSize)
                for news in page {
                    let stored = state.catalog[news.handle]
                    lines.append("\(stored.news.id.text) \(news.weight)")
                    after = FeedKey(weight: news.weight, sortTime: stored.sortTime, id: stored.news.id)
                }
                if page.count < pageSize { return }
            } while true
        }
    }

    private static let names: [RankingName] = [
        .trending(.standard), .trending(HalfLife(milliseconds: 3_600_000)),
        .likes(of: .day, since: Timestamp(milliseconds: 0)),
        .likes(of: .week, since: Timestamp(milliseconds: 1_600_000_000_000)),
        .likes(of: .month, since: Timestamp(milliseconds: 1_700_000_030_000)),
    ]

    private static func fresh(_ name: RankingName, _ state: LikesState) throws -> any Ranking {
        try #require(name.ranking(of: state) { false })
    }

    @Test("kept by the fold it is the one that is made anew, after every batch", arguments: seeds(6))
    func keptIsFresh(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        try life.live(batches: 20)
        try life.shared.write { state in
            for name in Self.names { state.rankings.put(try Self.fresh(name, state), as: name, now: 0) }
        }
        for _ in 0..<120 {
            try life.live(batches: 1)
            try life.shared.read { state in
                for name in Self.names {
                    let kept = try #require(state.rankings.ask(for: name, now: 0))
                    let fresh = try Self.fresh(name, state)
                    #expect(Listing(kept, in: state, pageSize: 3) == Listing(fresh, in: state, pageSize: 1_000))
                }
            }
        }
    }

    @Test("made from an old copy and brought up to date it is the same", arguments: seeds(6))
    func tape(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        for _ in 0..<8 {
            try life.live(batches: 10)
            let tape = FoldTape(limit: .max)
            life.shared.write { $0.rankings.begin(tape) }
            let frozen = FrozenLikes(life.shared)
            try life.live(batches: 15)
            let first = life.shared.read { _ in tape.take() }
            try life.live(batches: 15)
            let second = life.shared.read { _ in tape.take() }
            for name in Self.names {
                let late = try Self.fresh(name, frozen.state)
                first.play(to: late)
                second.play(to: late)
                try life.shared.read { state in
                    let fresh = try Self.fresh(name, state)
                    #expect(Listing(late, in: state, pageSize: 2) == Listing(fresh, in: state, pageSize: 1_000))
                }
            }
            life.shared.write { $0.rankings.end(tape) }
        }
    }

    @Test("made anew it counts the likes of the window, and orders ties by newest, then id", arguments: seeds(3))
    func freshIsRight(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        try life.live(batches: 150)
        let start = Timestamp(milliseconds: 1_600_000_000_000)
        var told = ToldLikes()
        for event in life.journal.events { try told.take(event) }
        try life.shared.read { state in
            let ranked = try Self.fresh(.likes(of: .day, since: start), state).page(after: nil, limit: 1_000)
            #expect(ranked.count == state.catalog.count)
            for news in ranked {
                let likes = told.likers[state.catalog[news.handle].news.id, default: [:]].values
                #expect(news.weight == Int64(likes.count { $0 >= start }))
            }
            let keys = ranked.map { news -> (Int64, Int64, [UInt8]) in
                let stored = state.catalog[news.handle]
                return (-news.weight, -stored.sortTime.milliseconds, Array(stored.news.id.text.utf8))
            }
            for (one, next) in zip(keys, keys.dropFirst()) {
                #expect(
                    (one.0, one.1) < (next.0, next.1)
                        || (one.0, one.1) == (next.0, next.1) && one.2.lexicographicallyPrecedes(next.2))
            }
            #expect(Set(ranked.map(\.weight)).count > 2)
        }
    }

    @Test("making it is called off when the service stops")
    func calledOff() throws {
        let bench = try Bench()
        try bench.put("n")
        try bench.likeByMany("n", count: Limits.rankingStepsPerCheck)
        bench.shared.read { state in
            #expect(RankingName.likes(of: .day, since: .some).ranking(of: state) { true } == nil)
        }
    }
}
