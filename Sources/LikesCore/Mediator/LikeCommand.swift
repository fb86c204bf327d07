/// What somebody asks the mediator to do.
package struct LikeCommand: Sendable {
    /// What is asked for.
    package let action: Action
    /// The caller's name for it; the events that it causes carry it.
    package let operationID: OperationID?

    package init(_ action: Action, operationID: OperationID? = nil) {
        self.action = action
        self.operationID = operationID
    }

    /// The kinds of requests.
    package enum Action: Sendable {
        /// One like or unlike.
        case toggle(ToggleRequest)
        /// Likes and unlikes in order, each with a result of its own.
        case toggleMany([BatchEntry<ToggleRequest>])
        /// Makes or replaces a news.
        case putNews(NewsDraft)
        /// Makes or replaces many, each with a result of its own.
        case putManyNews([BatchEntry<NewsDraft>])
        case removeNews(NewsID)
        /// Lets the likes of a news go over to another one, to which its id leads from then on.
        case mergeNews(NewsID, into: NewsID)
        /// Likes news for a user: all in the feed, or the given ones.
        case likeAll(UserID, of: [NewsID]?)
        /// Takes back a user's likes: all, or the given ones.
        case unlikeAll(UserID, of: [NewsID]?)
        /// Takes back all likes of a user, who then is as if it had never liked anything.
        case removeUser(UserID)
    }

    /// What the command counts for in the queue.
    var weight: Int {
        switch action {
        case .toggle, .putNews, .removeNews, .mergeNews, .removeUser: 1
        case .toggleMany(let entries): entries.count
        case .putManyNews(let entries): entries.count
        case .likeAll(_, let news), .unlikeAll(_, let news): max(1, news?.count ?? 1)
        }
    }
}

/// An entry of a batch: what is asked for, or why the entry could not even be read.
package enum BatchEntry<Request: Sendable>: Sendable {
    case request(Request)
    case malformed(code: String, detail: String)
}

/// A like (`liked`) or an unlike.
package struct ToggleRequest: Sendable {
    /// True for a like, false for an unlike.
    package let liked: Bool
    /// The news to like.
    package let news: NewsID
    /// The user who likes it.
    package let user: UserID
    /// The time to show for the like; nil for now.
    package let at: Timestamp?

    package init(liked: Bool, news: NewsID, user: UserID, at: Timestamp? = nil) {
        self.liked = liked
        self.news = news
        self.user = user
        self.at = at
    }
}

/// Why the mediator did not do what it was asked.
package enum Rejection: Error, Sendable, Equatable {
    /// The news does not exist.
    case newsNotFound
    /// Too many commands wait already.
    case queueFull
    /// The journal could not keep the events of this batch; nothing of it was done.
    case journalUnavailable
    /// The service is stopping.
    case shuttingDown
    /// As many likes exist as can be kept.
    case full
    /// Something that is done once at a time is being done already.
    case busy
    /// The news was merged: callers go on with the other one.
    case newsMerged(into: NewsID)
    /// The two news cannot be merged.
    case mergeConflict(MergeConflict)
}

/// Why two news that are there cannot be merged.
package enum MergeConflict: Sendable, Equatable {
    /// They are one and the same, directly or by earlier merges.
    case itself
    /// Their `baseLikes` together are more than can be kept.
    case baseLikes
    /// More ids would lead to the news that is left than `Limits.mergedIDs`.
    case tooManyIDs
}

/// The mediator's answer to a command that it carried out.
package enum Receipt: Sendable {
    case toggle(ToggleReceipt)
    case news(NewsReceipt)
    case removed(sequence: UInt64)
    case many(BatchReceipt)
    case bulk(BulkReceipt)
}

/// What became of a like or an unlike.
package struct ToggleReceipt: Sendable, Equatable {
    /// Whether the user likes the news now.
    package let liked: Bool
    /// Whether this request changed that.
    package let changed: Bool
    /// The news' likes right after it, `baseLikes` included.
    package let likesCount: Int64
    /// When the user liked the news; nil when it does not.
    package let likedAt: Timestamp?
    /// The event's, or for a request that changed nothing, where that was decided.
    package let sequence: UInt64

    /// An unlike of what was never liked.
    static func nothing(at sequence: UInt64) -> ToggleReceipt {
        ToggleReceipt(liked: false, changed: false, likesCount: 0, likedAt: nil, sequence: sequence)
    }
}

/// What became of a news that was put, or into which another was merged.
package struct NewsReceipt: Sendable, Equatable {
    /// The news as it is stored now.
    package let news: News
    /// Whether it was not there before.
    package let created: Bool
    /// Whether anything about it is different now.
    package let changed: Bool
    /// Its likes right after it, `baseLikes` included.
    package let likesCount: Int64
    /// The event's, or where it was decided that nothing changes.
    package let sequence: UInt64
}

/// What became of a batch: a result for each entry, in order.
package struct BatchReceipt: Sendable {
    /// What became of each entry, in input order.
    package let results: [EntryResult]
    /// The last event's, or where the last entry was decided.
    package let sequence: UInt64

    /// What became of an entry.
    package enum EntryResult: Sendable, Equatable {
        /// - made: whether something came to be that was not there: a like, a news.
        case done(changed: Bool, made: Bool, likesCount: Int64)
        case failed(Rejection)
        case malformed(code: String, detail: String)
    }
}

/// What became of liking or unliking many news.
package struct BulkReceipt: Sendable, Equatable {
    /// How many likes were set or taken back.
    package let changed: Int
    /// Those of the given news that do not exist.
    package let unknown: [NewsID]
    /// The last event's, or where the last news was decided.
    package let sequence: UInt64
}
