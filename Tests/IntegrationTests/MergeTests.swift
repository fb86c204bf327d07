import Glibc
import Testing

/// A news that is merged into another one, over the wire.
@Suite struct MergeTests {
    private static func merge(_ id: String) -> String { API.path("v1", "news", id, "merge") }

    /// Two news with their own likers and one of both, merged.
    private func merged(_ api: API, _ old: String = "old", into new: String = "new") async throws -> Answer {
        try await api.putNews(old, ["title": "Old", "author": "first", "baseLikes": 3]).succeeded()
        try await api.putNews(new, ["title": "New", "author": "second", "baseLikes": 40]).succeeded()
        try await api.like(old, by: ["a", "both"])
        try await api.like(new, by: ["both", "c"])
        return try await api.post(MergeTests.merge(old), ["into": .string(new)])
    }

    @Test func `Gives the other news the union of the likers, its baseLikes, and answers with its detail`() async throws
    {
        try await withServer { server in
            let api = server.api
            let answer = try await merged(api)
            #expect(answer.status == 200)
            #expect(answer.json["id"] == "new")
            #expect(answer.json["title"] == "New")
            #expect(answer.json["likesCount"] == 46)
            #expect(answer.json["baseLikes"] == 43)
            #expect(answer.json["newestLikers"].elements.map { $0["user"] } == ["a", "c", "both"])
            #expect(answer.json["sequence"].integer == answer.position)
            try await expectOneTruth(api, "new", count: 46, base: 43)
            #expect(try await api.allNews() == ["new"])
            for user in ["a", "both", "c"] {
                #expect(try await api.allNews(likedBy: user) == ["new"])
                #expect(try await api.profile(user).json["numberOfGivenLikes"] == 1)
            }
            #expect(try await api.profile("first").json["numberOfReceivedLikes"] == 0)
            #expect(try await api.profile("second").json["numberOfReceivedLikes"] == 46)
        }
    }

    @Test func `Every method on the old id is 308 to the same of the new one`() async throws {
        try await withServer { server in
            let (old, new) = ("a/b?✨", "https://a.example/?x=1&y=%2F")
            #expect(try await merged(server.api, old, into: new).status == 200)
            let (from, to) = (API.news(old), API.news(new))
            let requests: [(method: String, rest: String, body: String?)] = [
                ("GET", "", nil), ("GET", "?viewer=a%2Fb&x=", nil), ("HEAD", "", nil), ("PUT", "", #"{"title":"t"}"#),
                ("PUT", "", nil), ("PUT", "", "{"), ("DELETE", "", nil), ("GET", "/likes?limit=1&cursor=x", nil),
                ("HEAD", "/likes", nil), ("PUT", "/likes/u%2Fv", nil), ("DELETE", "/likes/a", nil),
                ("GET", "/likes/a", nil), ("HEAD", "/likes/nobody", nil), ("POST", "/merge", #"{"into":"old"}"#),
                ("POST", "/merge", nil), ("POST", "/merge?x=1", #"{"into":7}"#),
            ]
            for (method, rest, body) in requests {
                let request = WireRequest(method, from + rest, headers: ["Operation-Id": "op-1"], body: body)
                let answer = try await WireClient.send(request, port: server.port)
                #expect(answer.status == 308, "\(method) \(rest)")
                #expect(answer.headers["location"] == to + rest, "\(method) \(rest)")
                #expect(answer.headers["operation-id"] == "op-1", "\(method) \(rest)")
                #expect(answer.headers["cache-control"] == "no-cache", "\(method) \(rest)")
                #expect(answer.headers["content-type"] == "application/json", "\(method) \(rest)")
                if method != "HEAD" {
                    #expect(answer.json == ["news": .string(old), "mergedInto": .string(new)], "\(method) \(rest)")
                }
            }
            let options = try await WireClient.send(WireRequest("OPTIONS", from), port: server.port)
            #expect(options.status == 204)
            #expect(options.headers["allow"] == "GET, HEAD, PUT, DELETE, OPTIONS")
            let wrong = try await WireClient.send(WireRequest("DELETE", from + "/likes"), port: server.port)
            expectProblem(wrong, 405, "method_not_allowed")
            // Whoever follows gets there.
            let led = try await WireClient.send(WireRequest("PUT", API.like(old, "d")), port: server.port)
            let place = try #require(led.headers["location"])
            let like = try await WireClient.send(WireRequest("PUT", place), port: server.port)
            #expect(like.status == 201)
            #expect(like.json["news"] == .string(new))
            #expect(like.json["likesCount"] == 47)
        }
    }

    @Test func `Batches and counts take the old id for the new one`() async throws {
        try await withServer(.memory, ["--create-unknown-news"]) { server in
            let api = server.api
            try await merged(api).succeeded()
            let entries: JSON = [
                ["op": "like", "news": "old", "user": "d"], ["op": "like", "news": "new", "user": "d"],
                ["op": "unlike", "news": "old", "user": "a"],
            ]
            let batch = try await api.post("/v1/likes", entries).succeeded()
            #expect(batch.json["results"].elements.map { $0["changed"] } == [true, false, true])
            #expect(batch.json["results"].elements.map { $0["likesCount"] } == [47, 47, 46])
            let many = try await api.post("/v1/news", [["id": "old", "title": "t"], ["id": "n", "title": "t"]])
            #expect(many.json["results"][0]["status"] == 409)
            #expect(many.json["results"][0]["code"] == "news_merged")
            #expect(many.json["results"][1]["status"] == 201)
            let counts = try await api.get("/v1/counts?news=old&news=new&viewer=d").succeeded()
            #expect(counts.json["counts"].elements.map { $0["news"] } == ["old", "new"])
            for count in counts.json["counts"].elements {
                #expect(count["known"] == true && count["likesCount"] == 46 && count["viewerLikes"] == true)
            }
            let posted = try await api.post("/v1/counts", ["news": ["old"], "friends": ["a", "c"]])
            #expect(posted.json["counts"][0]["friends"] == ["c"])
            let all = try await api.put(API.likes(of: "e"), ["news": ["old", "new", "nothing-new"]]).succeeded()
            #expect(all.json["changed"] == 2)
            #expect(try await api.delete(API.likes(of: "e") + "?news=old").json["changed"] == 1)
            #expect(try await api.allNews().contains("old") == false)
        }
    }

    @Test func `What cannot be merged is refused by its code`() async throws {
        try await withServer { server in
            let api = server.api
            try await merged(api).succeeded()
            try await api.putNews("most", ["title": "t", "baseLikes": 9_007_199_254_740_991]).succeeded()
            let target = MergeTests.merge("new")
            expectProblem(try await api.post(target, ["into": "new"]), 409, "merge_conflict")
            expectProblem(try await api.post(target, ["into": "old"]), 409, "merge_conflict")
            expectProblem(try await api.post(target, ["into": "most"]), 409, "merge_conflict", naming: "baseLikes")
            expectProblem(try await api.post(target, ["into": "nothing"]), 404, "news_not_found")
            expectProblem(try await api.post(MergeTests.merge("nothing"), ["into": "new"]), 404, "news_not_found")
            for body in ["{}", #"{"into":7}"#, #"{"into":"most","more":1}"#, "[]", #"{"into":null}"#] {
                expectProblem(try await api.send("POST", target, body: body), 400, "invalid_body")
            }
            expectProblem(try await api.send("POST", target, body: #"{"into":".."}"#), 400, "invalid_id")
            expectProblem(try await api.send("POST", target, body: "{"), 400, "invalid_json")
            expectProblem(try await api.send("POST", target), 415, "unsupported_media_type")
            let long = #"{"into":"\#(String(repeating: " ", count: 9_000))"}"#
            expectProblem(try await api.send("POST", target, body: long), 413, "body_too_large")
            expectProblem(try await api.get(target), 405, "method_not_allowed")
            try await expectOneTruth(api, "new", count: 46, base: 43)
        }
    }

    @Test func `Chains lead to the last; without it the old ids are free and start from zero`() async throws {
        try await withServer { server in
            let api = server.api
            try await merged(api).succeeded()
            try await api.make("last")
            try await api.post(MergeTests.merge("new"), ["into": "last"]).succeeded()
            for id in ["old", "new"] {
                let answer = try await WireClient.send(WireRequest("GET", API.news(id)), port: server.port)
                #expect(answer.headers["location"] == API.news("last"))
            }
            try await api.delete(API.news("last")).succeeded()
            expectProblem(try await api.detail("old"), 404, "news_not_found")
            #expect(try await api.delete(API.news("new")).status == 204)
            #expect(try await api.putNews("old").status == 201)
            try await expectOneTruth(api, "old", count: 0)
        }
    }

    @Test func `Killed, it has the redirect, the union and the times; killed in the middle, it goes on`() async throws {
        try await withDurableServer { server in
            try await merged(server.api).succeeded()
            try await server.api.make("hot")
            for start in stride(from: 0, to: 40_000, by: 10_000) {
                try await server.api.like("hot", by: (start..<start + 10_000).map { "u\($0)" })
            }
            let before = try await server.api.pages(API.likers("new"), limit: 1000).map(\.body)
            let request = WireRequest("POST", MergeTests.merge("hot"), body: #"{"into":"new"}"#)
            let (port, child) = (server.port, server.child)
            try await offPool { try WireClient.sendAndLeave(request, port: port) }
            // It has begun when the old id leads on, long before the end.
            var tries = 0
            while try await WireClient.send(WireRequest("GET", API.news("hot")), port: port).status != 308 {
                tries += 1
                try #require(tries < 20_000)
            }
            child.send(SIGKILL)
            _ = try await child.ended()
            try await server.startAgain()
            #expect(try await WireClient.send(WireRequest("GET", API.news("hot")), port: server.port).status == 308)
            // Decided behind the merge, since it waits for the like that is to be moved.
            #expect(try await server.api.unlike("new", by: "u39999").json["changed"] == true)
            try await expectOneTruth(server.api, "new", count: 46 + 39_999, base: 43)
            let likers = try await server.api.allLikers("new")
            #expect(likers.prefix(2) == ["u39998", "u39997"] && likers.suffix(3) == ["a", "c", "both"])
            #expect(before.count == 1)
        }
    }
}
