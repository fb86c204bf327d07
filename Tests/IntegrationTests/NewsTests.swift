import Testing

/// One news: made, replaced, read, deleted.
@Suite struct NewsTests {
    private static let full: JSON = [
        "title": "A title", "author": "writer", "url": "https://www.example.com/a",
        "publishedAt": "2020-02-29T12:00:00+02:00", "baseLikes": 7,
        "properties": ["section": "products", "language": "en"],
    ]

    @Test func `Is made with 201 and all that was said of it`() async throws {
        try await withServer { server in
            let answer = try await server.api.putNews("n", NewsTests.full)
            #expect(answer.status == 201)
            #expect(answer.json["id"] == "n")
            #expect(answer.json["title"] == "A title")
            #expect(answer.json["author"] == "writer")
            #expect(answer.json["url"] == "https://www.example.com/a")
            #expect(answer.json["publishedAt"] == "2020-02-29T10:00:00.000Z")
            #expect(answer.json["baseLikes"] == 7)
            #expect(answer.json["properties"] == ["section": "products", "language": "en"])
            #expect(answer.json["likesCount"] == 7)
            #expect(answer.json["viewerLikes"] == .null)
            #expect(answer.json["newestLikers"] == [])
            #expect(answer.json["sequence"] == 1)
        }
    }

    @Test func `Is read as it was put`() async throws {
        try await withServer { server in
            let put = try await server.api.putNews("n", NewsTests.full).succeeded()
            let read = try await server.api.detail("n")
            #expect(read.status == 200)
            #expect(read.json == put.json)
        }
    }

    @Test func `Shows in the feed what the detail shows`() async throws {
        try await withServer { server in
            try await server.api.putNews("n", NewsTests.full).succeeded()
            let detail = try await server.api.detail("n").json
            let entry = try await server.api.feedEntry("n")
            #expect(entry != .absent)
            for name in detail.names.subtracting(["newestLikers", "sequence"]) {
                #expect(entry[name] == detail[name], "\(name)")
            }
        }
    }

    @Test func `Is replaced with 200; members that are absent are cleared, but baseLikes and likes stay`() async throws
    {
        try await withServer { server in
            let api = server.api
            try await api.putNews("n", NewsTests.full).succeeded()
            try await api.like("n", by: "reader").succeeded()
            let answer = try await api.putNews("n", ["title": "Another title"])
            #expect(answer.status == 200)
            #expect(answer.json["title"] == "Another title")
            for name in ["author", "url", "publishedAt", "properties"] {
                #expect(answer.json[name] == .absent, "\(name)")
            }
            #expect(answer.json["baseLikes"] == 7)
            #expect(answer.json["likesCount"] == 8)
            #expect(answer.json["newestLikers"][0]["user"] == "reader")
        }
    }

    @Test func `Takes another number of baseLikes, zero too`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("n", ["title": "A title", "baseLikes": 7]).succeeded()
            try await api.putNews("n", ["title": "A title", "baseLikes": 0]).succeeded()
            #expect(try await api.detail("n").json["likesCount"] == 0)
        }
    }

    // Reported of others: a counter that overflowed at 2^31
    @Test func `Counts in 64 bits`() async throws {
        try await withServer { server in
            let api = server.api
            let most: JSON = 9_007_199_254_740_991
            try await api.putNews("n", ["title": "A title", "author": "writer", "baseLikes": most]).succeeded()
            try await api.like("n", by: "reader").succeeded()
            #expect(try await api.detail("n").json["likesCount"] == 9_007_199_254_740_992)
            #expect(try await api.profile("writer").json["numberOfReceivedLikes"] == 9_007_199_254_740_992)
        }
    }

    @Test(arguments: [
        ("{}", "title"), (#"{"title":""}"#, "title"), (#"{"title":7}"#, "title"), (#"{"title":null}"#, "title"),
        (#"{"title":"t","colour":"red"}"#, "colour"), (#"{"title":"t","url":[]}"#, "url"),
        (#"{"title":"t","publishedAt":"yesterday"}"#, "publishedAt"),
        (#"{"title":"t","publishedAt":1234567890}"#, "publishedAt"),
        (#"{"title":"t","baseLikes":-1}"#, "baseLikes"), (#"{"title":"t","baseLikes":"1"}"#, "baseLikes"),
        (#"{"title":"t","baseLikes":1.5}"#, "baseLikes"),
        (#"{"title":"t","baseLikes":9007199254740992}"#, "baseLikes"),
        (#"{"title":"t","properties":{"a":1}}"#, "properties"), (#"{"title":"t","properties":["a"]}"#, "properties"),
        (#"{"title":"t","author":7}"#, "author"), (#"{"title":"t","likesCount":7}"#, "likesCount"),
    ])
    func `A member that is wrong is refused by its name`(body: String, name: String) async throws {
        try await withServer { server in
            let answer = try await server.api.send("PUT", "/v1/news/n", body: body)
            expectProblem(answer, 400, "invalid_body", naming: name)
            expectProblem(try await server.api.detail("n"), 404, "news_not_found")
        }
    }

    @Test(arguments: ["", "{", "[1]", "title", #"{"title":"t"} x"#, #"{"title":"\ud800"}"#])
    func `A body that is no object is refused`(body: String) async throws {
        try await withServer { server in
            let answer = try await server.api.send("PUT", "/v1/news/n", body: body)
            #expect(answer.status == 400)
            #expect(["invalid_json", "invalid_body"].contains(answer.json["code"].string))
        }
    }

    @Test func `One that nobody made is 404`() async throws {
        try await withServer { server in
            expectProblem(try await server.api.detail("n"), 404, "news_not_found")
            expectProblem(try await server.api.get(API.likers("n")), 404, "news_not_found")
        }
    }

    @Test func `Is deleted with 204 as often as one likes`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            for _ in 1...2 {
                let answer = try await api.delete(API.news("n"))
                #expect(answer.status == 204)
                #expect(answer.body.isEmpty)
            }
            expectProblem(try await api.detail("n"), 404, "news_not_found")
        }
    }

    // Reported of others: gitea#27385, pepyatka-server#156
    @Test func `Deleted, it leaves the feed and takes its likes out of every profile`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("gone", ["title": "A title", "author": "writer", "baseLikes": 5]).succeeded()
            try await api.putNews("kept", ["title": "A title", "author": "writer"]).succeeded()
            try await api.like("gone", by: ["a", "b"])
            try await api.like("kept", by: ["a"])
            try await api.delete(API.news("gone")).succeeded()
            #expect(try await api.allNews() == ["kept"])
            #expect(try await api.allNews(sort: "top") == ["kept"])
            #expect(try await api.profile("a").json["numberOfGivenLikes"] == 1)
            #expect(try await api.profile("b").json["numberOfGivenLikes"] == 0)
            #expect(try await api.allNews(likedBy: "a") == ["kept"])
            #expect(try await api.allNews(likedBy: "b") == [])
            #expect(try await api.profile("writer").json["numberOfReceivedLikes"] == 1)
            expectProblem(try await api.get(API.like("gone", "a")), 404, "news_not_found")
        }
    }

    @Test func `Made again, it starts from zero`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("n", NewsTests.full).succeeded()
            try await api.like("n", by: ["a", "b"])
            try await api.delete(API.news("n")).succeeded()
            #expect(try await api.putNews("n").status == 201)
            try await expectOneTruth(api, "n", count: 0)
            #expect(try await api.like("n", by: "a").json["changed"] == true)
            try await expectOneTruth(api, "n", count: 1)
        }
    }

    @Test func `One with thousands of likes is deleted as thoroughly`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n", "kept")
            let users = (0..<10_000).map { "\($0)" }
            try await api.like("n", by: users)
            try await api.like("kept", by: ["0", "9999"])
            #expect(try await api.delete(API.news("n")).status == 204)
            expectProblem(try await api.detail("n"), 404, "news_not_found")
            for user in ["0", "9999"] { #expect(try await api.allNews(likedBy: user) == ["kept"]) }
            for user in ["1", "5000"] { #expect(try await api.profile(user).json["numberOfGivenLikes"] == 0) }
            #expect(try await api.putNews("n").status == 201)
            try await expectOneTruth(api, "n", count: 0)
            try await expectOneTruth(api, "kept", count: 2)
        }
    }

    @Test func `Another author takes the likes that were received along`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("n", ["title": "A title", "author": "first", "baseLikes": 4]).succeeded()
            try await api.like("n", by: "reader").succeeded()
            try await api.putNews("n", ["title": "A title", "author": "second"]).succeeded()
            #expect(try await api.profile("first").json["numberOfReceivedLikes"] == 0)
            #expect(try await api.profile("second").json["numberOfReceivedLikes"] == 5)
        }
    }

    @Test func `A detail names the three newest likers, the newest first`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            try await api.like("n", by: ["a", "b", "c", "d"])
            try await api.unlike("n", by: "c").succeeded()
            let likers = try await api.detail("n").json["newestLikers"].elements
            #expect(likers.map { $0["user"] } == ["d", "b", "a"])
        }
    }
}
