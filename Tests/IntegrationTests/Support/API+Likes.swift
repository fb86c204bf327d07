/// The calls of the contract by name.
extension API {
    static func news(_ id: String) -> String { path("v1", "news", id) }
    static func like(_ news: String, _ user: String) -> String { path("v1", "news", news, "likes", user) }
    static func likers(_ news: String) -> String { path("v1", "news", news, "likes") }
    static func profile(_ user: String) -> String { path("v1", "profiles", user) }
    static func likes(of user: String) -> String { path("v1", "profiles", user, "likes") }

    func putNews(_ id: String, _ members: JSON = ["title": "A title"]) async throws -> Answer {
        try await put(API.news(id), members)
    }

    /// Makes news with nothing but a title, in this order.
    func make(_ ids: String...) async throws {
        for id in ids { try await putNews(id).succeeded() }
    }

    func like(_ news: String, by user: String) async throws -> Answer { try await put(API.like(news, user)) }
    func unlike(_ news: String, by user: String) async throws -> Answer { try await delete(API.like(news, user)) }

    /// Likes a news by many users in one batch, in this order.
    func like(_ news: String, by users: [String]) async throws {
        let entries = users.map { JSON.object(["op": "like", "news": .string(news), "user": .string($0)]) }
        let answer = try await post("/v1/likes", .array(entries)).succeeded()
        guard answer.json["failed"] == 0 else { throw Failure("likes refused: \(answer)") }
    }

    func detail(_ news: String, viewer: String? = nil) async throws -> Answer {
        try await get(API.news(news) + API.query(["viewer": viewer]))
    }

    func profile(_ user: String) async throws -> Answer { try await get(API.profile(user)) }

    func feed(
        sort: String? = nil, viewer: String? = nil, limit: Int? = nil, cursor: String? = nil
    ) async throws -> Answer {
        try await get(
            "/v1/feed"
                + API.query(["sort": sort, "viewer": viewer, "limit": limit.map(String.init), "cursor": cursor]))
    }

    /// The entry of a news in the feed, or `.absent`.
    func feedEntry(_ news: String, viewer: String? = nil) async throws -> JSON {
        let feed = try await feed(viewer: viewer, limit: 1000).succeeded()
        return feed.json["news"].elements.first { $0["id"] == .string(news) } ?? .absent
    }

    /// All pages of a list, each by the cursor of the one before.
    func pages(
        _ target: String, limit: Int, sort: String? = nil, window: String? = nil
    ) async throws -> [Answer] {
        var pages: [Answer] = []
        var cursor: String?
        repeat {
            guard pages.count < 5000 else { throw Failure("\(target) does not end") }
            let query = API.query(["sort": sort, "window": window, "limit": String(limit), "cursor": cursor])
            let page = try await get(target + query).succeeded()
            pages.append(page)
            cursor = page.json["next"].string
        } while cursor != nil
        return pages
    }

    /// The ids of all who like a news, newest like first.
    func allLikers(_ news: String, limit: Int = 1000) async throws -> [String] {
        try await pages(API.likers(news), limit: limit).flatMap { $0.json["likes"].elements }
            .compactMap { $0["user"].string }
    }

    /// The ids of all news that a user likes, newest like first.
    func allNews(likedBy user: String, limit: Int = 1000) async throws -> [String] {
        try await pages(API.likes(of: user), limit: limit).flatMap { $0.json["likes"].elements }
            .compactMap { $0["news"].string }
    }

    /// The ids of all news in the feed.
    func allNews(sort: String? = nil, window: String? = nil, limit: Int = 1000) async throws -> [String] {
        try await pages("/v1/feed", limit: limit, sort: sort, window: window).flatMap { $0.json["news"].elements }
            .compactMap { $0["id"].string }
    }
}

/// Does the same thing many times at once; the results, in no order.
func inParallel<Result: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        for number in 0..<count { group.addTask { try await work(number) } }
        var results: [Result] = []
        for try await result in group { results.append(result) }
        return results
    }
}
