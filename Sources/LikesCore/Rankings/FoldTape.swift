/// What was folded while something is being made from a frozen copy, to be played to it afterwards.
final class FoldTape: LikeProjection {
    fileprivate enum Change {
        case likeAdded(FoldedLike)
        case likeRemoved(FoldedLike)
        case likeRedated(FoldedLike, from: Timestamp)
        case newsAdded(FoldedNews)
        case newsUpdated(FoldedNews, from: StoredNews)
        case newsRemovalStarted(FoldedNews)
        case newsRemoved(FoldedNews)
        case userRemoved(UInt32, sequence: UInt64)

        func tell(_ projection: any LikeProjection) {
            switch self {
            case .likeAdded(let like): projection.likeAdded(like)
            case .likeRemoved(let like): projection.likeRemoved(like)
            case .likeRedated(let like, let old): projection.likeRedated(like, from: old)
            case .newsAdded(let news): projection.newsAdded(news)
            case .newsUpdated(let news, let old): projection.newsUpdated(news, from: old)
            case .newsRemovalStarted(let news): projection.newsRemovalStarted(news)
            case .newsRemoved(let news): projection.newsRemoved(news)
            case .userRemoved(let user, let sequence): projection.userRemoved(user, sequence: sequence)
            }
        }
    }

    /// A stretch of what was recorded.
    struct Recording {
        fileprivate var changes: ContiguousArray<Change> = []

        var count: Int { changes.count }

        /// Tells a projection of all changes, in their order.
        func play(to projection: any LikeProjection) {
            for change in changes { change.tell(projection) }
        }
    }

    private var recording = Recording()
    private let limit: Int

    /// Whether more happened than the tape holds: what was to be made has to be made anew.
    private(set) var isFull = false

    /// - Parameter limit: how many changes it holds.
    init(limit: Int) { self.limit = limit }

    /// Takes what was recorded since the last time.
    func take() -> Recording {
        defer { recording = Recording() }
        return recording
    }

    private func record(_ change: Change) {
        if recording.count < limit { recording.changes.append(change) } else { isFull = true }
    }

    package func likeAdded(_ like: FoldedLike) { record(.likeAdded(like)) }
    package func likeRemoved(_ like: FoldedLike) { record(.likeRemoved(like)) }
    package func likeRedated(_ like: FoldedLike, from old: Timestamp) { record(.likeRedated(like, from: old)) }
    package func newsAdded(_ news: FoldedNews) { record(.newsAdded(news)) }
    package func newsUpdated(_ news: FoldedNews, from old: StoredNews) { record(.newsUpdated(news, from: old)) }
    package func newsRemovalStarted(_ news: FoldedNews) { record(.newsRemovalStarted(news)) }
    package func newsRemoved(_ news: FoldedNews) { record(.newsRemoved(news)) }
    package func userRemoved(_ user: UInt32, sequence: UInt64) { record(.userRemoved(user, sequence: sequence)) }
}
