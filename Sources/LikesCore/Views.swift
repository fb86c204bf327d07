/// A news in a list.
package struct NewsEntry: Sendable {
    /// The news.
    package let stored: StoredNews
    /// `baseLikes` included.
    package let likesCount: Int64
    /// Whether the viewer likes it; nil when there is no viewer.
    package let viewerLikes: Bool?
    /// What a ranking is ordered by; nil where there is none.
    package var weight: Int64?

    /// What places it in the order in which it is listed.
    package var feedKey: FeedKey {
        FeedKey(weight: weight ?? likesCount, sortTime: stored.sortTime, id: stored.news.id)
    }
}

/// A news on its own page.
package struct NewsDetail: Sendable {
    /// What a list shows of it.
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
    /// Who likes it.
    package let user: UserID
    /// When it was liked.
    package let likedAt: Timestamp
}

/// A news that somebody likes.
package struct LikedNews: Sendable {
    /// The news that is liked.
    package let entry: NewsEntry
    /// When it was liked.
    package let likedAt: Timestamp
    /// The event that liked it: a page that ends with it goes on before this.
    package let place: UInt64
    /// The last event that changed what is shown of the news.
    package let changedAt: UInt64

    /// The id of the news.
    package var news: NewsID { entry.stored.news.id }
}

/// A page of the feed.
package struct FeedPage: Sendable {
    /// The news of the page, in order.
    package let entries: [NewsEntry]
    /// Where the next page begins; nil on the last one.
    package let next: FeedKey?
    /// The last event that changed what is shown.
    package let sequence: UInt64
    /// What was folded when this was read.
    package let position: UInt64
}

/// A page of the likers of a news.
package struct LikersPage: Sendable {
    /// The likers of the page, newest like first.
    package let likes: [Liker]
    /// Where the next page begins; nil on the last one.
    package let next: UInt64?
    /// The last event that changed what is shown.
    package let sequence: UInt64
    /// What was folded when this was read.
    package let position: UInt64
}

/// A page of the news that a user likes.
package struct UserLikesPage: Sendable {
    /// The liked news of the page, newest like first.
    package let likes: [LikedNews]
    /// Where the next page begins; nil on the last one.
    package let next: UInt64?
    /// The last event that changed what is shown.
    package let sequence: UInt64
    /// What was folded when this was read.
    package let position: UInt64
}

/// A like that is there.
package struct LikeView: Sendable {
    /// When it was liked.
    package let likedAt: Timestamp
    /// The news' likes, `baseLikes` included.
    package let likesCount: Int64
    /// The last event that changed what is shown.
    package let sequence: UInt64
    /// What was folded when this was read.
    package let position: UInt64
}

/// A user as the profile shows it.
package struct ProfileView: Sendable {
    /// The number of news that the user likes.
    package let numberOfGivenLikes: Int64
    /// The likes of all news that the user wrote.
    package let numberOfReceivedLikes: Int64
    /// The last event that changed what is shown.
    package let sequence: UInt64
    /// What was folded when this was read.
    package let position: UInt64
}

/// The counts of some news.
package struct CountsView: Sendable {
    /// One for each news that was asked for, in order.
    package let counts: [Count]
    /// The last event that changed what is shown.
    package let sequence: UInt64
    /// What was folded when the last of it was read.
    package let position: UInt64

    /// The count of a news.
    package struct Count: Sendable {
        /// The news that was asked for.
        package let news: NewsID
        /// Whether there is such a news.
        package let known: Bool
        /// Its likes, `baseLikes` included; 0 when it is not known.
        package let likesCount: Int64
        /// Whether the viewer likes it; nil when there is no viewer.
        package let viewerLikes: Bool?
        /// Those of the friends who like it, in the order in which they were named; nil when none were.
        package let friends: [UserID]?
    }
}

/// How much there is at one moment.
package struct Totals: Sendable, Equatable {
    /// News that callers can see.
    package let news: Int
    /// Users that have been part of a write and are not forgotten.
    package let users: Int
    /// Likes, without `baseLikes`.
    package let likes: Int
    /// The sequence of the last event that is folded.
    package let position: UInt64
}
