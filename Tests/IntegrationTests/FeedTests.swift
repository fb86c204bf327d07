import Testing

/// The order of the feed, and what a viewer sees in it.
@Suite struct FeedTests {
    private func put(_ api: API, _ id: String, publishedAt: String? = nil, base: Int64 = 0) async throws {
        var members: [String: JSON] = ["title": .string("Title of \(id)"), "baseLikes": .integer(base)]
        if let publishedAt { members["publishedAt"] = .string(publishedAt) }
        try await api.putNews(id, .object(members)).succeeded()
    }

    @Test func `Newest shows the latest publication first, whatever the order of making`() async throws {
        try await withServer { server in
            let api = server.api
            try await put(api, "middle", publishedAt: "2001-01-02T00:00:00Z")
            try await put(api, "unpublished")
            try await put(api, "newest", publishedAt: "2100-01-01T00:00:00Z")
            try await put(api, "oldest", publishedAt: "2001-01-01T23:59:59.999Z")
            let order = ["newest", "unpublished", "middle", "oldest"]
            #expect(try await api.allNews() == order)
            #expect(try await api.allNews(sort: "newest") == order)
        }
    }

    // Reported of others: lemmy#2188
    @Test func `Newest puts equal times in the order of the ids' bytes, on every page size`() async throws {
        try await withServer { server in
            let api = server.api
            let ids = ["é", "b", "a", "ab", "B", "10", "9", "✨"]
            for id in ids { try await put(api, id, publishedAt: "2001-01-01T00:00:00Z") }
            let order = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for limit in [1, 3, 8, 1000] { #expect(try await api.allNews(limit: limit) == order) }
        }
    }

    // Reported of others: lemmy#2188
    @Test func `Top counts, then shows the newest first, then goes by the ids' bytes`() async throws {
        try await withServer { server in
            let api = server.api
            try await put(api, "b", publishedAt: "2001-01-01T00:00:00Z", base: 5)
            try await put(api, "a", publishedAt: "2001-01-01T00:00:00Z", base: 5)
            try await put(api, "newer", publishedAt: "2002-01-01T00:00:00Z", base: 5)
            try await put(api, "least", publishedAt: "2003-01-01T00:00:00Z", base: 4)
            try await put(api, "most", publishedAt: "1999-01-01T00:00:00Z", base: 6)
            let order = ["most", "newer", "a", "b", "least"]
            for limit in [1, 2, 1000] { #expect(try await api.allNews(sort: "top", limit: limit) == order) }
        }
    }

    @Test func `Top follows each like and unlike`() async throws {
        try await withServer { server in
            let api = server.api
            for (id, year) in [("a", 2003), ("b", 2002), ("c", 2001)] {
                try await put(api, id, publishedAt: "\(year)-01-01T00:00:00Z")
            }
            #expect(try await api.allNews(sort: "top") == ["a", "b", "c"])
            try await api.like("c", by: ["u", "v"])
            try await api.like("b", by: ["u"])
            #expect(try await api.allNews(sort: "top") == ["c", "b", "a"])
            try await api.unlike("c", by: "u").succeeded()
            #expect(try await api.allNews(sort: "top") == ["b", "c", "a"])
            try await api.unlike("c", by: "v").succeeded()
            #expect(try await api.allNews(sort: "top") == ["b", "a", "c"])
        }
    }

    @Test func `A news that is published anew moves to its new place`() async throws {
        try await withServer { server in
            let api = server.api
            try await put(api, "a", publishedAt: "2001-01-01T00:00:00Z")
            try await put(api, "b", publishedAt: "2002-01-01T00:00:00Z")
            try await put(api, "a", publishedAt: "2003-01-01T00:00:00Z")
            #expect(try await api.allNews() == ["a", "b"])
        }
    }

    @Test func `A news that is replaced stays where it was made`() async throws {
        try await withServer { server in
            let api = server.api
            try await put(api, "a")
            try await put(api, "b", publishedAt: "2100-01-01T00:00:00Z")
            try await put(api, "c", publishedAt: "2001-01-01T00:00:00Z")
            try await put(api, "a")
            #expect(try await api.allNews() == ["b", "a", "c"])
        }
    }

    // Reported of others: pump.io#197, pixelix#412, plyr.fm#1988
    @Test func `A viewer sees true or false, nobody in particular sees null`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("liked", "other")
            try await api.like("liked", by: "viewer").succeeded()
            for (viewer, liked, other) in [("viewer", true, false), ("stranger", false, false)] {
                #expect(try await api.feedEntry("liked", viewer: viewer)["viewerLikes"] == .bool(liked))
                #expect(try await api.feedEntry("other", viewer: viewer)["viewerLikes"] == .bool(other))
                #expect(try await api.detail("liked", viewer: viewer).json["viewerLikes"] == .bool(liked))
                #expect(try await api.detail("other", viewer: viewer).json["viewerLikes"] == .bool(other))
            }
            #expect(try await api.feedEntry("liked")["viewerLikes"] == .null)
            #expect(try await api.detail("liked").json["viewerLikes"] == .null)
        }
    }

    // Reported of others: mastodon#16, nom#110, pump.io#197
    @Test func `A viewer's flags stand on every page of the feed`() async throws {
        try await withServer { server in
            let api = server.api
            for number in 0..<30 { try await put(api, "\(number)", publishedAt: "2001-01-01T00:00:00Z") }
            for number in stride(from: 0, to: 30, by: 3) { try await api.like("\(number)", by: "v").succeeded() }
            var flags: [String: JSON] = [:]
            var cursor: String?
            repeat {
                let page = try await api.feed(viewer: "v", limit: 7, cursor: cursor).succeeded()
                for entry in page.json["news"].elements { flags[entry["id"].string ?? ""] = entry["viewerLikes"] }
                cursor = page.json["next"].string
            } while cursor != nil
            #expect(flags.count == 30)
            for (id, flag) in flags { #expect(flag == .bool((Int(id) ?? 1) % 3 == 0), "\(id)") }
        }
    }

    @Test func `Has 20 entries when no limit is given, and up to 1000`() async throws {
        try await withServer { server in
            let api = server.api
            let many = (0..<1001).map { JSON.object(["id": .string("\($0)"), "title": "t"]) }
            try await api.post("/v1/news", .array(many)).succeeded()
            #expect(try await api.feed().json["news"].elements.count == 20)
            #expect(try await api.feed(limit: 1).json["news"].elements.count == 1)
            #expect(try await api.feed(limit: 1000).json["news"].elements.count == 1000)
        }
    }

    @Test func `Is empty at first`() async throws {
        try await withServer { server in
            for sort in ["newest", "top", "trending"] {
                let feed = try await server.api.feed(sort: sort)
                #expect(feed.status == 200)
                #expect(feed.json["news"] == [])
                #expect(feed.json["next"] == .absent)
            }
        }
    }

    @Test(arguments: [
        "sort=best", "sort=", "sort=Top", "sort=top&sort=top", "window=fortnight&sort=top", "window=&sort=top",
        "window=24h", "window=24h&sort=newest", "window=all&sort=trending",
    ])
    func `A sort or window that does not exist is refused`(query: String) async throws {
        try await withServer { server in
            expectProblem(try await server.api.get("/v1/feed?" + query), 400, "invalid_parameter")
        }
    }
}
