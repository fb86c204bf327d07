/// The profile: for each user the likes given and received, and when that last changed.
package final class ProfileProjection: LikeProjection {
    private var given = ChunkedArray<UInt32>(filler: 0)
    private var changes = ChunkedArray<UInt64>(filler: 0)
    /// Only of users who wrote news; a few among many. Wide, since `baseLikes` alone may add up to more than 64 bits.
    private var received: [UInt32: Int128] = [:]

    init() {}

    /// The number of news that a user likes.
    func numberOfGivenLikes(_ user: UInt32) -> Int64 { Int(user) < given.count ? Int64(given[user]) : 0 }

    /// The likes of all news that a user wrote, `baseLikes` included; no more than 64 bits can show.
    func numberOfReceivedLikes(_ user: UInt32) -> Int64 { Int64(clamping: received[user] ?? 0) }

    /// The sequence of the last event that changed what is shown of a user.
    func changedAt(_ user: UInt32) -> UInt64 { Int(user) < changes.count ? changes[user] : 0 }

    package func likeAdded(_ like: FoldedLike) {
        touch(like.user, like.sequence)
        given[like.user] += 1
        receive(1, like.author, like.sequence)
    }

    package func likeRemoved(_ like: FoldedLike) {
        touch(like.user, like.sequence)
        given[like.user] -= 1
        receive(-1, like.author, like.sequence)
    }

    package func likeRedated(_ like: FoldedLike) { touch(like.user, like.sequence) }

    package func newsAdded(_ news: FoldedNews) {
        receive(news.stored.news.baseLikes, news.stored.author, news.sequence)
    }

    package func newsUpdated(_ news: FoldedNews, from old: StoredNews) {
        receive(-(old.news.baseLikes + news.likers), old.author, news.sequence)
        receive(news.stored.news.baseLikes + news.likers, news.stored.author, news.sequence)
    }

    package func newsRemovalStarted(_ news: FoldedNews) {
        receive(-(news.stored.news.baseLikes + news.likers), news.stored.author, news.sequence)
    }

    package func newsRemoved(_ news: FoldedNews) {}

    package func userRemoved(_ user: UInt32, sequence: UInt64) { touch(user, sequence) }

    private func receive(_ likes: Int64, _ author: UInt32?, _ sequence: UInt64) {
        guard let author else { return }
        touch(author, sequence)
        let total = (received[author] ?? 0) + Int128(likes)
        received[author] = total == 0 ? nil : total
    }

    private func touch(_ user: UInt32, _ sequence: UInt64) {
        given.grow(to: Int(user) + 1)
        changes.grow(to: Int(user) + 1)
        changes[user] = sequence
    }
}
