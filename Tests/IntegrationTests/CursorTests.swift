import Testing

/// Cursors: where they hold, and where they are refused.
@Suite struct CursorTests {
    private func prepare(_ api: API) async throws {
        try await api.make("a", "b", "c", "d")
        for news in ["a", "b"] { try await api.like(news, by: ["u", "v", "w", "x"]) }
        for user in ["u", "v"] { try await api.put(API.likes(of: user)).succeeded() }
    }

    private func next(_ api: API, _ target: String) async throws -> String {
        let page = try await api.get(target).succeeded()
        guard let next = page.json["next"].string else { throw Failure("no next: \(page)") }
        return API.encoded(next)
    }

    @Test func `One of another list or sort is refused`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let lists = [
                "/v1/news/a/likes?limit=1", "/v1/news/b/likes?limit=1", "/v1/profiles/u/likes?limit=1",
                "/v1/profiles/v/likes?limit=1", "/v1/feed?limit=1", "/v1/feed?limit=1&sort=top",
            ]
            for from in lists {
                let cursor = try await next(api, from)
                for list in lists {
                    let answer = try await api.get("\(list)&cursor=\(cursor)")
                    if list == from {
                        #expect(answer.status == 200, "\(list)")
                    } else {
                        expectProblem(answer, 400, "invalid_cursor", "the cursor of \(from) for \(list)")
                    }
                }
            }
        }
    }

    @Test(arguments: ["x", "", "%00", "!!!", "AAAAAAAAAAAAAAAAAAAAAAAA", "9999999999999999999999", "-1", "%E2%9C%A8"])
    func `Garbage is refused`(garbage: String) async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            for target in ["/v1/news/a/likes", "/v1/profiles/u/likes", "/v1/feed", "/v1/feed?sort=top"] {
                let answer = try await api.get(target + (target.contains("?") ? "&" : "?") + "cursor=" + garbage)
                expectProblem(answer, 400, "invalid_cursor", "\(target)")
            }
        }
    }

    @Test func `A real one that was damaged is refused or harmless, never an error of the server`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            for target in ["/v1/news/a/likes?limit=1", "/v1/profiles/u/likes?limit=1", "/v1/feed?limit=1&sort=top"] {
                let cursor = try await next(api, target)
                for length in 0..<cursor.count {
                    let cut = cursor.prefix(length)
                    expectProblem(try await api.get("\(target)&cursor=\(cut)"), 400, "invalid_cursor", "\(cut)")
                    let changed = cut + "_" + cursor.dropFirst(length + 1)
                    let answer = try await api.get("\(target)&cursor=\(changed)")
                    #expect(answer.status == 400 || answer.status == 200, "\(changed)")
                }
            }
        }
    }

    @Test func `Holds with another limit`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let cursor = try await next(api, "/v1/news/a/likes?limit=1")
            let rest = try await api.get("/v1/news/a/likes?limit=100&cursor=\(cursor)")
            #expect(rest.json["likes"].elements.map { $0["user"] } == ["w", "v", "u"])
        }
    }

    @Test func `Holds when the entry it stands at is gone`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let likers = try await next(api, "/v1/news/a/likes?limit=2")
            try await api.unlike("a", by: "w").succeeded()
            let rest = try await api.get("/v1/news/a/likes?cursor=\(likers)")
            #expect(rest.json["likes"].elements.map { $0["user"] } == ["v", "u"])
            let order = try await api.allNews()
            for sort in ["newest", "top"] {
                let order = try await api.allNews(sort: sort)
                let feed = try await next(api, "/v1/feed?limit=2&sort=\(sort)")
                try await api.delete(API.news(order[1])).succeeded()
                let rest = try await api.get("/v1/feed?sort=\(sort)&cursor=\(feed)")
                #expect(rest.json["news"].elements.compactMap { $0["id"].string } == Array(order[2...]))
            }
            #expect(try await api.allNews().count == order.count - 2)
        }
    }

    @Test func `Holds while likes come and go by thousands`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let likers = try await next(api, "/v1/news/a/likes?limit=2")
            let liked = try await next(api, "/v1/profiles/u/likes?limit=2")
            let toggles = (0..<10_000).map { number in
                JSON.object([
                    "op": number % 2 == 0 ? "unlike" : "like", "news": "d", "user": number % 4 < 2 ? "u" : "toggler",
                ])
            }
            for _ in 1...2 { try await api.post("/v1/likes", .array(toggles)).succeeded() }
            let users = try await api.get("/v1/news/a/likes?cursor=\(likers)").json["likes"].elements
            #expect(users.map { $0["user"] } == ["v", "u"])
            let news = try await api.get("/v1/profiles/u/likes?cursor=\(liked)").json["likes"].elements
            #expect(news.map { $0["news"] } == ["b", "a"])
            try await expectOneTruth(api, "d", count: 3)
        }
    }

    @Test(arguments: ["PUT", "DELETE"])
    func `In newest, a like or unlike of the entry it stands at changes nothing`(method: String) async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let order = try await api.allNews()
            let cursor = try await next(api, "/v1/feed?limit=2")
            for user in ["u", "another"] { try await api.send(method, API.like(order[1], user)).succeeded() }
            let rest = try await api.get("/v1/feed?cursor=\(cursor)")
            #expect(rest.json["news"].elements.compactMap { $0["id"].string } == Array(order[2...]))
        }
    }

    @Test func `In newest, another title of the entry it stands at changes nothing`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let order = try await api.allNews()
            let cursor = try await next(api, "/v1/feed?limit=2")
            try await api.putNews(order[1], ["title": "Another title", "baseLikes": 9]).succeeded()
            let rest = try await api.get("/v1/feed?cursor=\(cursor)")
            #expect(rest.json["news"].elements.compactMap { $0["id"].string } == Array(order[2...]))
        }
    }

    @Test func `Survives a restart, in every list`() async throws {
        try await withDurableServer { server in
            try await prepare(server.api)
            let lists = [
                "/v1/news/a/likes?limit=1", "/v1/profiles/u/likes?limit=1", "/v1/feed?limit=1",
                "/v1/feed?limit=1&sort=top",
            ]
            var before: [(String, JSON)] = []
            for list in lists {
                let target = "\(list)&cursor=\(try await next(server.api, list))"
                before.append((target, try await server.api.get(target).succeeded().json))
            }
            #expect(try await server.stop() == .exit(0))
            try await server.startAgain()
            for (target, page) in before { #expect(try await server.api.get(target).json == page, "\(target)") }
        }
    }
}
