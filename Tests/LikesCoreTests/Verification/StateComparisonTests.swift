import TestSupport
import Testing
import Threading

@testable import LikesCore

@Suite("Two states are the same in all that can be observed, or the difference is named")
struct StateComparisonTests {
    private static func differences(_ left: SharedLikes, _ right: SharedLikes) -> [String] {
        StateComparison(FrozenLikes(left).state, FrozenLikes(right).state, limit: 50).differences
    }

    @Test("one that lived, one that was replayed and one that a snapshot brought back", arguments: seeds(6))
    func same(seed: UInt64) throws {
        var life = RandomLife(seed: seed, dustLimit: 40)
        for _ in 0..<6 {
            try life.live(batches: 30)
            let replayed = try replay(life.journal)
            #expect(Self.differences(life.shared, replayed) == [])
            #expect(Self.differences(replayed, life.shared) == [])
            let restored = SharedLikes(try SnapshotBytes(FrozenLikes(life.shared)).state())
            #expect(Self.differences(restored, replayed) == [])
        }
    }

    @Test("one event more is a difference, whatever it is", arguments: seeds(3))
    func oneMore(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        try life.live(batches: 30)
        let events = life.journal.events
        for count in events.count - 40..<events.count {
            let shorter = try replay(RecordingJournal(events: Array(events.prefix(count))))
            let longer = try replay(RecordingJournal(events: Array(events.prefix(count + 1))))
            #expect(!Self.differences(shorter, longer).isEmpty)
            #expect(!Self.differences(longer, shorter).isEmpty)
        }
    }

    private static let base: [LikeEvent.Change] = [
        .newsAdded(NewsChange(news: News(id: "a", title: "A", author: "w"), likesCount: 0)),
        .newsAdded(NewsChange(news: News(id: "b", title: "B"), likesCount: 0)), like("a", "u", 1, 1),
        like("b", "u", 1, 2), like("a", "v", 2, 1),
    ]

    private static func like(_ news: NewsID, _ user: UserID, _ count: Int64, _ given: Int64) -> LikeEvent.Change {
        .likeAdded(
            LikeChange(news: news, user: user, likesCount: count, numberOfGivenLikes: given, firstTime: true))
    }

    private static func unlike(_ news: NewsID, _ user: UserID, _ count: Int64, _ given: Int64) -> LikeEvent.Change {
        .likeRemoved(
            LikeChange(news: news, user: user, likesCount: count, numberOfGivenLikes: given, firstTime: false))
    }

    private static func state(_ changes: [LikeEvent.Change], at: (Int) -> Int64 = { Int64($0) }) throws -> SharedLikes {
        try replay(
            RecordingJournal(
                events: changes.enumerated().map { index, change in
                    LikeEvent(
                        sequence: UInt64(index + 1), at: Timestamp(milliseconds: at(index)), change: change)
                }))
    }

    @Test("another history of as many events is named")
    func named() throws {
        let base = try Self.state(Self.base)
        func differences(_ index: Int, _ change: LikeEvent.Change) throws -> String {
            var changes = Self.base
            changes[index] = change
            return Self.differences(base, try Self.state(changes)).joined(separator: "; ")
        }
        #expect(
            try differences(1, .newsAdded(NewsChange(news: News(id: "b", title: "Another"), likesCount: 0))).contains(
                "news \"b\""))
        #expect(
            try differences(0, .newsAdded(NewsChange(news: News(id: "a", title: "A"), likesCount: 0))).contains(
                "user \"w\" is on one side only"))
        #expect(try differences(4, Self.like("a", "x", 2, 1)).contains("user \"v\" is on one side only"))
        #expect(try differences(4, Self.like("b", "v", 2, 1)).contains("the detail's count of news \"a\": 2 and 1"))
        let later = try Self.state(Self.base) { $0 == 4 ? 99 : Int64($0) }
        #expect(Self.differences(base, later).contains { $0.contains("the likes of news \"a\"") })
        var other = Self.base
        other.swapAt(2, 3)
        other[2] = Self.like("b", "u", 1, 1)
        other[3] = Self.like("a", "u", 1, 2)
        #expect(Self.differences(base, try Self.state(other)).contains { $0.contains("the likes by user \"u\"") })
    }

    @Test("what is remembered of likes that were taken back")
    func withdrawn() throws {
        let once = try Self.state(Self.base + [Self.unlike("a", "v", 1, 0), Self.like("a", "x", 2, 1)])
        let never = try Self.state(
            Self.base.dropLast() + [Self.like("a", "y", 2, 1), Self.unlike("a", "y", 1, 0), Self.like("a", "x", 2, 1)])
        for pair in [(once, never), (never, once)] {
            #expect(
                Self.differences(pair.0, pair.1).contains {
                    $0.contains("liked news \"a\" before") || $0.contains("user")
                })
        }
    }

    @Test("counts that were damaged", arguments: Damage.repairable)
    func damaged(damage: Damage) throws {
        let bench = try Damage.bench()
        let whole = FrozenLikes(bench.shared)
        try bench.shared.write { state in damage.plant(state, try Damage.Handles(state)) }
        #expect(!StateComparison(whole.state, FrozenLikes(bench.shared).state).isEqual)
    }

    @Test("no more are told than are wanted")
    func limit() throws {
        let base = FrozenLikes(try Self.state(Self.base)).state
        for limit in 1...4 {
            #expect(StateComparison(base, LikesState(), limit: limit).differences.count == limit)
        }
    }
}
