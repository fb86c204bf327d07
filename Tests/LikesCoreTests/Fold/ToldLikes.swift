import Testing

@testable import LikesCore

/// Who likes what as the events alone tell it, in plain collections. Each event is checked against those before it.
struct ToldLikes {
    private(set) var likers: [NewsID: [UserID: Timestamp]] = [:]
    private(set) var redirects: [NewsID: NewsID] = [:]
    private(set) var merges = 0
    private var base: [NewsID: Int64] = [:]
    /// Who ever liked a news since it was made.
    private var liked: [NewsID: Set<UserID>] = [:]
    private var authors: [NewsID: UserID] = [:]
    /// For each news that is being merged, what must come of the likers that it had.
    private var merging: [NewsID: [UserID: Timestamp]] = [:]
    /// A like that a merge took from its news and did not give to the other one yet.
    private var moving: (target: NewsID, user: UserID, at: Timestamp)?

    mutating func take(_ event: LikeEvent) throws {
        switch event.change {
        case .newsAdded(let change):
            try #require(redirects[change.news.id] == nil)
            liked[change.news.id] = []
            try describe(change)
        case .newsUpdated(let change): try describe(change)
        case .newsRemovalStarted(let id):
            redirects = redirects.filter { $0.value != id }
            authors[id] = nil
        case .newsRemoved(let id): try #require(likers[id, default: [:]].isEmpty)
        case .userRemoved(let id):
            try #require(!likers.values.contains { $0[id] != nil })
            // Whoever is forgotten is as if it had never been there; an author cannot be.
            if !authors.values.contains(id) { liked = liked.mapValues { $0.subtracting([id]) } }
        case .likeAdded(let like): try add(like, event)
        case .likeRemoved(let like): try remove(like)
        case .newsMergeStarted(let id, let target): beginMerge(id, target)
        case .likeRedated(let like):
            let moved = try #require(moving)
            try #require(moved == (like.news, like.user, event.at))
            let before = try #require(likers[like.news]?[like.user])
            try #require(before > event.at)
            likers[like.news]?[like.user] = event.at
        case .newsMerged(let id, let target): try endMerge(id, target)
        }
        if case .likeRemoved = event.change {} else { moving = nil }
        guard let like = event.like else { return }
        let given = likers.values.count { $0[like.user] != nil }
        try #require(like.numberOfGivenLikes == Int64(given))
        try #require(like.likesCount == base[like.news, default: 0] + Int64(likers[like.news, default: [:]].count))
    }

    private mutating func describe(_ change: NewsChange) throws {
        let news = change.news
        base[news.id] = news.baseLikes
        authors[news.id] = news.author
        try #require(change.likesCount == news.baseLikes + Int64(likers[news.id, default: [:]].count))
    }

    private mutating func add(_ like: LikeChange, _ event: LikeEvent) throws {
        let before = likers[like.news, default: [:]].updateValue(event.at, forKey: like.user)
        try #require(before == nil)
        let isFirst = liked[like.news, default: []].insert(like.user).inserted
        if let moving, moving.target == like.news, moving.user == like.user {
            try #require(!like.firstTime)
            try #require(moving.at == event.at)
        } else {
            try #require(like.firstTime == isFirst)
        }
    }

    private mutating func remove(_ like: LikeChange) throws {
        let taken = likers[like.news, default: [:]].removeValue(forKey: like.user)
        let at = try #require(taken)
        try #require(!like.firstTime)
        moving = redirects[like.news].map { (target: $0, user: like.user, at: at) }
    }

    private mutating func beginMerge(_ id: NewsID, _ target: NewsID) {
        merges += 1
        redirects = redirects.mapValues { $0 == id ? target : $0 }
        redirects[id] = target
        merging[id] = likers[id]
        authors[id] = nil
    }

    private func endMerge(_ id: NewsID, _ target: NewsID) throws {
        try #require(redirects[id] == target)
        try #require(likers[id, default: [:]].isEmpty)
        // Nobody could take a like back in between: in these lives a merge takes one commit.
        for (user, at) in merging[id] ?? [:] {
            let kept = try #require(likers[target]?[user])
            try #require(kept <= at)
        }
    }
}
