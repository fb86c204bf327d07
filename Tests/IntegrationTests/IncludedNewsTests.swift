import Testing

/// The likes of a user, with what the news are.
@Suite struct IncludedNewsTests {
    @Test func `include=news says what the feed says of each news, and without it there are the ids alone`()
        async throws
    {
        try await withServer { server in
            let api = server.api
            try await api.putNews("n", ["title": "A title", "author": "writer", "properties": ["a": "b"]]).succeeded()
            try await api.like("n", by: ["u", "v"])
            let plain = try await api.get("/v1/profiles/u/likes?viewer=v").json["likes"][0]
            #expect(plain.names == ["likedAt", "news"])
            let full = try await api.get("/v1/profiles/u/likes?include=news&viewer=v").json["likes"][0]
            let entry = try await api.get("/v1/feed?viewer=v").json["news"][0]
            for name in entry.names where name != "id" { #expect(full[name] == entry[name], "\(name)") }
            #expect(full["news"] == entry["id"])
            #expect(full["likedAt"] == plain["likedAt"])
            #expect(full["viewerLikes"] == true)
            #expect(try await api.get("/v1/profiles/u/likes?include=news").json["likes"][0]["viewerLikes"] == .null)
        }
    }

    @Test func `The next page is of the same kind, and a viewer's answer is private`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n", "m", "l")
            try await api.put(API.likes(of: "u")).succeeded()
            let first = try await api.get("/v1/profiles/u/likes?include=news&viewer=%E2%9C%A8&limit=1")
            #expect(first.headers["cache-control"] == "private, no-cache")
            let link = try #require(first.headers["link"])
            let next = try #require(link.split(separator: ">").first?.dropFirst())
            let second = try await api.get(String(next))
            #expect(second.json["likes"][0]["title"] != .absent)
            #expect(second.json["likes"][0]["viewerLikes"] == false)
            #expect(second.json["likes"].elements.count == 1)
        }
    }

    @Test func `Its sequence is that of the last change of what is shown`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            try await api.like("n", by: "u").succeeded()
            let target = "/v1/profiles/u/likes"
            let before = try await api.get(target + "?include=news").json["sequence"]
            let change = try await api.like("n", by: "v").json["sequence"]
            #expect(before != change)
            #expect(try await api.get(target + "?include=news").json["sequence"] == change)
            #expect(try await api.get(target).json["sequence"] == before)
        }
    }

    @Test func `A page with very large news ends early, and none is left out`() async throws {
        try await withServer { server in
            let api = server.api
            let value = JSON.string(String(repeating: "v", count: 4_000))
            let properties = JSON.object(["a": value, "b": value, "c": value, "d": value])
            let ids = (0..<100).map { "news \($0)" }
            for some in [ids[..<50], ids[50...]] {
                let news = some.map {
                    JSON.object(["id": .string($0), "title": "t", "properties": properties])
                }
                try await api.post("/v1/news", .array(news)).succeeded()
            }
            for id in ids { try await api.like(id, by: "u").succeeded() }
            let target = "/v1/profiles/u/likes?include=news&limit=1000"
            let first = try await api.get(target)
            let cursor = try #require(first.json["next"].string)
            let second = try await api.get("\(target)&cursor=\(cursor)")
            #expect(second.json["next"] == .absent)
            let likes = first.json["likes"].elements + second.json["likes"].elements
            #expect(likes.compactMap { $0["news"].string } == ids.reversed())
        }
    }

    @Test func `Anything else to include is refused`() async throws {
        try await withServer { server in
            for value in ["", "likes", "news&include=news"] {
                let answer = try await server.api.get("/v1/profiles/u/likes?include=\(value)")
                #expect(answer.json["code"] == "invalid_parameter", "\(value)")
            }
        }
    }
}
