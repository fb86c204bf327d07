import Testing

/// One like: given, taken back, asked for.
@Suite struct LikeTests {
    @Test func `Is 201 when it is new and 200 when it was there`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let first = try await api.like("n", by: "u")
            #expect(first.status == 201)
            #expect(first.json["news"] == "n")
            #expect(first.json["user"] == "u")
            #expect(first.json["liked"] == true)
            #expect(first.json["changed"] == true)
            #expect(first.json["likesCount"] == 1)
            let again = try await api.like("n", by: "u")
            #expect(again.status == 200)
            #expect(again.json["liked"] == true)
            #expect(again.json["changed"] == false)
            #expect(again.json["likesCount"] == 1)
            #expect(again.json["likedAt"] == first.json["likedAt"])
            #expect(first.json["likedAt"].string != nil)
        }
    }

    // Reported of others: diaspora api-documentation#15
    @Test func `Taking it back is 200 always, and says whether something changed`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            try await api.like("n", by: "u").succeeded()
            for changed in [true, false] {
                let answer = try await api.unlike("n", by: "u")
                #expect(answer.status == 200)
                #expect(answer.json["liked"] == false)
                #expect(answer.json["changed"] == .bool(changed))
                #expect(answer.json["likesCount"] == 0)
                #expect(answer.json["likedAt"] == .null)
            }
        }
    }

    // Reported of others: daily#242, pixelfed#624
    @Test func `Like and unlike end where they began, for the author's own news too`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("n", ["title": "A title", "author": "u", "baseLikes": 3]).succeeded()
            for _ in 1...3 {
                #expect(try await api.like("n", by: "u").json["likesCount"] == 4)
                #expect(try await api.unlike("n", by: "u").json["likesCount"] == 3)
            }
            let profile = try await api.profile("u").json
            #expect(profile["numberOfGivenLikes"] == 0)
            #expect(profile["numberOfReceivedLikes"] == 3)
            try await expectOneTruth(api, "n", count: 3, base: 3)
        }
    }

    @Test func `Of a news that nobody made: like is 404, unlike changes nothing`() async throws {
        try await withServer { server in
            let api = server.api
            expectProblem(try await api.like("unknown", by: "u"), 404, "news_not_found")
            let unlike = try await api.unlike("unknown", by: "u")
            #expect(unlike.status == 200)
            #expect(unlike.json["changed"] == false)
            #expect(unlike.json["likesCount"] == 0)
            #expect(try await api.allNews() == [])
        }
    }

    @Test func `Is told since when, or that it is not there`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            expectProblem(try await api.get(API.like("n", "u")), 404, "like_not_found")
            let liked = try await api.like("n", by: "u").succeeded()
            let answer = try await api.get(API.like("n", "u"))
            #expect(answer.status == 200)
            #expect(answer.json["news"] == "n")
            #expect(answer.json["user"] == "u")
            #expect(answer.json["likedAt"] == liked.json["likedAt"])
            try await api.unlike("n", by: "u").succeeded()
            expectProblem(try await api.get(API.like("n", "u")), 404, "like_not_found")
            expectProblem(try await api.get(API.like("unknown", "u")), 404, "news_not_found")
        }
    }

    @Test func `Has a time in UTC with milliseconds`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let time = try await server.api.like("n", by: "u").json["likedAt"].string ?? ""
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
        }
    }

    @Test func `Carries the Operation-Id that the client sent`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            for method in ["PUT", "PUT", "DELETE"] {
                let answer = try await api.send(method, API.like("n", "u"), headers: ["Operation-Id": "tap-7"])
                #expect(answer.json["operationId"] == "tap-7")
                #expect(answer.headers["operation-id"] == "tap-7")
            }
            #expect(try await api.like("n", by: "u").json["operationId"] == .absent)
        }
    }

    @Test(arguments: [String(repeating: "x", count: 65), "two words"])
    func `An Operation-Id that is none is refused`(id: String) async throws {
        try await withServer { server in
            try await server.api.make("n")
            let answer = try await server.api.send("PUT", API.like("n", "u"), headers: ["Operation-Id": id])
            expectProblem(answer, 400, "invalid_parameter")
            #expect(try await server.api.detail("n").json["likesCount"] == 0)
        }
    }

    // Reported of others: activities.next#1846
    @Test func `Counts for a user that nobody has registered, and lists it`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            #expect(try await api.profile("never seen").json["numberOfGivenLikes"] == 0)
            try await api.like("n", by: "never seen").succeeded()
            #expect(try await api.allLikers("n") == ["never seen"])
            #expect(try await api.profile("never seen").json["numberOfGivenLikes"] == 1)
        }
    }

    // Reported of others: mastodon#3166, mastodon#9638, mastodon#26409, pixelfed#2610, social-app#6968
    @Test func `Shows everywhere as soon as it is answered`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("n", ["title": "A title", "author": "writer"]).succeeded()
            for round in 1...20 {
                let user = "user \(round)"
                let count = try await api.like("n", by: user).json["likesCount"]
                #expect(count == .integer(Int64(round)))
                #expect(try await api.detail("n").json["likesCount"] == count)
                #expect(try await api.feedEntry("n", viewer: user)["likesCount"] == count)
                #expect(try await api.feedEntry("n", viewer: user)["viewerLikes"] == true)
                #expect(try await api.profile("writer").json["numberOfReceivedLikes"] == count)
                #expect(try await api.profile(user).json["numberOfGivenLikes"] == 1)
                #expect(try await api.allLikers("n").first == user)
            }
        }
    }

    @Test(arguments: ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"])
    func `With a body as web forms send it, it is refused; JSON is let pass`(type: String) async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            for method in ["PUT", "DELETE"] {
                let answer = try await api.send(method, API.like("n", "u"), body: "a=b", type: type)
                expectProblem(answer, 415, "unsupported_media_type")
            }
            #expect(try await api.detail("n").json["likesCount"] == 0)
            #expect(try await api.send("PUT", API.like("n", "u"), body: "{}").status == 201)
            #expect(try await api.like("n", by: "v").status == 201)
        }
    }
}
