/// The detail: for each news its count and when it last changed.
package final class DetailProjection: LikeProjection {
    private var counts = ChunkedArray<Int64>(filler: 0)
    private var changes = ChunkedArray<UInt64>(filler: 0)

    init() {}

    /// The likes of a news, `baseLikes` included.
    func likesCount(_ handle: UInt32) -> Int64 { counts[handle] }

    /// The sequence of the last event that changed what is shown of a news.
    func changedAt(_ handle: UInt32) -> UInt64 { changes[handle] }

    package func likeAdded(_ like: FoldedLike) { count(by: 1, like) }

    package func likeRemoved(_ like: FoldedLike) { count(by: -1, like) }

    package func likeRedated(_ like: FoldedLike) { count(by: 0, like) }

    private func count(by difference: Int64, _ like: FoldedLike) {
        counts[like.news] += difference
        changes[like.news] = like.sequence
    }

    package func newsAdded(_ news: FoldedNews) {
        counts.grow(to: Int(news.handle) + 1)
        changes.grow(to: Int(news.handle) + 1)
        counts[news.handle] = news.stored.news.baseLikes
        changes[news.handle] = news.sequence
    }

    package func newsUpdated(_ news: FoldedNews, from old: StoredNews) {
        counts[news.handle] += news.stored.news.baseLikes - old.news.baseLikes
        changes[news.handle] = news.sequence
    }

    package func newsRemovalStarted(_ news: FoldedNews) { changes[news.handle] = news.sequence }

    package func newsRemoved(_ news: FoldedNews) { changes[news.handle] = news.sequence }

    package func userRemoved(_ user: UInt32, sequence: UInt64) {}
}
