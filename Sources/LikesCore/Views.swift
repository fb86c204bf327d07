/// A news in a list.
package struct NewsEntry: Sendable {
    package let stored: StoredNews
    /// `baseLikes` included.
    package let likesCount: Int64
    /// Whether the viewer likes it; nil when there is no viewer.
    package let viewerLikes: Bool?
}

/// A news on its own page.
package struct NewsDetail: Sendable {
    package let entry: NewsEntry
    /// At most three, the newest first.
    package let newestLikers: [Liker]
    /// The last event that changed what is shown.
    package let sequence: UInt64
    /// What was folded when this was read.
    package let position: UInt64
}

/// Somebody who likes a news.
package struct Liker: Sendable {
    package let user: UserID
    package let likedAt: Timestamp
}

/// A news that somebody likes.
package struct LikedNews: Sendable {
    package let news: NewsID
    package let likedAt: Timestamp
}

/// A page of the feed.
package struct FeedPage: Sendable {
    package let entries: [NewsEntry]
    /// Where the next page begins; nil on the last one.
    package let next: FeedKey?
    package let sequence: UInt64
    package let position: UInt64
}

/// A page of the likers of a news.
package struct LikersPage: Sendable {
    package let likes: [Liker]
    /// Where the next page begins; nil on the last one.
    package let next: UInt64?
    package let sequence: UInt64
    package let position: UInt64
}

/// A page of the news that a user likes.
package struct UserLikesPage: Sendable {
    package let likes: [LikedNews]
    /// Where the next page begins; nil on the last one.
    package let next: UInt64?
    package let sequence: UInt64
    package let position: UInt64
}

/// A like that is there.
package struct LikeView: Sendable {
    package let likedAt: Timestamp
    package let likesCount: Int64
    package let sequence: UInt64
    package let position: UInt64
}

/// A user as the profile shows it.
package struct ProfileView: Sendable {
    package let numberOfGivenLikes: Int64
    package let numberOfReceivedLikes: Int64
    package let sequence: UInt64
    package let position: UInt64
}
