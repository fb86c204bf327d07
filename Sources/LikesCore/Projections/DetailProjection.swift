/// The detail: for each news its count and when it last changed.
package final class DetailProjection: LikeProjection {
    private var counts: ChunkedArray<Int64>
    private var changes: ChunkedArray<UInt64>

    init() {
        counts = ChunkedArray(filler: 0)
        changes = ChunkedArray(filler: 0)
    }

    /// A copy that shares its memory for as long as neither changes it.
    init(frozen other: DetailProjection) {
        counts = other.counts.frozenCopy()
        changes = other.changes.frozenCopy()
    }

    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        counts = try ChunkedArray(filler: 0, from: &decoder)
        changes = try ChunkedArray(filler: 0, from: &decoder)
    }

    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try counts.encode(to: &encoder)
        try changes.encode(to: &encoder)
    }

    /// The likes of a news, `baseLikes` included.
    func likesCount(_ handle: UInt32) -> Int64 { counts[handle] }

    /// Sets a count right.
    func correct(_ handle: UInt32, to count: Int64) { counts[handle] = count }

    /// The sequence of the last event that changed what is shown of a news.
    func changedAt(_ handle: UInt32) -> UInt64 { changes[handle] }

    package func likeAdded(_ like: FoldedLike) { count(by: 1, like) }

    package func likeRemoved(_ like: FoldedLike) { count(by: -1, like) }

    package func likeRedated(_ like: FoldedLike, from old: Timestamp) { count(by: 0, like) }

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
