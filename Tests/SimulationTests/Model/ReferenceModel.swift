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
        /// The arrival of the last like that a merge took from it: the oldest go first.
        var lastMoved: UInt64 = 0

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
    /// Where the ids of merged news lead: each straight to a news that exists.
    private(set) var redirects: [NewsID: NewsID] = [:]
    /// The merges under way: news whose likes are going over, each with the news to which they go.
    private(set) var merges: [NewsID: NewsID] = [:]

    // MARK: What is to be read

    /// A news that exists for callers.
    func visible(_ id: NewsID) -> Item? { items[id].flatMap { $0.isLeaving ? nil : $0 } }

    /// A news whose deletion or merge has begun, and not ended.
    var unfinished: NewsID? { items.values.first(where: \.isLeaving)?.news.id }

    var feed: [Item] { items.values.filter { !$0.isLeaving } }

    /// The news that is meant by an id in lists, batches and counts.
    func resolved(_ id: NewsID) -> NewsID { redirects[id] ?? id }

    /// All ids that mean the same as this one.
    func names(of id: NewsID) -> [NewsID] {
        let target = resolved(id)
        return [target] + redirects.filter { $0.value == target }.map(\.key)
    }

    /// Whether a like of this user is still to go over to a news.
    func isMoving(_ user: UserID, to target: NewsID) -> Bool {
        merges.contains { $0.value == target && items[$0.key]?.likes[user] != nil }
    }

    /// Why a command that names a single news is refused at this moment; nil when it is not.
    func refusal(of action: LikeCommand.Action, createsUnknownNews: Bool) -> Rejection? {
        switch action {
        case .toggle(let request):
            if let target = redirects[request.news] { return .newsMerged(into: target) }
            return request.liked && !createsUnknownNews && visible(request.news) == nil ? .newsNotFound : nil
        case .putNews(let draft): return redirects[draft.news.id].map { .newsMerged(into: $0) }
        case .removeNews(let id): return redirects[id].map { .newsMerged(into: $0) }
        case .mergeNews(let id, let other):
            if let target = redirects[id] { return .newsMerged(into: target) }
            guard let old = visible(id), let target = visible(resolved(other)) else { return .newsNotFound }
            if target.news.id == id { return .mergeConflict(.itself) }
            return old.news.baseLikes + target.news.baseLikes > Limits.baseLikes ? .mergeConflict(.baseLikes) : nil
        default: return nil
        }
    }

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
        /// Merges the first news into the second.
        case beginMerge(NewsID, into: NewsID)
        /// A merge takes a like from the old news to the other one.
        case move(NewsID, UserID)
        case endMerge(NewsID)
        case forget(UserID)

        /// The only news that it changes; nil when more may be different.
        var news: NewsID? {
            switch self {
            case .like(let id, _, _), .unlike(let id, _), .withdraw(let id, _), .move(let id, _): id
            case .endRemoval(let id), .endMerge(let id): id
            case .put(let draft): draft.news.id
            case .beginRemoval, .beginMerge, .forget: nil
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
            try require(!isMoving(user, to: news), "an unlike of \(news.text) before a merge brings the like")
            return [try removeLike(news, user, stamp)]
        case .withdraw(let news, let user):
            try require(items[news]?.isLeaving == true, "\(news.text) loses a like though it is not being deleted")
            try require(merges[news] == nil, "\(news.text) loses a like that a merge has to move")
            return [try removeLike(news, user, stamp)]
        case .put(let draft): return [try put(draft, stamp)]
        case .beginRemoval(let id):
            try require(visible(id) != nil, "\(id.text) is deleted though it does not exist")
            try require(!merges.values.contains(id), "\(id.text) is deleted while another one is merged into it")
            items[id]?.isLeaving = true
            redirects = redirects.filter { $0.value != id }
            return [event(.newsRemovalStarted(id), of: items[id]?.news.author, news: id, stamp.now, nil)]
        case .endRemoval(let id):
            try require(items[id]?.isLeaving == true, "\(id.text) ends though its deletion has not begun")
            try require(items[id]?.likes.isEmpty == true, "\(id.text) ends while there are likes of it")
            try require(merges[id] == nil, "the merge of \(id.text) ends as a deletion")
            items[id] = nil
            return [event(.newsRemoved(id), of: nil, news: id, stamp.now, stamp.operationID)]
        case .beginMerge(let id, let target): return try beginMerge(id, into: target, stamp)
        case .move(let id, let user): return try move(id, user, stamp)
        case .endMerge(let id): return [try endMerge(id, stamp)]
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
        try require(!isMoving(user, to: id), "a like of \(id.text) before a merge brings that of \(user.text)")
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
        var likedAt: Timestamp?
        var wasLiked = false
        var likesCount: Int64 = 0
        var author: UserID?

        var isLiked: Bool { likedAt != nil }
    }

    /// A copy of the few things that are asked for: one of the item would have all its likes copied by the change.
    private func glance(_ id: NewsID, _ user: UserID) -> Glance {
        guard let item = items[id] else { return Glance() }
        return Glance(
            isThere: true, isLeaving: item.isLeaving, likedAt: item.likes[user]?.at,
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
        try require(redirects[news.id] == nil, "\(news.id.text) is put though its id leads to another news")
        touch(news.author)
        guard let old = items[news.id] else {
            items[news.id] = Item(news: news, createdAt: stamp.now, changedAt: position + 1)
            return event(.newsAdded(described(news)), of: nil, news: news.id, stamp.now, stamp.operationID)
        }
        try require(!old.isLeaving, "\(news.id.text) is put while it is being deleted")
        try require(old.news != news, "\(news.id.text) is replaced by itself")
        touch(old.news.author)
        items[news.id]?.news = news
        return event(.newsUpdated(described(news)), of: nil, news: news.id, stamp.now, stamp.operationID)
    }

    /// A news that was made or replaced, with its count now.
    private func described(_ news: News) -> NewsChange {
        NewsChange(news: news, likesCount: items[news.id]?.likesCount)
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

    // MARK: Merges

    private mutating func beginMerge(
        _ id: NewsID, into target: NewsID, _ stamp: Stamp
    ) throws(Finding) -> [LikeEvent] {
        let what = "\(id.text) is merged into \(target.text)"
        try require(visible(id) != nil && visible(target) != nil, "\(what), and they are not both there")
        try require(id != target && !merges.values.contains(id), "\(what), and is itself the end of a merge")
        let (old, into) = (items[id]?.news, items[target]?.news)
        guard let old, let into else { return [] }
        let baseLikes = old.baseLikes + into.baseLikes
        try require(baseLikes <= Limits.baseLikes, "\(what), and the baseLikes are too many")
        items[id]?.isLeaving = true
        for (name, leadsTo) in redirects where leadsTo == id { redirects[name] = target }
        (redirects[id], merges[id]) = (target, target)
        // The old id shows the other news from here on: that has changed, for its author, too.
        touch(old.author)
        touch(into.author)
        items[target]?.changedAt = position + 1
        let start = event(.newsMergeStarted(id, into: target), of: nil, news: id, stamp.now, nil)
        guard old.baseLikes > 0 else { return [start] }
        let sum = News(
            id: target, title: into.title, author: into.author, url: into.url, publishedAt: into.publishedAt,
            baseLikes: baseLikes, properties: into.properties)
        items[target]?.news = sum
        touch(into.author)
        return [start, event(.newsUpdated(described(sum)), of: nil, news: target, stamp.now, stamp.operationID)]
    }

    private mutating func move(_ id: NewsID, _ user: UserID, _ stamp: Stamp) throws(Finding) -> [LikeEvent] {
        guard let target = merges[id], let like = items[id]?.likes[user] else {
            throw Finding("a like of \(id.text) by \(user.text) moves, and there is none, or no merge")
        }
        try require(like.arrival > items[id]?.lastMoved ?? 0, "the like of \(id.text) by \(user.text) moves too late")
        items[id]?.lastMoved = like.arrival
        let removal = try removeLike(id, user, stamp)
        let before = glance(target, user)
        if let likedAt = before.likedAt {
            guard like.at < likedAt, let arrival = items[target]?.likes[user]?.arrival else { return [removal] }
            items[target]?.likes[user] = Like(at: like.at, arrival: arrival)
            let change = moved(user, to: target, likesCount: before.likesCount)
            return [removal, event(.likeRedated(change), of: user, news: target, like.at, stamp.operationID)]
        }
        items[target]?.likes[user] = Like(at: like.at, arrival: position + 1)
        people[user]?.given += 1
        touch(before.author)
        let change = moved(user, to: target, likesCount: before.likesCount + 1)
        return [removal, event(.likeAdded(change), of: user, news: target, like.at, stamp.operationID)]
    }

    /// A moved like is nobody's first.
    private func moved(_ user: UserID, to target: NewsID, likesCount: Int64) -> LikeChange {
        LikeChange(
            news: target, user: user, likesCount: likesCount, numberOfGivenLikes: people[user]?.given ?? 0,
            firstTime: false)
    }

    private mutating func endMerge(_ id: NewsID, _ stamp: Stamp) throws(Finding) -> LikeEvent {
        guard let target = merges[id] else { throw Finding("the merge of \(id.text) ends, and has not begun") }
        try require(items[id]?.likes.isEmpty == true, "the merge of \(id.text) ends before all likes have moved")
        (items[id], merges[id]) = (nil, nil)
        return event(.newsMerged(id, into: target), of: nil, news: id, stamp.now, stamp.operationID)
    }
}
