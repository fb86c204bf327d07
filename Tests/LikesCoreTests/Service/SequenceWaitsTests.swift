import Testing
import Threading

@testable import LikesCore

@Suite("Reads wait until an event is folded, for a while")
struct SequenceWaitsTests {
    private let bus = EventBus()
    private let shared = SharedLikes(LikesState())
    private let clock = Locked<Int64>(1_000)
    private let heard = Heard()
    private let waits: SequenceWaits

    init() {
        let clock = clock
        waits = SequenceWaits(LikesReader(shared, epoch: .random())) { clock.withLock { $0 } }
    }

    /// Folds an event, and tells the bus of it.
    private func live() throws {
        bus.publish(FoldedBatch(events: [try fold()]))
    }

    private func fold() throws -> LikeEvent {
        try shared.write { state in
            let sequence = state.position + 1
            let event = LikeEvent(
                sequence: sequence, at: .some,
                change: .newsAdded(NewsChange(news: News(id: .news(Int(sequence)), title: ""), likesCount: 0)))
            try state.fold(event)
            return event
        }
    }

    private func wait(for sequence: UInt64) {
        waits.wait(for: sequence) { [heard] in heard.write("\(sequence) \($0)") }
    }

    @Test("what is folded is not waited for")
    func atOnce() throws {
        waits.start(bus)
        defer { waits.stop() }
        try live()
        wait(for: 0)
        wait(for: 1)
        #expect(heard.lines == ["0 folded", "1 folded"])
        #expect(waits.count == 0)
    }

    @Test("a batch lets those go on that waited for no more than it")
    func byABatch() throws {
        waits.start(bus)
        defer { waits.stop() }
        for sequence: UInt64 in [2, 1, 3, 2] { wait(for: sequence) }
        #expect(heard.lines.isEmpty)
        try live()
        #expect(heard.lines == ["1 folded"])
        try live()
        #expect(heard.lines == ["1 folded", "2 folded", "2 folded"])
        #expect(waits.count == 1)
        try live()
        #expect(heard.lines.last == "3 folded")
        #expect(waits.count == 0)
    }

    @Test("a batch that came between the wait and the beginning to listen is not missed")
    func beforeTheStart() throws {
        wait(for: 1)
        try live()
        #expect(heard.lines.isEmpty)
        waits.start(bus)
        #expect(heard.lines == ["1 folded"])
        waits.stop()
    }

    @Test("what is folded, but not told on the bus yet, is seen")
    func beforeTheBus() throws {
        waits.start(bus)
        defer { waits.stop() }
        wait(for: 2)
        _ = try fold()
        wait(for: 1)
        #expect(heard.lines == ["1 folded"])
    }

    @Test("each is sent away when it has waited for long enough, and not before")
    func late() throws {
        wait(for: 7)
        clock.withLock { $0 += 500 }
        wait(for: 7)
        clock.withLock { $0 += Limits.sequenceWaitMilliseconds - 501 }
        waits.expire()
        #expect(heard.lines.isEmpty)
        clock.withLock { $0 += 1 }
        waits.expire()
        #expect(heard.lines == ["7 late"])
        clock.withLock { $0 += 500 }
        waits.expire()
        #expect(heard.lines == ["7 late", "7 late"])
        #expect(waits.count == 0)
    }

    @Test("the clock is looked at without anybody asking")
    func byItsOwnThread() throws {
        let clock = Locked<Int64>(0)
        // Each look is a long time after the one before.
        let waits = SequenceWaits(LikesReader(shared, epoch: .random())) {
            clock.withLock { now in
                now += Limits.sequenceWaitMilliseconds
                return now
            }
        }
        waits.start(bus)
        defer { waits.stop() }
        let outcomes = Monitor<[String]>([])
        for round in 1...3 {
            waits.wait(for: 9) { outcome in
                outcomes.withLock { $0.append("\(outcome)") }
                outcomes.signal()
            }
            try #require(outcomes.wait(until: { $0.count == round }, milliseconds: Patience.milliseconds))
        }
        #expect(outcomes.withLock { $0 } == ["late", "late", "late"])
    }

    @Test("so many wait, and no more")
    func full() throws {
        waits.start(bus)
        defer { waits.stop() }
        for _ in 0..<Limits.waitingReads { wait(for: 1) }
        #expect(heard.lines.isEmpty)
        wait(for: 1)
        #expect(heard.lines == ["1 full"])
        wait(for: 0)
        #expect(heard.lines.last == "0 folded", "what need not wait needs no place")
        try live()
        #expect(heard.lines.count { $0 == "1 folded" } == Limits.waitingReads)
        wait(for: 2)
        #expect(waits.count == 1)
    }

    @Test("at the end nobody waits any more")
    func stop() throws {
        waits.start(bus)
        wait(for: 1)
        wait(for: 2)
        waits.stop()
        #expect(heard.lines == ["1 shuttingDown", "2 shuttingDown"])
        wait(for: 3)
        #expect(heard.lines.last == "3 shuttingDown")
        wait(for: 0)
        #expect(heard.lines.last == "0 folded")
        try live()
        #expect(heard.lines.count == 4)
    }
}
