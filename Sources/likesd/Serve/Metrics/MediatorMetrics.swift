internal import LikesCore
internal import Metrics
internal import Threading

/// Counts what the mediator does: one more subscriber of the event bus, of which the mediator knows nothing.
final class MediatorMetrics: Sendable {
    private struct State {
        var likes = 0
        var unlikes = 0
        var unchangedLikes = 0
        var unchangedUnlikes = 0
        var commitEvents = Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000])
        var commitTimes = Histogram(bounds: Histogram.microseconds)
    }

    private let state = Locked(State())

    /// Begins to count.
    func start(_ bus: EventBus) {
        bus.subscribe(to: RoundReport.self, self) { metrics, report in metrics.count(report) }
    }

    private func count(_ report: RoundReport) {
        state.withLock { state in
            state.likes += report.tally.likes
            state.unlikes += report.tally.unlikes
            state.unchangedLikes += report.tally.unchangedLikes
            state.unchangedUnlikes += report.tally.unchangedUnlikes
            guard let microseconds = report.commitMicroseconds else { return }
            state.commitEvents.observe(Int64(report.events))
            state.commitTimes.observe(microseconds)
        }
    }

    /// Writes what was counted.
    func write(to text: inout MetricsText) {
        let state = state.withLock { $0 }
        text.metric(
            "likesd_likes_added_total", .counter,
            "Likes that were set; those that a merge moves are taken back and set.", state.likes)
        text.metric(
            "likesd_likes_removed_total", .counter,
            "Likes that were taken back, also by the deletion of a news or a user, or a merge.", state.unlikes)
        text.metric(
            "likesd_noops_total", .counter, "Likes and unlikes that were asked for and changed nothing.",
            [([("op", "like")], state.unchangedLikes), ([("op", "unlike")], state.unchangedUnlikes)])
        text.histogram(
            "likesd_commit_events", "Events that were made durable together.", unit: 1, [([], state.commitEvents)])
        text.histogram(
            "likesd_commit_duration_seconds", "Time until a commit was durable.", unit: 1e6, [([], state.commitTimes)])
    }
}
