import Testing

/// Lists page by page: each entry once, in order, to the end.
@Suite struct PagingTests {
    private static let users = (0..<250).map { "user \($0)" }

    // Reported of others: atproto#1755, koding#119, divine-mobile#9358
    @Test func `250 likers by pages of 7 come once each, newest first`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            try await api.like("n", by: PagingTests.users)
            let pages = try await api.pages(API.likers("n"), limit: 7)
            #expect(pages.count == 36)
            #expect(pages.dropLast().allSatisfy { $0.json["likes"].elements.count == 7 })
            let users = pages.flatMap { $0.json["likes"].elements }.compactMap { $0["user"].string }
            #expect(users == PagingTests.users.reversed())
            try await expectOneTruth(api, "n", count: 250)
        }
    }

    // Reported of others: danbooru#1500
    @Test func `250 likes of a user by pages of 7 come once each, newest first, as many as the profile says`()
        async throws
    {
        try await withServer { server in
            let api = server.api
            let news = (0..<250).map { "news \($0)" }
            try await api.post(
                "/v1/news", .array(news.map { .object(["id": .string($0), "title": "t"]) })
            ).succeeded()
            try await api.post(
                "/v1/likes", .array(news.map { .object(["op": "like", "news": .string($0), "user": "u"]) })
            ).succeeded()
            #expect(try await api.allNews(likedBy: "u", limit: 7) == news.reversed())
            #expect(try await api.profile("u").json["numberOfGivenLikes"] == 250)
        }
    }

    // Reported of others: divine-mobile#9358
    @Test func `A list goes on beyond 1000`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let users = (0..<2345).map { "\($0)" }
            try await api.like("n", by: users)
            #expect(try await api.allLikers("n") == users.reversed())
        }
    }

    // Reported of others: speedrun api#3
    @Test func `No next leads to an empty page, also when the last page is full`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n", "m", "l", "k")
            try await api.like("n", by: ["a", "b", "c", "d"])
            try await api.put(API.likes(of: "u")).succeeded()
            for target in [API.likers("n"), API.likes(of: "u")] {
                let pages = try await api.pages(target, limit: target == API.likers("n") ? 5 : 2)
                #expect(pages.last?.json["next"] == .absent)
                #expect(pages.allSatisfy { !$0.json["likes"].elements.isEmpty })
            }
            let feed = try await api.pages("/v1/feed", limit: 2)
            #expect(feed.map { $0.json["news"].elements.count } == [2, 2])
        }
    }

    @Test func `An empty list is one page without next`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            for target in [API.likers("n"), API.likes(of: "u")] {
                let page = try await server.api.get(target)
                #expect(page.status == 200)
                #expect(page.json["likes"] == [])
                #expect(page.json["next"] == .absent)
                #expect(page.headers["link"] == nil)
            }
        }
    }

    @Test func `The Link header leads on as next does`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a/b?", "n", "m")
            try await api.like("a/b?", by: ["a", "b", "c"])
            try await api.put(API.likes(of: "u/v")).succeeded()
            for target in [API.likers("a/b?"), API.likes(of: "u/v"), "/v1/feed"] {
                for sort in target == "/v1/feed" ? ["&sort=newest", "&sort=top&viewer=c%2Fd"] : [""] {
                    let first = try await api.get(target + "?limit=2" + sort)
                    let link = first.headers["link"] ?? ""
                    let match = try #require(link.wholeMatch(of: /<([^>]*)>; *rel="?next"?/), "\(link)")
                    let next = String(match.1)
                    #expect(next.hasPrefix("/"), "\(next)")
                    let cursor = API.encoded(first.json["next"].string ?? "")
                    let byCursor = try await api.get(target + "?limit=2&cursor=\(cursor)" + sort)
                    #expect(try await api.get(next).json == byCursor.json)
                    #expect(byCursor.headers["link"] == nil || byCursor.json["next"] != .absent)
                }
            }
        }
    }

    // Reported of others: koding#119
    @Test func `A like taken back and given again moves to the front`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n", "m", "l")
            try await api.like("n", by: ["a", "b", "c"])
            try await api.unlike("n", by: "a").succeeded()
            try await api.like("n", by: "a").succeeded()
            #expect(try await api.allLikers("n") == ["a", "c", "b"])
            try await api.like("l", by: "u").succeeded()
            try await api.like("m", by: "u").succeeded()
            try await api.unlike("l", by: "u").succeeded()
            try await api.like("l", by: "u").succeeded()
            #expect(try await api.allNews(likedBy: "u") == ["l", "m"])
        }
    }

    @Test func `A repeated like does not move`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            try await api.like("n", by: ["a", "b"])
            try await api.like("n", by: "a").succeeded()
            #expect(try await api.allLikers("n") == ["b", "a"])
        }
    }

    // Reported of others: midaz#2013, alerta#80
    @Test(arguments: ["0", "-1", "abc", "1001", "", "1.5", "99999999999999999999", "%31%00"])
    func `A limit that is none is refused, in every list`(limit: String) async throws {
        try await withServer { server in
            try await server.api.make("n")
            for target in ["/v1/feed", "/v1/news/n/likes", "/v1/profiles/u/likes"] {
                let answer = try await server.api.get("\(target)?limit=\(limit)")
                #expect(answer.status == 400, "\(target)")
                if !limit.contains("%") { expectProblem(answer, 400, "invalid_parameter", naming: "limit") }
            }
        }
    }

    /// Likes and unlikes by users of its own, until it is told to end.
    private func churn(_ port: UInt16, _ target: @Sendable @escaping (Int) -> String, until done: Flag) async throws {
        try await offPool {
            let scripts = (0..<4).map { connection in
                { (number: Int) -> WireRequest? in
                    guard !done.isRaised, number < 20_000 else { return nil }
                    let which = connection * 10 + number / 2 % 10
                    return WireRequest(number % 2 == 0 ? "DELETE" : "PUT", target(which))
                }
            }
            let logs = try WireClient(port: port, connections: 4).run(scripts)
            guard logs.allSatisfy({ $0.unanswered == nil && !$0.exchanges.isEmpty }) else { throw Failure("\(logs)") }
        }
    }

    @Test func `While others like and unlike, no liker comes twice and none who stays is missing`() async throws {
        try await withServer { server in
            let api = server.api
            let port = server.port
            try await api.make("n")
            let staying = Set(PagingTests.users)
            let churning = (0..<40).map { "churn \($0)" }
            try await api.like("n", by: zip(PagingTests.users, (churning + churning + churning)).flatMap { [$0, $1] })
            try await api.like("n", by: PagingTests.users)
            let done = Flag()
            async let storm: Void = churn(port, { "/v1/news/n/likes/churn%20\($0)" }, until: done)
            for _ in 1...8 {
                let likers = try await api.allLikers("n", limit: 7)
                #expect(Set(likers).count == likers.count)
                #expect(staying.isSubset(of: likers))
            }
            done.raise()
            try await storm
        }
    }

    @Test func `While a user likes and unlikes, no news comes twice and none that stays liked is missing`()
        async throws
    {
        try await withServer { server in
            let api = server.api
            let port = server.port
            let news = (0..<150).map { $0 % 3 == 0 && $0 < 120 ? "churn \($0 / 3)" : "stays \($0)" }
            try await api.post(
                "/v1/news", .array(news.map { .object(["id": .string($0), "title": "t"]) })
            ).succeeded()
            try await api.put(API.likes(of: "u")).succeeded()
            let staying = Set(news.filter { $0.hasPrefix("stays") })
            let done = Flag()
            async let storm: Void = churn(port, { "/v1/news/churn%20\($0)/likes/u" }, until: done)
            for _ in 1...8 {
                let liked = try await api.allNews(likedBy: "u", limit: 7)
                #expect(Set(liked).count == liked.count)
                #expect(staying.isSubset(of: liked))
            }
            done.raise()
            try await storm
        }
    }

    // Reported of others: lemmy#2188
    @Test func `While counts move, no news that did not move is repeated or skipped in top`() async throws {
        try await withServer { server in
            let api = server.api
            let port = server.port
            let entries = (0..<80).map { number in
                let id = number % 2 == 0 ? "churn \(number / 2)" : "stays \(number)"
                return JSON.object(["id": .string(id), "title": "t", "baseLikes": .integer(Int64(number / 8))])
            }
            try await api.post("/v1/news", .array(entries)).succeeded()
            let done = Flag()
            async let storm: Void = churn(port, { "/v1/news/churn%20\($0)/likes/u" }, until: done)
            for _ in 1...8 {
                let still = try await api.allNews(sort: "top", limit: 7).filter { $0.hasPrefix("stays") }
                #expect(still.count == 40)
                #expect(Set(still).count == 40)
            }
            done.raise()
            try await storm
        }
    }

    @Test func `While counts move, no news is repeated or skipped in newest`() async throws {
        try await withServer { server in
            let api = server.api
            let port = server.port
            let entries = (0..<40).map { JSON.object(["id": .string("churn \($0)"), "title": "t"]) }
            try await api.post("/v1/news", .array(entries)).succeeded()
            let done = Flag()
            async let storm: Void = churn(port, { "/v1/news/churn%20\($0)/likes/u" }, until: done)
            for _ in 1...8 {
                let all = try await api.allNews(limit: 3)
                #expect(all.count == 40)
                #expect(Set(all).count == 40)
            }
            done.raise()
            try await storm
        }
    }

    @Test func `While news are made and deleted, none that stays is repeated or skipped in newest`() async throws {
        try await withServer { server in
            let api = server.api
            let port = server.port
            let entries = (0..<80).map { JSON.object(["id": .string("stays \($0)"), "title": "t"]) }
            try await api.post("/v1/news", .array(entries)).succeeded()
            let done = Flag()
            async let storm: Void = offPool {
                let script = { (number: Int) -> WireRequest? in
                    guard !done.isRaised, number < 20_000 else { return nil }
                    let target = "/v1/news/churn%20\(number / 2 % 10)"
                    return number % 2 == 0
                        ? WireRequest("PUT", target, body: #"{"title":"t"}"#) : WireRequest("DELETE", target)
                }
                _ = try WireClient(port: port, connections: 1).run([script])
            }
            for _ in 1...8 {
                let still = try await api.allNews(limit: 7).filter { $0.hasPrefix("stays") }
                #expect(still.count == 80)
                #expect(Set(still).count == 80)
            }
            done.raise()
            try await storm
        }
    }
}
