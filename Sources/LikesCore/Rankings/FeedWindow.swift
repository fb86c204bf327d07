/// A stretch of time up to now whose likes the feed can be ordered by.
///
/// It begins at the edge of a bucket, so that likes leave it once a minute or an hour, and not at every moment.
package enum FeedWindow: Sendable, CaseIterable {
    /// 24 hours, to the minute.
    case day
    /// 7 days, to the hour.
    case week
    /// 30 days, to the hour.
    case month

    private var milliseconds: Int64 {
        switch self {
        case .day: 86_400_000
        case .week: 7 * 86_400_000
        case .month: 30 * 86_400_000
        }
    }

    /// Milliseconds from one beginning of the window to the next.
    var bucketMilliseconds: Int64 { self == .day ? 60_000 : 3_600_000 }

    /// The first moment in the window: the bucket that `now` lies in counts in addition to the whole window.
    package func start(at now: Timestamp) -> Timestamp {
        let edge = now.milliseconds - now.milliseconds % bucketMilliseconds
        return Timestamp(milliseconds: edge - milliseconds)
    }
}
