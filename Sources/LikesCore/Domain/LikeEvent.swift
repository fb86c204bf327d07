/// A fact of the journal: something that happened, with its place in the order of everything.
package struct LikeEvent: Sendable, Equatable {
    /// The journal's position: 1 for the first event, one more for each.
    package let sequence: UInt64
    /// When it happened; for a like, the time that is shown for it.
    package let at: Timestamp
    /// What the caller named the write, if it did.
    package let operationID: OperationID?
    /// What happened.
    package let change: Change

    package init(sequence: UInt64, at: Timestamp, operationID: OperationID? = nil, change: Change) {
        self.sequence = sequence
        self.at = at
        self.operationID = operationID
        self.change = change
    }

    /// Whether it is about the end of a news: that it is gone, or becomes another one, or has become it.
    package var endsNews: Bool {
        switch change {
        case .newsRemoved, .newsMergeStarted, .newsMerged: true
        default: false
        }
    }

    /// What happened.
    package enum Change: Sendable, Equatable {
        case likeAdded(LikeChange)
        case likeRemoved(LikeChange)
        indirect case newsAdded(NewsChange)
        indirect case newsUpdated(NewsChange)
        /// A deletion has begun: the news is gone for callers, its likes are being withdrawn.
        case newsRemovalStarted(NewsID)
        case newsRemoved(NewsID)
        /// A user was forgotten; all its likes were withdrawn before.
        case userRemoved(UserID)
        /// A merge has begun: for callers the first news is gone but as another id of the second; its likes go over.
        case newsMergeStarted(NewsID, into: NewsID)
        /// A like got the earlier time of the same user's like of a news that was merged into this one.
        case likeRedated(LikeChange)
        /// All likes of the first news have gone over to the second.
        case newsMerged(NewsID, into: NewsID)
    }
}

/// A like that was set, taken back or redated, with the counts as they were right after it.
package struct LikeChange: Sendable, Equatable {
    /// The news that the like is of.
    package let news: NewsID
    /// The user whose like it is.
    package let user: UserID
    /// The news' likes, `baseLikes` included.
    package let likesCount: Int64
    /// The user's likes.
    package let numberOfGivenLikes: Int64
    /// False when this user is known to have liked this news before.
    package let firstTime: Bool

    package init(news: NewsID, user: UserID, likesCount: Int64, numberOfGivenLikes: Int64, firstTime: Bool) {
        self.news = news
        self.user = user
        self.likesCount = likesCount
        self.numberOfGivenLikes = numberOfGivenLikes
        self.firstTime = firstTime
    }
}

/// A news that was made or replaced, with the count as it was right after it.
package struct NewsChange: Sendable, Equatable {
    /// What is said of it from here on.
    package let news: News
    /// Its likes, `baseLikes` included; nil in an event of an older journal, which did not keep the count.
    package let likesCount: Int64?

    package init(news: News, likesCount: Int64?) {
        self.news = news
        self.likesCount = likesCount
    }

    /// Whether the count, if it was kept, is this one.
    func agrees(with likesCount: Int64) -> Bool { self.likesCount ?? likesCount == likesCount }
}

/// A batch of events that is durable and folded; published on the event bus once per batch.
package struct FoldedBatch: Sendable {
    /// In order of sequence, without a gap, never empty.
    package let events: [LikeEvent]
}
