/// The profile: for each user the likes given and received, and when that last changed.
package final class ProfileProjection: LikeProjection {
    private var given: ChunkedArray<UInt32>
    private var changes: ChunkedArray<UInt64>
    private var authors = AuthorTotals()

    init() {
        given = ChunkedArray(filler: 0)
        changes = ChunkedArray(filler: 0)
    }

    /// A copy that shares its memory for as long as neither changes it.
    init(frozen other: ProfileProjection) {
        given = other.given.frozenCopy()
        changes = other.changes.frozenCopy()
        authors = other.authors
    }

    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        given = try ChunkedArray(filler: 0, from: &decoder)
        changes = try ChunkedArray(filler: 0, from: &decoder)
        authors = try AuthorTotals(from: &decoder)
    }

    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try given.encode(to: &encoder)
        try changes.encode(to: &encoder)
        try authors.encode(to: &encoder)
    }

    /// The number of news that a user likes.
    func numberOfGivenLikes(_ user: UInt32) -> Int64 { Int(user) < given.count ? Int64(given[user]) : 0 }

    /// The likes of all news that a user wrote, `baseLikes` included; no more than 64 bits can show.
    func numberOfReceivedLikes(_ user: UInt32) -> Int64 { Int64(clamping: authors[user].likes) }

    /// What a user's news come to.
    func total(_ user: UInt32) -> AuthorTotals.Total { authors[user] }

    /// Sets the number of given likes right.
    func correct(_ user: UInt32, to count: UInt32) {
        guard numberOfGivenLikes(user) != Int64(count) else { return }
        given.grow(to: Int(user) + 1)
        changes.grow(to: Int(user) + 1)
        given[user] = count
    }

    /// Sets what a user's news come to right.
    func correct(_ author: UInt32, to total: AuthorTotals.Total) { authors.set(total, of: author) }

    /// Whether a user wrote a news that is there.
    func isAuthor(_ user: UInt32) -> Bool { authors[user].news > 0 }

    /// The users who wrote a news that is there.
    var authorHandles: [UInt32] { authors.handles }

    /// The sequence of the last event that changed what is shown of a user.
    func changedAt(_ user: UInt32) -> UInt64 { Int(user) < changes.count ? changes[user] : 0 }

    package func likeAdded(_ like: FoldedLike) {
        touch(like.user, like.sequence)
        given[like.user] += 1
        receive(1, news: 0, like.author, like.sequence)
    }

    package func likeRemoved(_ like: FoldedLike) {
        touch(like.user, like.sequence)
        given[like.user] -= 1
        receive(-1, news: 0, like.author, like.sequence)
    }

    package func likeRedated(_ like: FoldedLike, from old: Timestamp) { touch(like.user, like.sequence) }

    package func newsAdded(_ news: FoldedNews) {
        receive(news.stored.news.baseLikes, news: 1, news.stored.author, news.sequence)
    }

    package func newsUpdated(_ news: FoldedNews, from old: StoredNews) {
        receive(-(old.news.baseLikes + news.likers), news: -1, old.author, news.sequence)
        receive(news.stored.news.baseLikes + news.likers, news: 1, news.stored.author, news.sequence)
    }

    package func newsRemovalStarted(_ news: FoldedNews) {
        receive(-(news.stored.news.baseLikes + news.likers), news: -1, news.stored.author, news.sequence)
    }

    package func newsRemoved(_ news: FoldedNews) {}

    package func userRemoved(_ user: UInt32, sequence: UInt64) { touch(user, sequence) }

    private func receive(_ likes: Int64, news: Int64, _ author: UInt32?, _ sequence: UInt64) {
        guard let author else { return }
        touch(author, sequence)
        authors.add(likes: likes, news: news, to: author)
    }

    private func touch(_ user: UInt32, _ sequence: UInt64) {
        given.grow(to: Int(user) + 1)
        changes.grow(to: Int(user) + 1)
        changes[user] = sequence
    }
}
