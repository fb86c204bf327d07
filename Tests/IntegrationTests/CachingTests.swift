import Testing

/// What caches may keep, and how they ask whether it still holds.
@Suite struct CachingTests {
    private static let targets = [
        "/v1/news/n", "/v1/feed", "/v1/feed?sort=top", "/v1/profiles/u", "/v1/profiles/writer",
    ]

    private func prepare(_ api: API) async throws {
        try await api.putNews("n", ["title": "A title", "author": "writer"]).succeeded()
        try await api.like("n", by: "u").succeeded()
    }

    @Test(arguments: targets)
    func `As long as nothing has changed, the answer is 304 with the same ETag and no body`(
        target: String
    ) async throws {
        try await withServer { server in
            try await prepare(server.api)
            let tag = try #require(try await server.api.get(target).headers["etag"])
            #expect(tag.hasPrefix("W/\"") && tag.hasSuffix("\""))
            for asked in [tag, "W/\"other\", " + tag, "*"] {
                let answers = try await WireClient.send(
                    [
                        WireRequest("GET", target, headers: ["If-None-Match": asked]),
                        WireRequest("HEAD", target, headers: ["If-None-Match": asked]), WireRequest("GET", "/healthz"),
                    ], port: server.port)
                #expect(answers.map(\.status) == [304, 304, 200], "\(asked)")
                #expect(answers[0].headers["etag"] == tag)
            }
        }
    }

    @Test(arguments: targets)
    func `After a change the answer is new`(target: String) async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let before = try await api.get(target)
            let tag = try #require(before.headers["etag"])
            try await api.unlike("n", by: "u").succeeded()
            let after = try await api.get(target, headers: ["If-None-Match": tag])
            #expect(after.status == 200)
            #expect(after.headers["etag"] != tag)
            #expect(after.json != before.json)
        }
    }

    // Reported of others: plyr.fm#1988
    @Test func `What a viewer has kept does not hold after that viewer's own like`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            for (target, news) in [("/v1/news/n?viewer=v", "n"), ("/v1/feed?viewer=w", "n")] {
                let viewer = String(target.suffix(1))
                let tag = try #require(try await api.get(target).headers["etag"])
                #expect(try await api.get(target, headers: ["If-None-Match": tag]).status == 304)
                try await api.like(news, by: viewer).succeeded()
                let answer = try await api.get(target, headers: ["If-None-Match": tag])
                #expect(answer.status == 200)
                let entry = answer.json["news"] == .absent ? answer.json : answer.json["news"][0]
                #expect(entry["viewerLikes"] == true)
            }
        }
    }

    @Test func `Reads are no-cache, and private with a viewer`() async throws {
        try await withServer { server in
            let api = server.api
            try await prepare(api)
            let all = CachingTests.targets + ["/v1/news/n/likes", "/v1/profiles/u/likes", "/v1/news/n/likes/u"]
            for target in all {
                let control = try await api.get(target).headers["cache-control"] ?? ""
                #expect(control.contains("no-cache"), "\(target)")
                #expect(!control.contains("private"), "\(target)")
            }
            for target in ["/v1/news/n?viewer=u", "/v1/feed?viewer=u"] {
                let control = try await api.get(target).headers["cache-control"] ?? ""
                #expect(control.contains("no-cache") && control.contains("private"), "\(target)")
            }
        }
    }

    @Test func `A tag of before a restart still holds after it`() async throws {
        try await withDurableServer { server in
            try await prepare(server.api)
            let tag = try #require(try await server.api.detail("n").headers["etag"])
            try await server.kill()
            try await server.startAgain()
            #expect(try await server.api.get("/v1/news/n", headers: ["If-None-Match": tag]).status == 304)
        }
    }
}
