import Testing

/// Where lists end, and that they keep their place while everybody writes.
@Suite struct ListEndTests {
    /// Every list with twelve entries, and the name of its array.
    private static let lists = [
        ("/v1/news/n/likes", "likes"), ("/v1/profiles/u/likes", "likes"), ("/v1/feed", "news"),
        ("/v1/feed?sort=top", "news"), ("/v1/feed?sort=top&window=7d", "news"), ("/v1/feed?sort=trending", "news"),
    ]

    // Reported of others: speedrun api#3
    @Test func `Of twelve entries by pages of any size none is empty, and the last one alone has no next`() async throws
    {
        try await withServer { server in
            let api = server.api
            let news = ["n"] + (1..<12).map { "news \($0)" }
            let entries = news.map { JSON.object(["id": .string($0), "title": "t"]) }
            try await api.post("/v1/news", .array(entries)).succeeded()
            try await api.like("n", by: (1..<12).map { "user \($0)" })
            try await api.put(API.likes(of: "u")).succeeded()
            for (target, name) in ListEndTests.lists {
                for limit in 1...13 {
                    let pages = try await pages(api, target, limit: limit)
                    #expect(pages.count == (12 + limit - 1) / limit, "\(target), \(limit)")
                    #expect(
                        pages.dropLast().allSatisfy { $0.json[name].elements.count == limit }, "\(target), \(limit)")
                    #expect(pages.last?.json[name].elements.isEmpty == false, "\(target), \(limit)")
                    #expect(pages.allSatisfy { ($0.headers["link"] == nil) == ($0.json["next"] == .absent) })
                    let all = pages.flatMap { $0.json[name].elements }
                    #expect(all.count == 12 && Set(all.map(\.text)).count == 12, "\(target), \(limit)")
                }
            }
        }
    }

    /// All pages of a list, each by the Link of the one before.
    private func pages(_ api: API, _ target: String, limit: Int) async throws -> [Answer] {
        var pages: [Answer] = []
        var next: String? = target + (target.contains("?") ? "&" : "?") + "limit=\(limit)"
        while let target = next {
            guard pages.count < 5_000 else { throw Failure("\(target) does not end") }
            let page = try await api.get(target).succeeded()
            pages.append(page)
            next = page.headers["link"]?.firstMatch(of: /<([^>]*)>/).map { String($0.1) }
        }
        return pages
    }

    // Reported of others: divine-mobile#9358
    @Test func `10,000 likers are listed to the end, and so are 10,000 likes of a user`() async throws {
        try await withServer { server in
            let api = server.api
            let names = (0..<10_000).map { "\($0)" }
            let news = names.map { JSON.object(["id": .string($0), "title": "t"]) }
            try await api.post("/v1/news", .array(news)).succeeded()
            try await api.like("0", by: names)
            try await api.put(API.likes(of: "u")).succeeded()
            for limit in [1_000, 999, 7] {
                let pages = try await api.pages(API.likers("0"), limit: limit)
                // 10,001 likers, the last of whom likes all.
                #expect(pages.count == (10_001 + limit - 1) / limit)
                let likers = pages.flatMap { $0.json["likes"].elements }.compactMap { $0["user"].string }
                #expect(likers == ["u"] + names.reversed())
            }
            let pages = try await api.pages(API.likes(of: "u"), limit: 1_000)
            #expect(pages.count == 10)
            let liked = pages.flatMap { $0.json["likes"].elements }.compactMap { $0["news"].string }
            #expect(liked.count == 10_000 && Set(liked) == Set(names))
            #expect(try await api.detail("0").json["likesCount"] == 10_001)
        }
    }

    /// What four clients do over and over: like and unlike, make and delete. Nothing of it concerns what is called `stays`.
    private static let writers: [@Sendable (Int) -> WireRequest] = [
        { number in
            WireRequest(number % 2 == 0 ? "PUT" : "DELETE", "/v1/news/stays%200/likes/churn%20\(number / 2 % 20)")
        },
        { number in
            WireRequest(number % 2 == 0 ? "DELETE" : "PUT", "/v1/news/churn%20\(number / 2 % 20)/likes/reader")
        },
        { number in
            let target = "/v1/news/comes%20\(number / 3 % 10)"
            let body = number % 3 == 0 ? #"{"title":"t","baseLikes":3}"# : nil
            return WireRequest(
                number % 3 == 2 ? "DELETE" : "PUT", target + (number % 3 == 1 ? "/likes/reader" : ""), body: body)
        },
        { number in
            let user = "/v1/profiles/churn%20\(20 + number / 2 % 5)"
            return number % 2 == 0
                ? WireRequest("PUT", user + "/likes", body: #"{"news":["stays 0","churn 1","churn 2"]}"#)
                : WireRequest("DELETE", user)
        },
    ]

    // Reported of others: atproto#1755, lemmy#2188
    @Test(arguments: [1, 2, 7, 64])
    func `While others like, unlike, add and delete, every list keeps its place`(limit: Int) async throws {
        try await withServer { server in
            let api = server.api
            let port = server.port
            try await prepare(api)
            let done = Flag()
            async let storm = offPool {
                let scripts = ListEndTests.writers.map { write in
                    { (number: Int) in done.isRaised || number > 50_000 ? nil : write(number) }
                }
                return try WireClient(port: port, connections: scripts.count).run(scripts)
            }
            for _ in 1...(limit == 1 ? 1 : 4) {
                let likers = try await api.allLikers("stays 0", limit: limit)
                expect(likers, each: (0..<60).map { "stays \($0)" })
                let liked = try await api.allNews(likedBy: "reader", limit: limit)
                expect(liked, each: (0..<60).map { "stays \($0)" })
                let newest = try await api.allNews(limit: limit)
                expect(newest, each: (0..<60).map { "stays \($0)" } + (0..<20).map { "churn \($0)" })
                // The first one's count moves.
                for (sort, window) in [("top", nil), ("top", "24h"), ("trending", nil)] {
                    let feed = try await api.pages("/v1/feed", limit: limit, sort: sort, window: window)
                        .flatMap { $0.json["news"].elements }.compactMap { $0["id"].string }
                    let still = feed.filter { $0.hasPrefix("stays") && $0 != "stays 0" }
                    expect(still, each: (1..<60).map { "stays \($0)" })
                }
            }
            done.raise()
            for log in try await storm {
                #expect(log.unanswered == nil && !log.exchanges.isEmpty)
                #expect(log.exchanges.allSatisfy { $0.answer.status < 300 || $0.answer.status == 404 })
            }
        }
    }

    /// 60 news that stay and 20 whose counts move, mixed; 60 users like the first of them, and one user likes all.
    private func prepare(_ api: API) async throws {
        let names = (0..<60).flatMap { $0 % 3 == 0 ? ["stays \($0)", "churn \($0 / 3)"] : ["stays \($0)"] }
        let news = names.enumerated().map { index, name in
            JSON.object(["id": .string(name), "title": "t", "baseLikes": .integer(Int64(index / 9))])
        }
        try await api.post("/v1/news", .array(news)).succeeded()
        try await api.like("stays 0", by: names)
        try await api.put(API.likes(of: "reader")).succeeded()
    }

    /// Expects that no entry comes twice, and that all those come that are there all the time.
    private func expect(
        _ entries: [String], each staying: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(Set(entries).count == entries.count, "each once", sourceLocation: sourceLocation)
        let missing = Set(staying).subtracting(entries)
        #expect(missing.isEmpty, sourceLocation: sourceLocation)
    }
}
