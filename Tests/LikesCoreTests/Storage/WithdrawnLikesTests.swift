import TestSupport
import Testing

@testable import LikesCore

@Suite("Withdrawn likes are remembered, the last so many of them")
struct WithdrawnLikesTests {
    /// `#expect` takes no value that cannot be copied: this holds one.
    private final class Memory {
        private var likes: WithdrawnLikes

        init(capacity: Int) { likes = WithdrawnLikes(capacity: capacity, key: .random()) }

        func contains(serial: UInt32, user: UInt32) -> Bool { likes.contains(serial: serial, user: user) }
        func remember(serial: UInt32, user: UInt32) { likes.remember(serial: serial, user: user) }
    }

    @Test("what was never taken back is not remembered")
    func empty() {
        let likes = Memory(capacity: 3)
        #expect(!likes.contains(serial: 0, user: 0))
    }

    @Test("the oldest memory makes room for the next")
    func oldestGoesFirst() {
        let likes = Memory(capacity: 3)
        for user: UInt32 in 0..<5 { likes.remember(serial: 9, user: user) }
        #expect((0..<6).map { likes.contains(serial: 9, user: $0) } == [false, false, true, true, true, false])
        #expect(!likes.contains(serial: 2, user: 9))
        likes.remember(serial: 9, user: 0)
        #expect((0..<5).map { likes.contains(serial: 9, user: $0) } == [true, false, false, true, true])
    }

    @Test("one user who toggles all day pushes nobody out")
    func togglerTakesOnePlace() {
        let likes = Memory(capacity: 3)
        likes.remember(serial: 1, user: 1)
        likes.remember(serial: 2, user: 2)
        for _ in 0..<100 { likes.remember(serial: 3, user: 3) }
        #expect(likes.contains(serial: 1, user: 1))
        #expect(likes.contains(serial: 2, user: 2))
        #expect(likes.contains(serial: 3, user: 3))
    }

    @Test("however often the ring goes round, it equals the list of the last ones", arguments: seeds(2))
    func equalsList(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let likes = Memory(capacity: 50)
        var list: [[UInt32]] = []
        for _ in 0..<3_000 {
            let (serial, user) = (UInt32.random(in: 0..<10, using: &random), UInt32.random(in: 0..<12, using: &random))
            likes.remember(serial: serial, user: user)
            if !list.contains([serial, user]) { list.append([serial, user]) }
            if list.count > 50 { list.removeFirst() }
            let (askedSerial, asked) = (
                UInt32.random(in: 0..<10, using: &random), UInt32.random(in: 0..<12, using: &random)
            )
            try #require(likes.contains(serial: askedSerial, user: asked) == list.contains([askedSerial, asked]))
        }
    }
}
