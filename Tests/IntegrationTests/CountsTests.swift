import Testing

/// Counts of many news in one call.
@Suite struct CountsTests {
    // Reported of others: giscus#145, mastodon#16, nom#110
    @Test func `One call tells hundreds of counts, in the order that was asked for`() async throws {
        try await withServer { server in
            let api = server.api
            let ids = (0..<300).map { "news \($0)/✨" }
            let entries = ids.map { JSON.object(["id": .string($0), "title": "t"]) }
            try await api.post("/v1/news", .array(entries)).succeeded()
            try await api.like(ids[7], by: ["u", "v"])
            let asked = (ids + ["unknown"]).reversed().map { JSON.string($0) }
            let answer = try await api.post("/v1/counts", .object(["news": .array(asked), "viewer": "u"])).succeeded()
            let counts = answer.json["counts"].elements
            #expect(counts.map { $0["news"] } == asked)
            #expect(counts[0]["known"] == false)
            #expect(counts[0]["likesCount"] == 0)
            #expect(counts[0]["viewerLikes"] == false)
            let liked = counts.filter { $0["likesCount"] != 0 }
            #expect(liked.count == 1)
            #expect(liked.first?["news"] == .string(ids[7]))
            #expect(liked.first?["likesCount"] == 2)
            #expect(liked.first?["viewerLikes"] == true)
            #expect(liked.first?["known"] == true)
        }
    }

    // Reported of others: plyr.fm#1988
    @Test func `Without a viewer it is not known what the viewer likes, and friends only come when asked for`()
        async throws
    {
        try await withServer { server in
            let api = server.api
            try await api.make("a", "b")
            try await api.like("a", by: ["u", "v"])
            let plain = try await api.get("/v1/counts?news=a&news=b&news=a").succeeded()
            #expect(plain.json["counts"].elements.map { $0["likesCount"] } == [2, 0, 2])
            #expect(plain.json["counts"][0]["viewerLikes"] == .null)
            #expect(plain.json["counts"][0]["friends"] == .absent)
            let body = JSON.object(["news": ["a", "b"], "friends": ["x", "v", "u"]])
            let friends = try await api.post("/v1/counts", body).succeeded()
            #expect(friends.json["counts"][0]["friends"] == ["v", "u"])
            #expect(friends.json["counts"][1]["friends"] == [])
            #expect(friends.json["counts"][0]["viewerLikes"] == .null)
        }
    }

    @Test func `An answer that still holds is 304, and a like ends that`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a")
            let tag = try #require(try await api.get("/v1/counts?news=a&news=b").headers["etag"])
            #expect(try await api.get("/v1/counts?news=a&news=b", headers: ["If-None-Match": tag]).status == 304)
            try await api.like("a", by: "u").succeeded()
            #expect(try await api.get("/v1/counts?news=a&news=b", headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test func `More than 1,000 news or 100 friends are refused, and so is what is no request`() async throws {
        try await withServer { server in
            let api = server.api
            let many = JSON.array((0...1_000).map { .string("\($0)") })
            expectProblem(
                try await api.post("/v1/counts", .object(["news": many])), 400, "invalid_body", naming: "news")
            let friends = JSON.array((0...100).map { .string("\($0)") })
            expectProblem(
                try await api.post("/v1/counts", .object(["news": ["a"], "friends": friends])), 400, "invalid_body",
                naming: "friends")
            expectProblem(try await api.post("/v1/counts", .object([:])), 400, "invalid_body", naming: "news")
            expectProblem(try await api.post("/v1/counts", .object(["news": "a"])), 400, "invalid_body", naming: "news")
            expectProblem(try await api.post("/v1/counts", .object(["news": [".."]])), 400, "invalid_id")
            expectProblem(
                try await api.post("/v1/counts", .object(["news": [], "x": 1])), 400, "invalid_body", naming: "x")
            #expect(try await api.get("/v1/counts").json["counts"] == [])
        }
    }
}

/// Forgetting a user, and news that their first like makes.
@Suite struct ForgetTests {
    @Test func `A forgotten user's likes are gone everywhere, also after a restart`() async throws {
        try await withDurableServer { server in
            try await server.api.make("a", "b")
            try await server.api.like("a", by: ["u", "v"])
            try await server.api.like("b", by: "u").succeeded()
            let answer = try await server.api.delete(API.profile("u")).succeeded()
            #expect(answer.status == 200)
            #expect(answer.json["changed"] == 2)
            #expect(try await server.api.delete(API.profile("u")).json["changed"] == 0)
            for _ in 0...1 {
                let api = server.api
                #expect(try await api.detail("a").json["likesCount"] == 1)
                #expect(try await api.detail("b").json["likesCount"] == 0)
                #expect(try await api.profile("u").json["numberOfGivenLikes"] == 0)
                #expect(try await api.get(API.likes(of: "u")).json["likes"] == [])
                #expect(try await api.get(API.like("a", "u")).status == 404)
                try await server.kill()
                try await server.startAgain()
            }
        }
    }

    @Test func `With --create-unknown-news the first like makes a news`() async throws {
        try await withServer(.memory, ["--create-unknown-news"]) { server in
            let api = server.api
            let id = "https://a.example/b?c=1"
            let like = try await api.like(id, by: "u").succeeded()
            #expect(like.status == 201)
            #expect(like.json["likesCount"] == 1)
            #expect(try await api.detail(id, viewer: "u").json["title"] == .string(id))
            #expect(try await api.unlike("never made", by: "u").json["changed"] == false)
            #expect(try await api.detail("never made").status == 404)
        }
    }
}
