import Testing
import Threading

@testable import LikesCore

@Suite("The snapshotter takes snapshots when enough has happened, and at the end")
struct SnapshotterTests {
    /// Positions that were saved, and what was reported.
    private final class Saves: Sendable {
        private let positions = Monitor<[UInt64]>([])
        private let reports = Locked<[Snapshotter.Report]>([])
        private let isFull = Locked(false)

        func save(_ frozen: FrozenLikes) throws(JournalError) -> UInt64 {
            if isFull.withLock({ $0 }) { throw .unavailable("the disk is full") }
            positions.withLock { $0.append(frozen.position) }
            positions.broadcast()
            return frozen.position
        }

        func fill(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }
        func report(_ report: Snapshotter.Report) {
            reports.withLock { $0.append(report) }
            positions.broadcast()
        }

        var all: [UInt64] { positions.withLock { $0 } }
        var failures: [String] {
            reports.withLock { $0 }.compactMap { if case .failed(let reason) = $0 { reason } else { nil } }
        }
        func wait(for count: Int) -> Bool {
            positions.wait(until: { $0.count >= count }, milliseconds: Patience.milliseconds)
        }
        func waitForFailure() -> Bool {
            positions.wait(until: { _ in !failures.isEmpty }, milliseconds: Patience.milliseconds)
        }
    }

    private let saves = Saves()
    private let bus = EventBus()
    private let shared = SharedLikes(LikesState())

    private func snapshotter(snapshot: UInt64 = 0) -> Snapshotter {
        let saves = saves
        return Snapshotter(shared, snapshot: snapshot) { frozen, _ throws(JournalError) in
            try saves.save(frozen)
        } report: {
            saves.report($0)
        }
    }

    /// Makes so many news, one event each.
    private func live(_ count: Int) throws {
        let first = shared.read { $0.position } + 1
        let events = (first..<first + UInt64(count)).map {
            LikeEvent(
                sequence: $0, at: .some,
                change: .newsAdded(NewsChange(news: News(id: .news(Int($0)), title: ""), likesCount: 0)))
        }
        try shared.write { state in for event in events { try state.fold(event) } }
        bus.publish(FoldedBatch(events: events))
    }

    @Test("after so many events, and again after so many more")
    func whenDue() throws {
        let snapshotter = snapshotter()
        snapshotter.start(bus)
        try live(Int(Limits.snapshotEvents) - 1)
        #expect(saves.all.isEmpty)
        try live(1)
        #expect(saves.wait(for: 1))
        try live(Int(Limits.snapshotEvents))
        #expect(saves.wait(for: 2))
        snapshotter.stop(deadline: .max)
        #expect(saves.all == [Limits.snapshotEvents, 2 * Limits.snapshotEvents])
    }

    @Test("at the end, when it is worth it")
    func atTheEnd() throws {
        let snapshotter = snapshotter()
        snapshotter.start(bus)
        try live(Int(Limits.snapshotAtStopEvents))
        snapshotter.stop(deadline: .max)
        #expect(saves.all == [Limits.snapshotAtStopEvents])
    }

    @Test("at the end, not for a few events")
    func notForAFew() throws {
        let snapshotter = snapshotter()
        snapshotter.start(bus)
        try live(Int(Limits.snapshotAtStopEvents) - 1)
        snapshotter.stop(deadline: .max)
        #expect(saves.all.isEmpty)
    }

    @Test("one that failed is reported and tried again")
    func triesAgain() throws {
        saves.fill(true)
        let snapshotter = snapshotter()
        snapshotter.start(bus)
        try live(Int(Limits.snapshotEvents))
        #expect(saves.waitForFailure())
        #expect(saves.failures == ["the disk is full"])
        saves.fill(false)
        try live(Int(Limits.snapshotRetryEvents))
        #expect(saves.wait(for: 1))
        snapshotter.stop(deadline: .max)
    }

    @Test("a start that replayed much takes one soon")
    func afterALongReplay() throws {
        try live(Int(Limits.snapshotEvents) + 5)
        let snapshotter = snapshotter()
        snapshotter.start(bus)
        #expect(saves.wait(for: 1))
        snapshotter.stop(deadline: .max)
        #expect(saves.all == [Limits.snapshotEvents + 5])
    }

    @Test("the one at the end is told to give up at its deadline")
    func givesUp() throws {
        let asked = Heard()
        let snapshotter = Snapshotter(shared, snapshot: 0) { frozen, isCancelled throws(JournalError) in
            asked.write("\(isCancelled())")
            throw .unavailable("")
        } report: { _ in
        }
        snapshotter.start(bus)
        try live(Int(Limits.snapshotAtStopEvents))
        snapshotter.stop(deadline: MonotonicClock.milliseconds())
        #expect(asked.lines == ["true"])
    }
}
