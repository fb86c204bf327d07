import Testing

/// Where in the journal an answer stands.
@Suite struct SequenceTests {
    @Test func `Every answer in JSON under /v1 says how far the server has come`() async throws {
        try await withServer { server in
            let api = server.api
            var answers = [try await api.putNews("n")]
            answers.append(try await api.putNews("n"))
            answers.append(try await api.post("/v1/news", [["id": "m", "title": "M"]]))
            answers.append(try await api.like("n", by: "u"))
            answers.append(try await api.like("n", by: "u"))
            for target in ["/v1/feed", "/v1/news/n", "/v1/news/n/likes", "/v1/news/n/likes/u", "/v1/profiles/u"] {
                answers.append(try await api.get(target))
            }
            answers.append(try await api.get("/v1/profiles/u/likes"))
            answers.append(try await api.unlike("n", by: "u"))
            answers.append(try await api.unlike("unknown", by: "u"))
            answers.append(try await api.post("/v1/likes", [["op": "like", "news": "n", "user": "v"]]))
            answers.append(try await api.put(API.likes(of: "u")))
            answers.append(try await api.delete(API.likes(of: "u")))
            var last: Int64 = 0
            for (number, answer) in answers.enumerated() {
                let place = Comment(rawValue: "answer \(number)")
                #expect(answer.status == 200 || answer.status == 201, place)
                let position = try #require(answer.position, place)
                let sequence = try #require(answer.json["sequence"].integer, place)
                #expect(position >= last, place)
                #expect(sequence <= position, place)
                #expect(answer.epoch?.isEmpty == false && answer.epoch == answers[0].epoch, place)
                last = position
            }
        }
    }

    @Test func `A write's sequence is its position, one after the other`() async throws {
        try await withServer { server in
            let api = server.api
            var sequences = [try await api.putNews("n").json["sequence"]]
            sequences.append(try await api.like("n", by: "u").json["sequence"])
            sequences.append(try await api.unlike("n", by: "u").json["sequence"])
            sequences.append(try await api.putNews("n", ["title": "Another"]).json["sequence"])
            #expect(sequences == [1, 2, 3, 4])
        }
    }

    @Test func `What changes nothing takes no position, and says where that was decided`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n", "m")
            let like = try await api.like("n", by: "u").json["sequence"].integer
            let other = try await api.like("m", by: "u").json["sequence"].integer
            #expect(other == like.map { $0 + 1 })
            for answer in [try await api.like("n", by: "u"), try await api.unlike("n", by: "v")] {
                #expect(answer.json["changed"] == false)
                #expect(answer.json["sequence"].integer == other)
            }
            let next = try await api.like("n", by: "v").json["sequence"].integer
            #expect(next == other.map { $0 + 1 })
        }
    }

    @Test func `A batch says the position of its last change`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let entries: JSON = [
                ["op": "like", "news": "n", "user": "a"], ["op": "like", "news": "n", "user": "b"],
                ["op": "like", "news": "n", "user": "b"],
            ]
            let batch = try await api.post("/v1/likes", entries)
            #expect(batch.json["sequence"] == 3)
            #expect(batch.position == 3)
        }
    }

    @Test func `A read's sequence is the last change of what it shows`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("a", ["title": "A", "author": "writer"]).succeeded()
            try await api.putNews("b", ["title": "B", "author": "writer"]).succeeded()
            let first = try await api.like("a", by: "u").json["sequence"]
            let second = try await api.like("b", by: "v").json["sequence"]
            #expect(try await api.detail("a").json["sequence"] == first)
            #expect(try await api.detail("b").json["sequence"] == second)
            #expect(try await api.profile("u").json["sequence"] == first)
            #expect(try await api.profile("v").json["sequence"] == second)
            #expect(try await api.profile("writer").json["sequence"] == second)
            #expect(try await api.feed().json["sequence"] == second)
            #expect(try await api.get(API.likers("a")).json["sequence"] == first)
            #expect(try await api.get(API.likes(of: "u")).json["sequence"] == first)
            #expect(try await api.detail("a").position == second.integer)
        }
    }

    @Test func `A deletion changes what the profiles of the likers show`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a", "b")
            try await api.like("a", by: "u").succeeded()
            let before = try await api.like("b", by: "v").json["sequence"].integer ?? 0
            try await api.delete(API.news("a")).succeeded()
            #expect((try await api.profile("u").json["sequence"].integer ?? 0) > before)
            #expect(try await api.profile("v").json["sequence"].integer == before)
        }
    }

    @Test func `A news that is put says where that was decided when nothing changes, else its own position`()
        async throws
    {
        try await withServer { server in
            let api = server.api
            try await api.make("n", "m")
            try await api.like("m", by: "u").succeeded()
            let same = try await api.putNews("n")
            #expect(same.status == 200)
            #expect(same.json["sequence"] == 3)
            #expect(same.position == 3)
            #expect(try await api.detail("n").json["sequence"] == 1)
            let changed = try await api.putNews("n", ["title": "Another"])
            #expect(changed.json["sequence"] == 4)
            #expect(changed.position == 4)
            #expect(try await api.detail("n").json["sequence"] == 4)
            #expect(try await api.putNews("m").json["sequence"] == 4)
            #expect(try await api.detail("m").json["sequence"] == 3)
        }
    }
}
