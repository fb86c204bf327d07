/// One of the screens of the service: what it shows, kept up to date by the mediator alone.
///
/// Projections never know each other. Each is told of every change, in order of sequence, under the write lock, and
/// keeps only what it shows.
package protocol LikeProjection: AnyObject {
    /// A user has come to like a news.
    func likeAdded(_ like: FoldedLike)
    /// A user has taken a like back.
    func likeRemoved(_ like: FoldedLike)
    /// A like got another time in the place of an old one.
    func likeRedated(_ like: FoldedLike, from old: Timestamp)
    /// A news was made; it has no likes yet.
    func newsAdded(_ news: FoldedNews)
    /// A news was replaced by another description of it.
    func newsUpdated(_ news: FoldedNews, from old: StoredNews)
    /// A news is gone for callers, to be removed or merged into another; its likes are being withdrawn.
    func newsRemovalStarted(_ news: FoldedNews)
    /// A news is gone, and so are all its likes.
    func newsRemoved(_ news: FoldedNews)
    /// A user was forgotten; all its likes were taken back before.
    func userRemoved(_ user: UInt32, sequence: UInt64)
}

/// A like or its withdrawal, as the projections are told of it.
package struct FoldedLike {
    /// The handle of the news.
    let news: UInt32
    /// The handle of the user.
    let user: UInt32
    /// The handle of the news' author; nil also when the news is leaving, and nobody's any more.
    let author: UInt32?
    /// The time of the like; of one that was taken back, the time that it had.
    let at: Timestamp
    /// The event's.
    package let sequence: UInt64
}

/// A change to a news, as the projections are told of it.
package struct FoldedNews {
    /// The handle of the news.
    let handle: UInt32
    /// What is said of it now; for a removal, what was said last.
    let stored: StoredNews
    /// The number of users who like it.
    let likers: Int64
    /// The event's.
    package let sequence: UInt64
}
