import Foundation
import Testing

/// The most liked of a day, a week, a month.
@Suite struct WindowTests {
    /// Hours that are in a window or not, whatever the minute in which the test runs.
    private static let ages: [(hours: Double, news: String)] = [
        (0, "now"), (23.9, "day"), (24.1, "two days"), (167, "week"), (169.1, "two weeks"), (719, "month"),
        (721.1, "two months"),
    ]

    private func fill(_ api: API) async throws {
        for (hours, id) in Self.ages {
            try await api.putNews(id, ["title": "t", "publishedAt": "2001-01-01T00:00:00Z"]).succeeded()
            let entries = ["a", "b"].map { user in
                JSON.object([
                    "op": "like", "news": .string(id), "user": .string(user),
                    "at": .string(TrendingTests.ago(hours: hours)),
                ])
            }
            try await api.post("/v1/likes", .array(entries)).succeeded()
        }
    }

    private func windowLikes(_ api: API, _ window: String) async throws -> [String: Int64] {
        let feed = try await api.get("/v1/feed?sort=top&window=\(window)&limit=1000").succeeded()
        var counts: [String: Int64] = [:]
        for entry in feed.json["news"].elements {
            counts[try #require(entry["id"].string)] = entry["windowLikes"].integer
        }
        return counts
    }

    @Test func `Each window counts the likes that were set in it, and orders by them`() async throws {
        try await withServer { server in
            let api = server.api
            try await fill(api)
            for (window, inside) in [("24h", 2), ("7d", 4), ("30d", 6), ("all", 7)] {
                let counts = try await windowLikes(api, window)
                for (index, age) in Self.ages.enumerated() {
                    #expect(counts[age.news] == (index < inside ? 2 : 0), "\(age.news) in \(window)")
                }
                let order = try await api.allNews(sort: "top", window: window, limit: 3)
                let sorted = Self.ages.map(\.news)
                #expect(order == sorted.prefix(inside).sorted() + sorted.dropFirst(inside).sorted())
            }
        }
    }

    @Test func `Likes come and go, and baseLikes count for all time only`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.putNews("base", ["title": "t", "baseLikes": 100]).succeeded()
            try await api.make("n")
            #expect(try await windowLikes(api, "24h") == ["base": 0, "n": 0])
            for user in ["a", "b", "c"] { try await api.like("n", by: user).succeeded() }
            try await api.unlike("n", by: "b").succeeded()
            #expect(try await windowLikes(api, "24h") == ["base": 0, "n": 2])
            #expect(try await windowLikes(api, "7d") == ["base": 0, "n": 2])
            #expect(try await windowLikes(api, "all") == ["base": 100, "n": 2])
            #expect(try await api.allNews(sort: "top", window: "30d") == ["n", "base"])
            #expect(try await api.allNews(sort: "top", window: "all") == ["base", "n"])
            let plain = try await api.feed(sort: "top").succeeded()
            #expect(plain.json["news"].elements.allSatisfy { $0["windowLikes"] == .absent })
        }
    }

    @Test func `A page leads on by its cursor and its link, in its window only`() async throws {
        try await withServer { server in
            let api = server.api
            try await fill(api)
            let page = try await api.get("/v1/feed?sort=top&window=7d&limit=2&viewer=a").succeeded()
            let cursor = try #require(page.json["next"].string)
            #expect(page.json["news"].elements.allSatisfy { $0["viewerLikes"] == .bool(true) })
            let link = try #require(page.headers["link"])
            #expect(link.hasPrefix("</v1/feed?sort=top&window=7d&limit=2&viewer=a&cursor="))
            #expect(try await api.get("/v1/feed?sort=top&window=7d&cursor=\(cursor)").status == 200)
            for other in ["sort=top&window=24h", "sort=top", "sort=trending", "sort=newest"] {
                expectProblem(try await api.get("/v1/feed?\(other)&cursor=\(cursor)"), 400, "invalid_cursor")
            }
        }
    }

    @Test func `Its tag holds until something changes`() async throws {
        try await withServer { server in
            let api = server.api
            try await fill(api)
            let target = "/v1/feed?sort=top&window=30d"
            let first = try await api.get(target).succeeded()
            let tag = try #require(first.headers["etag"])
            let second = try await api.get(target, headers: ["If-None-Match": tag])
            // In the very moment in which an hour ends the window is another one.
            #expect(second.status == 304 || second.headers["etag"] != tag)
            try await api.like("now", by: "c").succeeded()
            #expect(try await api.get(target, headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test func `Many who ask at once, while others write, get counts that were true at some moment`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let counts = try await inParallel(60) { number -> Int64? in
                if number % 2 == 0 {
                    try await api.like("n", by: "u\(number)").succeeded()
                    return nil
                }
                return try await windowLikes(api, "24h")["n"]
            }
            for count in counts.compactMap(\.self) { #expect(0...30 ~= count) }
            #expect(try await windowLikes(api, "24h")["n"] == 30)
        }
    }
}
