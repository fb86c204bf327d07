import Testing

/// The scenario of the textbook: two news with 1 and 2 likes, a user who likes all, then none.
@Suite struct TextbookScenarioTests {
    /// What feed, detail and profile show of the two news and the user.
    private func expectCounts(
        _ api: API, _ first: Int64, _ second: Int64, given: Int64, liked: Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let feed = try await api.feed(viewer: "reader").json["news"].elements
        for (id, count) in [("one", first), ("two", second)] {
            let entry = feed.first { $0["id"] == .string(id) } ?? .absent
            let detail = try await api.detail(id, viewer: "reader").json
            for shown in [entry, detail] {
                #expect(shown["likesCount"] == .integer(count), "\(id)", sourceLocation: sourceLocation)
                #expect(shown["viewerLikes"] == .bool(liked), "\(id)", sourceLocation: sourceLocation)
            }
        }
        let profile = try await api.profile("reader").json
        #expect(profile["numberOfGivenLikes"] == .integer(given), sourceLocation: sourceLocation)
        let author = try await api.profile("writer").json
        #expect(author["numberOfReceivedLikes"] == .integer(first + second), sourceLocation: sourceLocation)
    }

    private func make(_ api: API) async throws {
        try await api.putNews("one", ["title": "One", "author": "writer", "baseLikes": 1]).succeeded()
        try await api.putNews("two", ["title": "Two", "author": "writer", "baseLikes": 2]).succeeded()
    }

    // Reported of others: pixelfed#2610, social-app#6968, mastodon#3166
    @Test func `Likes all, then none: 1 and 2, 2 and 3, 1 and 2 again, wherever one looks`() async throws {
        try await withServer { server in
            let api = server.api
            try await make(api)
            try await expectCounts(api, 1, 2, given: 0, liked: false)

            let liked = try await api.put(API.likes(of: "reader"))
            #expect(liked.status == 200)
            #expect(liked.json["changed"] == 2)
            try await expectCounts(api, 2, 3, given: 2, liked: true)

            let unliked = try await api.delete(API.likes(of: "reader"))
            #expect(unliked.status == 200)
            #expect(unliked.json["changed"] == 2)
            try await expectCounts(api, 1, 2, given: 0, liked: false)
        }
    }

    @Test func `The same, one news after the other`() async throws {
        try await withServer { server in
            let api = server.api
            try await make(api)
            try await api.like("one", by: "reader").succeeded()
            #expect(try await api.profile("reader").json["numberOfGivenLikes"] == 1)
            try await api.like("two", by: "reader").succeeded()
            try await expectCounts(api, 2, 3, given: 2, liked: true)
            try await api.unlike("one", by: "reader").succeeded()
            #expect(try await api.profile("reader").json["numberOfGivenLikes"] == 1)
            try await api.unlike("two", by: "reader").succeeded()
            try await expectCounts(api, 1, 2, given: 0, liked: false)
        }
    }

    @Test func `Liking all again changes nothing`() async throws {
        try await withServer { server in
            let api = server.api
            try await make(api)
            try await api.put(API.likes(of: "reader")).succeeded()
            let again = try await api.put(API.likes(of: "reader"))
            #expect(again.status == 200)
            #expect(again.json["changed"] == 0)
            try await expectCounts(api, 2, 3, given: 2, liked: true)
        }
    }

    @Test func `Likes those of a list, and is told which are unknown`() async throws {
        try await withServer { server in
            let api = server.api
            try await make(api)
            let answer = try await api.put(API.likes(of: "reader"), ["news": ["two", "nobody-made-this"]])
            #expect(answer.status == 200)
            #expect(answer.json["changed"] == 1)
            #expect(answer.json["unknown"] == ["nobody-made-this"])
            #expect(try await api.allNews(likedBy: "reader") == ["two"])
            let known = try await api.put(API.likes(of: "reader"), ["news": ["one"]])
            #expect(known.json["unknown"] == .absent)
        }
    }

    @Test func `Unlikes those of a list`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("one", "two", "three")
            try await api.put(API.likes(of: "reader")).succeeded()
            let answer = try await api.delete(API.likes(of: "reader") + "?news=one&news=three&news=unknown")
            #expect(answer.status == 200)
            #expect(answer.json["changed"] == 2)
            #expect(try await api.allNews(likedBy: "reader") == ["two"])
        }
    }

    @Test func `Unliking all takes no body`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("one")
            try await api.like("one", by: "reader").succeeded()
            let answer = try await api.send("DELETE", API.likes(of: "reader"), body: #"{"news":["one"]}"#)
            expectProblem(answer, 400, "invalid_request")
            #expect(try await api.profile("reader").json["numberOfGivenLikes"] == 1)
        }
    }
}
