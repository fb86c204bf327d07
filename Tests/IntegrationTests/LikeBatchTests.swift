import Testing

/// Many likes and unlikes in one request.
@Suite struct LikeBatchTests {
    private func entry(_ operation: JSON, _ news: JSON, _ user: JSON) -> JSON {
        ["op": operation, "news": news, "user": user]
    }

    @Test func `Mixed entries have their results in input order`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a", "b")
            try await api.like("b", by: "u").succeeded()
            let answer = try await api.post(
                "/v1/likes",
                [
                    entry("like", "a", "u"), entry("unlike", "b", "u"), entry("like", "unknown", "u"),
                    entry("unlike", "unknown", "u"), entry("like", "a", "v"),
                ])
            #expect(answer.status == 200)
            let results = answer.json["results"]
            #expect(results.elements.map { $0["status"] } == [201, 200, 404, 200, 201])
            #expect(results.elements.map { $0["changed"] } == [true, true, .absent, false, true])
            #expect(results.elements.map { $0["likesCount"] } == [1, 0, .absent, 0, 2])
            #expect(results[2]["code"] == "news_not_found")
            #expect(answer.json["changed"] == 3)
            #expect(answer.json["failed"] == 1)
        }
    }

    @Test func `Equal entries in one batch count once, and the last word holds`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let answer = try await api.post(
                "/v1/likes",
                [
                    entry("like", "n", "u"), entry("like", "n", "u"), entry("unlike", "n", "u"),
                    entry("unlike", "n", "u"), entry("like", "n", "u"),
                ])
            let results = answer.json["results"]
            #expect(results.elements.map { $0["status"] } == [201, 200, 200, 200, 201])
            #expect(results.elements.map { $0["changed"] } == [true, false, true, false, true])
            #expect(results.elements.map { $0["likesCount"] } == [1, 1, 0, 0, 1])
            try await expectOneTruth(api, "n", count: 1)
            #expect(try await api.profile("u").json["numberOfGivenLikes"] == 1)
        }
    }

    @Test func `Malformed entries fail alone, each with its code`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let answer = try await api.post(
                "/v1/likes",
                [
                    entry("like", "n", "first"), entry("love", "n", "u"), entry("like", "", "u"),
                    entry("like", "n", "a\nb"), ["op": "like", "news": "n"], entry("like", "n", 7), "like", [],
                    ["op": "like", "news": "n", "user": "u", "colour": "red"],
                    ["op": "like", "news": "n", "user": "u", "at": "yesterday"], entry("like", "n", "last"),
                ])
            #expect(answer.status == 200)
            let results = answer.json["results"]
            #expect(results.elements.map { $0["status"] } == [201, 400, 400, 400, 400, 400, 400, 400, 400, 400, 201])
            #expect(results[1]["code"] == "invalid_body")
            #expect(results[2]["code"] == "invalid_id")
            #expect(results[3]["code"] == "invalid_id")
            #expect(results[4]["detail"].string?.contains("user") == true)
            #expect(results[8]["detail"].string?.contains("colour") == true)
            #expect(results[9]["detail"].string?.contains("at") == true)
            #expect(try await api.allLikers("n") == ["last", "first"])
        }
    }

    @Test(arguments: ["", "{", "[", "like", "7", #"{"likes":7}"#, #"{"entries":[]}"#, #"[{"op":"like"},]"#])
    func `A body that cannot be read as a whole is 400`(body: String) async throws {
        try await withServer { server in
            let answer = try await server.api.send("POST", "/v1/likes", body: body)
            #expect(answer.status == 400)
            #expect(["invalid_json", "invalid_body"].contains(answer.json["code"].string))
        }
    }

    @Test func `An empty batch changes nothing`() async throws {
        try await withServer { server in
            let answer = try await server.api.post("/v1/likes", [])
            #expect(answer.status == 200)
            #expect(answer.json["changed"] == 0)
            #expect(answer.json["results"] == [])
        }
    }

    @Test func `10,000 entries are taken, 10,001 are 413`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let entries = (0...10_000).map { #"{"op":"like","news":"n","user":"\#($0)"}"# }
            let over = try await api.send("POST", "/v1/likes", body: "[" + entries.joined(separator: ",") + "]")
            expectProblem(over, 413, "body_too_large")
            #expect(try await api.detail("n").json["likesCount"] == 0)
            let most = entries.dropLast().joined(separator: "\n")
            let taken = try await api.send("POST", "/v1/likes", body: most, type: "application/x-ndjson")
            #expect(taken.status == 200)
            #expect(taken.json["changed"] == 10_000)
            #expect(try await api.detail("n").json["likesCount"] == 10_000)
        }
    }

    // Reported of others: mastodon#10560, koding#119
    @Test func `The original time is shown; the order is that of arrival`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            try await api.post(
                "/v1/likes",
                [
                    ["op": "like", "news": "n", "user": "a", "at": "2015-05-05T05:05:05.678Z"],
                    ["op": "like", "news": "n", "user": "b", "at": "1998-02-11T19:20:31+02:00"],
                ]
            ).succeeded()
            let likers = try await api.get(API.likers("n")).json["likes"]
            #expect(likers[0] == ["user": "b", "likedAt": "1998-02-11T17:20:31.000Z"])
            #expect(likers[1] == ["user": "a", "likedAt": "2015-05-05T05:05:05.678Z"])
        }
    }

    @Test func `A time more than 5 minutes ahead is refused`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let answer = try await api.post(
                "/v1/likes", [["op": "like", "news": "n", "user": "u", "at": "2100-01-01T00:00:00Z"]])
            #expect(answer.json["results"][0]["status"] == 400)
            #expect(try await api.detail("n").json["likesCount"] == 0)
        }
    }

    @Test func `A batch carries the Operation-Id that the client sent`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let answer = try await api.post("/v1/likes", [entry("like", "n", "u")], headers: ["Operation-Id": "tap-8"])
            #expect(answer.headers["operation-id"] == "tap-8")
            #expect(answer.json["results"][0]["operationId"] == "tap-8")
        }
    }

    @Test(arguments: ["{}", "[]", "0", "[[[{}]]]"])
    func `8 MiB of nothing but small values are 413 at once`(value: String) async throws {
        try await withServer { server in
            let count = (8 << 20) / (value.utf8.count + 1) - 1
            let body = "[" + String(repeating: value + ",", count: count - 1) + value + "]"
            let start = ContinuousClock.now
            let answer = try await server.api.send("POST", "/v1/likes", body: body)
            expectProblem(answer, 413, "body_too_large")
            #expect(.now - start < .seconds(5))
        }
    }
}
