import Testing

@testable import EventStreams
@testable import LikesCore

@Suite("What a reader follows that has followed some news from the beginning")
struct MergeHistoryTests {
    /// The ids, in their order, that are followed from some others.
    private func followed(_ history: MergeHistory, _ ids: String..., through sequence: UInt64) -> [String] {
        history.followed(from: ids.map(news), through: sequence).map(\.text).sorted()
    }

    private func history(_ events: LikeEvent..., limit: Int = 100) -> MergeHistory {
        let history = MergeHistory(limit: limit)
        for event in events { history.put([like(event.sequence - 1), event]) }
        return history
    }

    @Test("a chain of merges, as far as it went by then")
    func chain() {
        let history = history(merge(10, "a", into: "b"), merge(20, "b", into: "c"), merge(30, "c", into: "d"))
        #expect(followed(history, "a", through: 9) == ["a"])
        #expect(followed(history, "a", through: 10) == ["a", "b"])
        #expect(followed(history, "a", through: 29) == ["a", "b", "c"])
        #expect(followed(history, "a", through: .max) == ["a", "b", "c", "d"])
        #expect(followed(history, "c", "x", through: 30) == ["c", "d", "x"])
        #expect(followed(history, through: 30) == [])
    }

    @Test("all of it in one batch")
    func batch() {
        let history = MergeHistory()
        history.put([merge(1, "a", into: "b"), like(2), merge(3, "b", into: "c")])
        #expect(followed(history, "a", through: 3) == ["a", "b", "c"])
        #expect(followed(history, "a", through: 2) == ["a", "b"])
    }

    @Test("what has been merged on is followed until that is done, and what is removed until it is gone")
    func ends() {
        let history = history(
            merge(10, "a", into: "b"), merged(15, "a", into: "b"), merge(20, "b", into: "c"),
            merged(25, "b", into: "c"), removed(30, "c"))
        #expect(followed(history, "a", through: 15) == ["a", "b"])
        #expect(followed(history, "a", through: 24) == ["a", "b", "c"])
        #expect(followed(history, "a", through: 25) == ["a", "c"])
        #expect(followed(history, "a", through: 29) == ["a", "c"])
        #expect(followed(history, "a", through: 30) == ["a"])
        #expect(followed(history, "a", "b", through: 30) == ["a", "b"])
    }

    @Test("what an id stood for before or after is another news")
    func otherLives() {
        let history = history(
            merge(10, "b", into: "x"), merged(11, "b", into: "x"), merge(20, "a", into: "b"), removed(30, "b"),
            merge(40, "b", into: "y"), merge(50, "z", into: "b"))
        #expect(followed(history, "a", through: 25) == ["a", "b"])
        #expect(followed(history, "a", through: 60) == ["a"])
        #expect(followed(history, "z", through: 60) == ["b", "z"])
        #expect(followed(history, "b", through: 60) == ["b", "x", "y"])
    }

    @Test("an id that is freed and merged again leads to both")
    func again() {
        let history = history(
            merge(10, "a", into: "b"), merge(20, "a", into: "c"), merge(30, "b", into: "d"), merge(40, "c", into: "a"))
        #expect(followed(history, "a", through: 15) == ["a", "b"])
        #expect(followed(history, "a", through: 25) == ["a", "b", "c"])
        #expect(followed(history, "a", through: 40) == ["a", "b", "c", "d"])
        #expect(followed(history, "c", through: 40) == ["a", "c"])
    }

    @Test("two news that go the same way, and one whose end is that of an earlier one's")
    func ways() {
        let history = history(
            merge(10, "a", into: "c"), merge(20, "b", into: "c"), removed(30, "c"), merge(40, "b", into: "c"),
            merge(50, "c", into: "d"))
        #expect(followed(history, "a", "b", through: 29) == ["a", "b", "c"])
        #expect(followed(history, "a", "b", through: 60) == ["a", "b", "c", "d"])
        #expect(followed(history, "a", through: 60) == ["a"])
    }

    @Test("the oldest are forgotten, and the others stay")
    func bound() {
        let history = MergeHistory(limit: 10)
        for number in 1...1_000 as ClosedRange<UInt64> {
            history.put([merge(number, "\(number % 7)", into: "t\(number)")])
        }
        // The end of what no remembered merge leads to takes no place.
        for number in 1_001...1_990 as ClosedRange<UInt64> { history.put([removed(number, "t\(number - 1_000)")]) }
        let targets = (0..<7).flatMap { followed(history, "\($0)", through: .max).filter { $0.hasPrefix("t") } }
        #expect(targets.sorted() == (991...1_000).map { "t\($0)" }.sorted())
    }

    @Test("from the journal first, then from what happens")
    func streams() throws {
        let house = try House([like(1), merge(2, "a", into: "b"), like(3)])
        #expect(Set(house.streams.followed(from: [news("a")], through: 3)) == [news("a"), news("b")])
        house.tell([merge(4, "b", into: "c")])
        #expect(Set(house.streams.followed(from: [news("a")], through: 4)) == [news("a"), news("b"), news("c")])
        #expect(Set(house.streams.followed(from: [news("a")], through: 3)) == [news("a"), news("b")])
    }
}
