import Testing

/// Ids come back byte for byte, wherever they stand.
@Suite struct IdTests {
    static let ids = [
        "1", "https://a.example/b?c=1", "✨", "a/b", "a%2Fb", "a%252Fb", "1588987262754234368", "e\u{301}", "\u{E9}",
        "a+b",
        "a b", " ", "~", "a\"b\\c", "<script>", "?", "#", "&=;", "...", "./", "a:b@c!$'()*,[]", "00001", "1e3", "null",
        "\u{202E}\u{FEFF}", "👩‍👩‍👧", String(repeating: "x", count: 256), String(repeating: "é", count: 128),
    ]

    // Reported of others: jersey#1439, memini#10, twitter-api-v2#400
    @Test(arguments: ids)
    func `As a news, in every answer`(id: String) async throws {
        try await withServer { server in
            let api = server.api
            let wanted = JSON.string(id)
            let made = try await api.putNews(id)
            #expect(made.json["id"] == wanted)
            #expect(try await api.like(id, by: "u").json["news"] == wanted)
            #expect(try await api.detail(id).json["id"] == wanted)
            #expect(try await api.get(API.like(id, "u")).json["news"] == wanted)
            #expect(try await api.get(API.likes(of: "u")).json["likes"][0]["news"] == wanted)
            #expect(try await api.feed().json["news"][0]["id"] == wanted)
            #expect(try await api.get(API.likers(id)).json["likes"][0]["user"] == "u")
            #expect(try await api.unlike(id, by: "u").json["news"] == wanted)
            #expect(try await api.delete(API.news(id)).status == 204)
            #expect(try await api.feed().json["news"] == [])
        }
    }

    // Reported of others: jersey#1439, memini#10, twitter-api-v2#400
    @Test(arguments: ids)
    func `As a user, in every answer`(id: String) async throws {
        try await withServer { server in
            let api = server.api
            let wanted = JSON.string(id)
            try await api.putNews("n", ["title": "A title", "author": wanted]).succeeded()
            #expect(try await api.like("n", by: id).json["user"] == wanted)
            #expect(try await api.get(API.like("n", id)).json["user"] == wanted)
            let detail = try await api.detail("n", viewer: id).json
            #expect(detail["author"] == wanted)
            #expect(detail["viewerLikes"] == true)
            #expect(detail["newestLikers"][0]["user"] == wanted)
            #expect(try await api.feedEntry("n", viewer: id)["viewerLikes"] == true)
            #expect(try await api.get(API.likers("n")).json["likes"][0]["user"] == wanted)
            let profile = try await api.profile(id).json
            #expect(profile["user"] == wanted)
            #expect(profile["numberOfGivenLikes"] == 1)
            #expect(profile["numberOfReceivedLikes"] == 1)
            #expect(try await api.unlike("n", by: id).json["user"] == wanted)
        }
    }

    @Test func `In batches and lists, all of them beside each other`() async throws {
        try await withServer { server in
            let api = server.api
            let news = IdTests.ids.map { JSON.object(["id": .string($0), "title": "t"]) }
            let made = try await api.post("/v1/news", .array(news))
            #expect(made.json["results"].elements.allSatisfy { $0["status"] == 201 })
            let likes = IdTests.ids.map { JSON.object(["op": "like", "news": .string($0), "user": .string($0)]) }
            let liked = try await api.post("/v1/likes", .array(likes))
            #expect(liked.json["results"].elements.allSatisfy { $0["likesCount"] == 1 })
            for id in IdTests.ids {
                #expect(try await api.get(API.likers(id)).json["likes"][0]["user"] == .string(id))
                #expect(try await api.get(API.likes(of: id)).json["likes"][0]["news"] == .string(id))
            }
            let all = try await api.pages("/v1/feed", limit: 5).flatMap { $0.json["news"].elements }.map { $0["id"] }
            #expect(all.count == IdTests.ids.count)
            for id in IdTests.ids { #expect(all.contains(.string(id)), "\(id)") }
        }
    }

    @Test func `An é of one character and one with an accent after the e are two ids`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("\u{E9}", "e\u{301}")
            try await api.like("\u{E9}", by: "\u{E9}").succeeded()
            #expect(try await api.detail("\u{E9}").json["likesCount"] == 1)
            #expect(try await api.detail("e\u{301}").json["likesCount"] == 0)
            #expect(try await api.profile("e\u{301}").json["numberOfGivenLikes"] == 0)
            #expect(try await api.detail("\u{E9}", viewer: "e\u{301}").json["viewerLikes"] == false)
        }
    }

    @Test(arguments: [
        ("A", "a"), ("1", "01"), ("1", "1 "), ("a/b", "a%2Fb"), ("a+b", "a b"), ("K", "\u{212A}"), ("ß", "ss"),
        ("1588987262754234368", "1588987262754234369"),
    ])
    func `Two that look alike are two`(one: String, other: String) async throws {
        try await withServer { server in
            let api = server.api
            try await api.make(one, other)
            try await api.like(one, by: "u").succeeded()
            #expect(try await api.detail(one).json["likesCount"] == 1)
            #expect(try await api.detail(other).json["likesCount"] == 0)
            try await api.like(other, by: one).succeeded()
            #expect(try await api.profile(other).json["numberOfGivenLikes"] == 0)
        }
    }

    @Test func `In a path, a plus is a plus, and any character may be encoded`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a+b", "abc")
            #expect(try await api.get("/v1/news/a+b").json["id"] == "a+b")
            #expect(try await api.get("/v1/news/%61%62%63").json["id"] == "abc")
            #expect(try await api.get("/v1/news/a%2bb").json["id"] == "a+b")
        }
    }

    @Test func `Asking for one that is unknown does not make it`() async throws {
        try await withServer { server in
            let api = server.api
            for _ in 1...2 { expectProblem(try await api.detail("never"), 404, "news_not_found") }
            #expect(try await api.profile("nobody").json["numberOfGivenLikes"] == 0)
            #expect(try await api.feed().json["news"] == [])
        }
    }

    @Test func `Survive a restart byte for byte`() async throws {
        try await withDurableServer { server in
            for id in IdTests.ids {
                try await server.api.putNews(id, ["title": "t", "author": .string(id)]).succeeded()
                try await server.api.like(id, by: id).succeeded()
            }
            let feed = try await server.api.feed(limit: 1000).json
            try await server.kill()
            try await server.startAgain()
            #expect(try await server.api.feed(limit: 1000).json == feed)
            for id in IdTests.ids {
                #expect(try await server.api.get(API.likers(id)).json["likes"][0]["user"] == .string(id))
            }
        }
    }
}
