import Testing

@testable import EventStreams
@testable import LikesCore

@Suite("The ring holds the last events, in a bounded room")
struct EventRingTests {
    private func block(_ sequences: ClosedRange<UInt64>) throws -> EventBlock {
        try #require(EventBlock.blocks(of: likes(sequences), PlainFormat()).first)
    }

    @Test("each event is found by the one before it")
    func finds() throws {
        var ring = EventRing(after: 10)
        for start in stride(from: UInt64(11), through: 101, by: 10) {
            #expect(ring.append(try block(start...start + 9)))
        }
        #expect((ring.after, ring.through) == (10, 110))
        for sequence in UInt64(10)..<110 {
            let found = try #require(ring.block(after: sequence))
            #expect(found.after <= sequence && sequence < found.through)
        }
        #expect(ring.block(after: 110) == nil && ring.block(after: 9) == nil)
    }

    @Test("the oldest make room, by their number and by their bytes")
    func bounded() throws {
        var ring = EventRing(after: 0)
        for sequence in 1...UInt64(3 * StreamLimits.ringEvents) { _ = ring.append(try block(sequence...sequence)) }
        let kept = ring.through - ring.after
        #expect(ring.through == UInt64(3 * StreamLimits.ringEvents))
        #expect(kept <= StreamLimits.ringEvents && kept > 4_000)
        #expect(ring.block(after: ring.after)?.through == ring.after + 1)
        #expect(ring.block(after: ring.after - 1) == nil)
    }

    @Test("behind a gap nothing older is left")
    func gap() throws {
        var ring = EventRing(after: 0)
        #expect(ring.append(try block(1...5)))
        #expect(!ring.append(try block(8...9)))
        #expect((ring.after, ring.through) == (7, 9))
        #expect(ring.block(after: 5) == nil && ring.block(after: 7) != nil)
    }

    @Test("what nobody has taken yet is bounded, too, and has no gap")
    func intake() {
        let intake = EventIntake()
        var next: UInt64 = 1
        for _ in 0..<50 {
            #expect(!intake.put(likes(next...next + 999)), "nobody waits for it")
            next += 1_000
        }
        let taken = intake.take()
        #expect(taken.count <= StreamLimits.ringEvents && taken.count > 4_000)
        #expect(taken.map(\.sequence) == Array((50_001 - UInt64(taken.count))...50_000))
        #expect(!intake.hasEventsOrWakes())
        #expect(intake.put(likes(next...next)), "now somebody does")
        #expect(!intake.put(likes(next + 1...next + 1)), "and was woken")
        #expect(intake.hasEventsOrWakes())
    }

    @Test("one batch beyond all bounds is kept whole: it is the newest")
    func largeBatch() {
        let intake = EventIntake()
        _ = intake.put(likes(1...10))
        _ = intake.put(likes(11...40_000))
        #expect(intake.take().map(\.sequence) == Array(11...40_000))
    }

    @Test("blocks are bounded, and follow each other")
    func blocks() {
        let blocks = EventBlock.blocks(of: likes(1...10_000), PlainFormat())
        #expect(blocks.allSatisfy { $0.through - $0.after <= StreamLimits.blockEvents })
        #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.through == $1.after })
        #expect(blocks.first?.after == 0 && blocks.last?.through == 10_000)
    }
}
