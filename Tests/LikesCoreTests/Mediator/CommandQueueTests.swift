import Synchronization
import Testing
import Threading

@testable import LikesCore

@Suite("The queue gathers commands, but waits for nobody in vain")
struct CommandQueueTests {
    /// Longer than a test may take: who waits for so long hangs.
    private static let forever = 3_600_000_000

    private let queue = CommandQueue()

    private func put(_ count: Int) throws {
        for number in 0..<count {
            try queue.put(Submission(command: LikeCommand(.removeNews(try NewsID("n\(number)"))), done: { _ in }))
        }
    }

    /// Gathers on another thread while `body` runs; what is there then.
    private func gathered(_ count: Int, while body: () throws -> Void) throws -> Int {
        let gatherer = Thread { [queue] in queue.gather(count, microseconds: Self.forever) }
        try body()
        gatherer.join()
        var assignments: [Assignment] = []
        _ = queue.take(&assignments, waiting: 0)
        return assignments.count
    }

    @Test("it goes on when as many wait as were wanted")
    func enough() throws {
        #expect(try gathered(3) { try put(3) } == 3)
        try put(2)
        #expect(try gathered(2) {} == 2)
    }

    @Test("an errand and the end of the queue wait for nobody")
    func interrupted() throws {
        #expect(try gathered(3) { try queue.put(errand: {}) } == 0)
        _ = queue.takeErrands()
        #expect(
            try gathered(3) {
                try put(1)
                queue.close()
            } == 1)
    }

    @Test("after the time that it had it goes on with what is there")
    func late() throws {
        try put(1)
        queue.gather(2, microseconds: 1_000)
        var assignments: [Assignment] = []
        #expect(queue.take(&assignments, waiting: 0))
        #expect(assignments.count == 1)
        // Whoever comes next wakes it again.
        let taker = Thread { [queue] in
            var taken: [Assignment] = []
            _ = queue.take(&taken, waiting: nil)
        }
        try put(1)
        taker.join()
    }

    @Test("whoever gives answers learns how many others have come meanwhile")
    func meanwhile() throws {
        try put(3)
        var assignments: [Assignment] = []
        #expect(queue.take(&assignments, waiting: 0))
        try put(2)
        #expect(queue.release(commands: 3, entries: 3) == 2)
        #expect(queue.depth == 2)
    }
}
