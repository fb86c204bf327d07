internal import Threading

/// Takes snapshots beside running traffic: whenever enough has happened since the last one, and at the end.
///
/// It hears of every batch on the event bus, and works on a thread of its own, on a frozen copy of the state.
package final class Snapshotter: Sendable {
    /// Keeps a snapshot for good, unless the second argument says, when asked, that it is not wanted any more.
    ///
    /// Returns the position of the oldest snapshot that is kept.
    package typealias Save =
        @Sendable (FrozenLikes, _ isCancelled: @escaping @Sendable () -> Bool) throws(JournalError) -> UInt64

    /// How an attempt ended.
    package enum Report: Sendable {
        /// A snapshot is kept.
        case saved(Saved)
        /// None is, for a reason; it will be tried again.
        case failed(reason: String)
    }

    /// A snapshot that is kept.
    package struct Saved: Sendable, Equatable {
        /// The last event that it holds.
        package let position: UInt64
        /// The last event of the oldest snapshot that is kept; events up to it are not needed to start.
        package let oldestKept: UInt64
        /// The likes that it holds.
        package let likes: Int
        /// How long it took to write.
        package let milliseconds: Int64
    }

    /// The last event that the journal need not keep: the oldest snapshot holds it, and it is too old for live streams
    /// that come back; nil when there is none.
    ///
    /// - Parameters:
    ///   - oldestSnapshot: the last event that the oldest snapshot holds; 0 when there is no snapshot.
    ///   - last: the last event.
    ///   - keeping: events that stay for live streams, however many the snapshots hold; tests make it small.
    package static func droppable(
        oldestSnapshot: UInt64, last: UInt64, keeping: UInt64 = Limits.keptEvents
    ) -> UInt64? {
        guard oldestSnapshot > 0, last > keeping else { return nil }
        return min(oldestSnapshot, last - keeping)
    }

    private struct Progress {
        /// The last event that is folded.
        var position: UInt64
        /// The last event of the newest snapshot.
        var snapshot: UInt64
        /// The position from which on the next one is due.
        var due: UInt64
        var failures: UInt64 = 0
        var isStopping = false

        mutating func saved(_ position: UInt64, likes: Int) {
            snapshot = position
            failures = 0
            due = position + max(Limits.snapshotEvents, UInt64(likes) / Limits.snapshotShare)
        }
    }

    private let shared: SharedLikes
    private let save: Save
    private let report: @Sendable (Report) -> Void
    private let progress: Monitor<Progress>
    private let thread = Locked<Thread?>(nil)

    /// - Parameters:
    ///   - snapshot: the position of the newest snapshot that can be used; 0 for none.
    ///   - report: called after each attempt, on the snapshotter's thread or in `stop`.
    package init(
        _ shared: SharedLikes, snapshot: UInt64, save: @escaping Save,
        report: @escaping @Sendable (Report) -> Void
    ) {
        self.shared = shared
        self.save = save
        self.report = report
        let (position, likes) = shared.read { ($0.position, Int($0.log.count)) }
        var progress = Progress(position: position, snapshot: snapshot, due: 0)
        progress.saved(snapshot, likes: likes)
        self.progress = Monitor(progress)
    }

    /// Begins to listen and to work.
    package func start(_ bus: EventBus) {
        bus.subscribe(to: FoldedBatch.self, self) { snapshotter, batch in
            if let last = batch.events.last { snapshotter.note(last.sequence) }
        }
        let thread = Thread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    private func note(_ position: UInt64) {
        let isDue = progress.withLock { progress in
            progress.position = position
            return position >= progress.due
        }
        if isDue { progress.signal() }
    }

    private func run() {
        while progress.wait(
            until: { $0.isStopping || $0.position >= $0.due }, then: { !$0.isStopping })
        {
            take { [progress] in progress.withLock { $0.isStopping } }
        }
    }

    private func take(_ isCancelled: @escaping @Sendable () -> Bool) {
        let start = MonotonicClock.milliseconds()
        let frozen = FrozenLikes(shared)
        do throws(JournalError) {
            let oldest = try save(frozen, isCancelled)
            progress.withLock { $0.saved(frozen.position, likes: frozen.likes) }
            report(
                .saved(
                    Saved(
                        position: frozen.position, oldestKept: oldest, likes: frozen.likes,
                        milliseconds: MonotonicClock.milliseconds() - start)))
        } catch {
            progress.withLock { progress in
                // Later and later: what fails costs time, and says so in the log.
                let later = Limits.snapshotRetryEvents << min(progress.failures, 8)
                progress.due = progress.position + min(later, Limits.snapshotLatestRetry)
                progress.failures += 1
            }
            if !isCancelled() { report(.failed(reason: error.reason)) }
        }
    }

    /// Ends the work, and takes a last snapshot when that is worth it, so that the next start is quick.
    ///
    /// Call it when nothing is folded any more.
    ///
    /// - Parameter deadline: in monotonic milliseconds; a snapshot that would take longer is given up.
    package func stop(deadline: Int64) {
        progress.withLock { $0.isStopping = true }
        progress.broadcast()
        thread.withLock { $0.take() }?.join()
        let missing = progress.withLock { $0.position - $0.snapshot }
        guard missing >= Limits.snapshotAtStopEvents else { return }
        take { MonotonicClock.milliseconds() >= deadline }
    }
}
