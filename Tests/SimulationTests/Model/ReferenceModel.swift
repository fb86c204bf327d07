@testable import LikesCore

/// What the contract says of news, likes and users, in plain dictionaries: made to be read, not to be fast.
///
/// It goes on by one `Act` at a time, and says which events the act must leave in the journal. A new command that does
/// something new needs an act here (`perform`) and a line in `Account.act`, which tells the act from its first event.
struct ReferenceModel {
    struct Like {
        let at: Timestamp
        /// The sequence of its event: likes are listed in the order of arrival.
        let arrival: UInt64
    }

    /// A news with all that belongs to it.
    struct Item {
        var news: News
        let createdAt: Timestamp
        var likes: [UserID: Like] = [:]
        /// Users who have taken a like back.
        var formerLikers: Set<UserID> = []
        var changedAt: UInt64
        /// Its deletion has begun: it is there only for those who see their own likes of it.
        var isLeaving = false

        var likesCount: Int64 { news.baseLikes + Int64(likes.count) }
        var sortTime: Timestamp { news.publishedAt ?? createdAt }
    }

    /// What is known of a user.
    struct Person {
        var given: Int64 = 0
        var changedAt: UInt64
    }

    private(set) var position: UInt64 = 0
    private(set) var items: [NewsID: Item] = [:]
    /// Users who took part in anything and were not forgotten.
    private(set) var people: [UserID: Person] = [:]
    private(set) var feedChangedAt: UInt64 = 0

    // MARK: What is to be read

    /// A news that exists for callers.
    func visible(_ id: NewsID) -> Item? { items[id].flatMap { $0.isLeaving ? nil : $0 } }

    var feed: [Item] { items.values.filter { !$0.isLeaving } }

    func likes(_ news: NewsID, _ user: UserID) -> Bool { visible(news)?.likes[user] != nil }

    /// The news that a user likes, newest like first.
    func given(by user: UserID) -> [(news: NewsID, like: Like)] {
        items.values.compactMap { item in item.likes[user].map { (item.news.id, $0) } }
            .sorted { $0.like.arrival > $1.like.arrival }
    }

    func received(by author: UserID) -> Int64 {
        feed.reduce(0) { $0 + ($1.news.author == author ? $1.likesCount : 0) }
    }

    func isAuthor(_ user: UserID) -> Bool { items.values.contains { !$0.isLeaving && $0.news.author == user } }

    /// Whether there is something of a user to forget: of an author the id stays, with the news.
    func canForget(_ user: UserID) -> Bool { people[user] != nil && !isAuthor(user) }

    // MARK: What can happen

    /// Something that happens as a whole.
    enum Act {
        /// Makes the news first, where that is allowed.
        case like(NewsID, UserID, at: Timestamp)
        case unlike(NewsID, UserID)
        case put(NewsDraft)
        case beginRemoval(NewsID)
        /// A deletion takes a like back.
        case withdraw(NewsID, UserID)
        case endRemoval(NewsID)
        case forget(UserID)

        /// The news that it changes.
        var news: NewsID? {
            switch self {
            case .like(let id, _, _), .unlike(let id, _), .withdraw(let id, _): id
            case .beginRemoval(let id), .endRemoval(let id): id
            case .put(let draft): draft.news.id
            case .forget: nil
            }
        }
    }

    /// What an event says beside the act.
    struct Stamp {
        let now: Timestamp
        let operationID: OperationID?
        let createsUnknownNews: Bool
    }

    /// Lets something happen.
    ///
    /// - Returns: the events that the journal must hold of it.
    /// - Throws: when it cannot happen, or would change nothing.
    mutating func perform(_ act: Act, _ stamp: Stamp) throws(Finding) -> [LikeEvent] {
        switch act {
        case .like(let news, let user, let at): return try like(news, user, at, stamp)
        case .unlike(let news, let user):
            try require(items[news]?.isLeaving == false, "a like of \(news.text), which does not exist, is taken back")
            return [try removeLike(news, user, stamp)]
        case .withdraw(let news, let user):
            try require(items[news]?.isLeaving == true, "\(news.text) loses a like though it is not being deleted")
            return [try removeLike(news, user, stamp)]
        case .put(let draft): return [try put(draft, stamp)]
        case .beginRemoval(let id):
            try require(visible(id) != nil, "\(id.text) is deleted though it does not exist")
            items[id]?.isLeaving = true
            return [event(.newsRemovalStarted(id), of: items[id]?.news.author, news: id, stamp.now, nil)]
        case .endRemoval(let id):
            try require(items[id]?.isLeaving == true, "\(id.text) ends though its deletion has not begun")
            try require(items[id]?.likes.isEmpty == true, "\(id.text) ends while there are likes of it")
            items[id] = nil
            return [event(.newsRemoved(id), of: nil, news: id, stamp.now, stamp.operationID)]
        case .forget(let user): return [try forget(user, stamp)]
        }
    }

    /// Writes an event down, and that feed, news and profile have changed with it.
    private mutating func event(
        _ change: LikeEvent.Change, of person: UserID?, news: NewsID?, _ at: Timestamp, _ operationID: OperationID?
    ) -> LikeEvent {
        position += 1
        if let person { people[person, default: Person(changedAt: 0)].changedAt = position }
        if let news {
            items[news]?.changedAt = position
            feedChangedAt = position
        }
        return LikeEvent(sequence: position, at: at, operationID: operationID, change: change)
    }

    private mutating func like(
        _ id: NewsID, _ user: UserID, _ at: Timestamp, _ stamp: Stamp
    ) throws(Finding) -> [LikeEvent] {
        var events: [LikeEvent] = []
        if items[id] == nil {
            try require(stamp.createsUnknownNews, "a like of \(id.text), which does not exist")
            events.append(try put(NewsDraft(News(id: id, title: id.text), setsBaseLikes: false), stamp))
        }
        let before = glance(id, user)
        try require(before.isThere && !before.isLeaving, "a like of \(id.text), which is being deleted")
        try require(!before.isLiked, "a like of \(id.text) by \(user.text), which is there already")
        items[id]?.likes[user] = Like(at: at, arrival: position + 1)
        people[user, default: Person(changedAt: 0)].given += 1
        let change = LikeChange(
            news: id, user: user, likesCount: before.likesCount + 1, numberOfGivenLikes: people[user]?.given ?? 0,
            firstTime: !before.wasLiked)
        touch(before.author)
        events.append(event(.likeAdded(change), of: user, news: id, at, stamp.operationID))
        return events
    }

    private mutating func removeLike(_ id: NewsID, _ user: UserID, _ stamp: Stamp) throws(Finding) -> LikeEvent {
        let before = glance(id, user)
        try require(before.isLiked, "a like of \(id.text) by \(user.text) is taken back, and it was not there")
        items[id]?.likes[user] = nil
        people[user]?.given -= 1
        if !before.isLeaving {
            items[id]?.formerLikers.insert(user)
            touch(before.author)
        }
        let change = LikeChange(
            news: id, user: user, likesCount: before.likesCount - 1, numberOfGivenLikes: people[user]?.given ?? 0,
            firstTime: false)
        return event(.likeRemoved(change), of: user, news: id, stamp.now, stamp.operationID)
    }

    /// What a like or an unlike is about, as it is before.
    private struct Glance {
        var isThere = false
        var isLeaving = false
        var isLiked = false
        var wasLiked = false
        var likesCount: Int64 = 0
        var author: UserID?
    }

    /// A copy of the few things that are asked for: one of the item would have all its likes copied by the change.
    private func glance(_ id: NewsID, _ user: UserID) -> Glance {
        guard let item = items[id] else { return Glance() }
        return Glance(
            isThere: true, isLeaving: item.isLeaving, isLiked: item.likes[user] != nil,
            wasLiked: item.formerLikers.contains(user), likesCount: item.likesCount, author: item.news.author)
    }

    /// The next event changes the profile of somebody, too.
    private mutating func touch(_ person: UserID?) {
        if let person { people[person, default: Person(changedAt: 0)].changedAt = position + 1 }
    }

    /// The news that is there when a draft has been put.
    func stored(_ draft: NewsDraft) -> News {
        let news = draft.news
        return News(
            id: news.id, title: news.title, author: news.author, url: news.url, publishedAt: news.publishedAt,
            baseLikes: draft.setsBaseLikes ? news.baseLikes : items[news.id]?.news.baseLikes ?? news.baseLikes,
            properties: news.properties)
    }

    private mutating func put(_ draft: NewsDraft, _ stamp: Stamp) throws(Finding) -> LikeEvent {
        let news = stored(draft)
        touch(news.author)
        guard let old = items[news.id] else {
            items[news.id] = Item(news: news, createdAt: stamp.now, changedAt: position + 1)
            return event(.newsAdded(news), of: nil, news: news.id, stamp.now, stamp.operationID)
        }
        try require(!old.isLeaving, "\(news.id.text) is put while it is being deleted")
        try require(old.news != news, "\(news.id.text) is replaced by itself")
        touch(old.news.author)
        items[news.id]?.news = news
        return event(.newsUpdated(news), of: nil, news: news.id, stamp.now, stamp.operationID)
    }

    private mutating func forget(_ user: UserID, _ stamp: Stamp) throws(Finding) -> LikeEvent {
        try require(people[user] != nil, "\(user.text) is forgotten, and nobody knew of it")
        try require(given(by: user).isEmpty, "\(user.text) is forgotten while it likes something")
        let removal = event(.userRemoved(user), of: user, news: nil, stamp.now, stamp.operationID)
        guard !isAuthor(user) else { return removal }
        people[user] = nil
        for (id, item) in items where item.formerLikers.contains(user) { items[id]?.formerLikers.remove(user) }
        return removal
    }
}
