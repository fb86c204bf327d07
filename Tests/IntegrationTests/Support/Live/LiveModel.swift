/// What follows from events, one after the other: the news and likes that there are, and whether each event fits.
///
/// It knows of nothing but the events: that a page can rely on their counts without asking again is what it is to show.
struct LiveModel: Sendable {
    private struct News {
        var baseLikes: Int64
        var likers: Set<String> = []

        var likesCount: JSON { .integer(baseLikes + Int64(likers.count)) }
    }

    private var news: [String: News] = [:]
    private var given: [String: Set<String>] = [:]
    /// Likes that are or were, of news and users that have not gone since.
    private var known: Set<LikeKey> = []
    /// Likes that are or were.
    private var ever: Set<LikeKey> = []
    /// News that were merged, each with what it has become.
    private(set) var redirects: [String: String] = [:]
    private var previous: LiveEvent?
    /// Events that cannot have come after those before them.
    private(set) var faults: [String] = []

    /// The next event.
    mutating func take(_ event: LiveEvent) {
        if let previous, previous.sequence >= event.sequence { fault(event, "not in order") }
        switch event.kind {
        case "likeAdded": add(event)
        case "likeRemoved": remove(event)
        case "newsAdded", "newsUpdated": describe(event)
        case "newsRemoved": removeNews(event)
        case "userRemoved": removeUser(event)
        default: fault(event, "of no known kind")
        }
        previous = event
    }

    /// The likes of a news.
    func likesCount(_ id: String) -> Int64? { news[id]?.likesCount.integer }

    /// The ids of all news.
    var allNews: Set<String> { Set(news.keys) }

    /// The ids of all users that like something.
    var allUsers: Set<String> { Set(given.keys) }

    /// How many news a user likes.
    func numberOfGivenLikes(_ user: String) -> Int64 { Int64(given[user]?.count ?? 0) }

    private mutating func fault(_ event: LiveEvent, _ what: String) {
        if faults.count < 20 { faults.append("\(what): \(event)") }
    }

    private mutating func add(_ event: LiveEvent) {
        guard let like = like(event) else { return }
        guard news[like.news]?.likers.insert(like.user).inserted == true else { return fault(event, "a like twice") }
        given[like.user, default: []].insert(like.news)
        compareCounts(event, like)
        let isMoved =
            previous?.kind == "likeRemoved" && previous?.user == like.user && previous?.sequence == event.sequence - 1
        switch event.data["firstTime"] {
        case .bool(true): if known.contains(like) { fault(event, "the first time again") }
        case .bool(false): if !ever.contains(like), !isMoved { fault(event, "not the first time") }
        default: fault(event, "without firstTime")
        }
        known.insert(like)
        ever.insert(like)
    }

    private mutating func remove(_ event: LiveEvent) {
        guard let like = like(event) else { return }
        guard news[like.news]?.likers.remove(like.user) != nil else { return fault(event, "a like that is not there") }
        given[like.user]?.remove(like.news)
        compareCounts(event, like)
        if event.data["firstTime"] != .absent { fault(event, "firstTime in an unlike") }
    }

    private mutating func like(_ event: LiveEvent) -> LikeKey? {
        guard let id = event.data["news"].string, let user = event.data["user"].string, event.data["at"].string != nil,
            news[id] != nil
        else {
            fault(event, "no like of a news that is there")
            return nil
        }
        return LikeKey(news: id, user: user)
    }

    private mutating func compareCounts(_ event: LiveEvent, _ like: LikeKey) {
        if let count = news[like.news]?.likesCount, event.data["likesCount"] != count {
            fault(event, "likesCount is not \(count)")
        }
        let given = JSON.integer(numberOfGivenLikes(like.user))
        if event.data["numberOfGivenLikes"] != given { fault(event, "numberOfGivenLikes is not \(given)") }
    }

    private mutating func describe(_ event: LiveEvent) {
        guard let id = event.data["id"].string, event.data["title"].string != nil else {
            return fault(event, "no feed entry")
        }
        if (news[id] == nil) != (event.kind == "newsAdded") { fault(event, "not the news that is there") }
        news[id, default: News(baseLikes: 0)].baseLikes = event.data["baseLikes"].integer ?? 0
        if let count = news[id]?.likesCount, event.data["likesCount"] != count {
            fault(event, "likesCount is not \(count)")
        }
        if event.data["viewerLikes"] != .null { fault(event, "viewerLikes is not null") }
    }

    private mutating func removeNews(_ event: LiveEvent) {
        guard let id = event.data["news"].string, let old = news.removeValue(forKey: id) else {
            return fault(event, "a news that is not there")
        }
        if !old.likers.isEmpty { fault(event, "likes without their likeRemoved") }
        known = known.filter { $0.news != id }
        let target = event.data["mergedInto"].string
        if let target, news[target] == nil { fault(event, "merged into nothing") }
        // When what others have become is gone, their ids are free again.
        for (other, now) in redirects where now == id { redirects[other] = target }
        if let target { redirects[id] = target }
    }

    private mutating func removeUser(_ event: LiveEvent) {
        guard let user = event.data["user"].string else { return fault(event, "no user") }
        if numberOfGivenLikes(user) > 0 { fault(event, "likes without their likeRemoved") }
        given[user] = nil
        known = known.filter { $0.user != user }
    }
}
