internal import Metrics
internal import Threading

/// Counts snapshots, and what the start found.
final class SnapshotMetrics: Sendable {
    private struct State {
        var sequence: UInt64 = 0
        var taken: UInt64 = 0
        var failed: UInt64 = 0
        var replayed: UInt64 = 0
        var replayMilliseconds: Int64 = 0
    }

    private let state = Locked(State())

    /// The service has started from a snapshot, and from the events behind it.
    func restored(snapshot: UInt64, replayed: UInt64, milliseconds: Int64) {
        state.withLock { state in
            state.sequence = snapshot
            state.replayed = replayed
            state.replayMilliseconds = milliseconds
        }
    }

    /// A snapshot was taken.
    func saved(_ sequence: UInt64) {
        state.withLock { state in
            state.sequence = sequence
            state.taken += 1
        }
    }

    /// A snapshot could not be taken.
    func failed() { state.withLock { $0.failed += 1 } }

    /// Writes what was counted.
    func write(to text: inout MetricsText) {
        let state = state.withLock { $0 }
        text.metric(
            "likesd_replay_duration_seconds", .gauge, "Time that the start took to read snapshot and journal.",
            Double(state.replayMilliseconds) / 1_000)
        text.metric(
            "likesd_replayed_events", .gauge, "Events that the start read from the journal.", state.replayed)
        text.metric(
            "likesd_snapshot_sequence", .gauge, "The last event in the newest snapshot; 0 for none.", state.sequence)
        text.metric("likesd_snapshots_total", .counter, "Snapshots that were taken.", state.taken)
        text.metric("likesd_snapshot_failures_total", .counter, "Snapshots that could not be taken.", state.failed)
    }
}
