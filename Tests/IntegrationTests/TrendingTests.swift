import Foundation
import Testing

/// The order in which each like counts half as much after every half-life.
@Suite struct TrendingTests {
    /// A time on a whole second, so many hours ago.
    static func ago(hours: Double, from now: Date = Date()) -> String {
        let moment = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down) - hours * 3600)
        return moment.ISO8601Format()
    }

    /// Likes of users that are new each time.
    private func like(_ api: API, _ news: String, _ count: Int, at time: String) async throws {
        let entries = (0..<count).map { number in
            JSON.object([
                "op": "like", "news": .string(news), "user": .string("\(news)-\(time)-\(number)"),
                "at": .string(time),
            ])
        }
        let answer = try await api.post("/v1/likes", .array(entries)).succeeded()
        #expect(answer.json["changed"] == .integer(Int64(count)))
    }

    private func make(_ api: API, _ id: String, publishedAt: String) async throws {
        try await api.putNews(id, ["title": "t", "publishedAt": .string(publishedAt)]).succeeded()
    }

    @Test func `A like of today beats three of the day before yesterday`() async throws {
        try await withServer { server in
            let api = server.api
            try await make(api, "old", publishedAt: "2003-01-01T00:00:00Z")
            try await make(api, "new", publishedAt: "2001-01-01T00:00:00Z")
            try await make(api, "unliked", publishedAt: "2002-01-01T00:00:00Z")
            try await like(api, "old", 3, at: Self.ago(hours: 49))
            try await like(api, "new", 1, at: Self.ago(hours: 0))
            #expect(try await api.allNews(sort: "trending") == ["new", "old", "unliked"])
            #expect(try await api.allNews(sort: "top") == ["old", "new", "unliked"])
            try await like(api, "old", 2, at: Self.ago(hours: 48))
            #expect(try await api.allNews(sort: "trending") == ["old", "new", "unliked"])
        }
    }

    @Test func `With a longer half-life the many old ones win`() async throws {
        try await withServer(.memory, ["--trending-half-life", "30d"]) { server in
            let api = server.api
            try await make(api, "old", publishedAt: "2001-01-01T00:00:00Z")
            try await make(api, "new", publishedAt: "2003-01-01T00:00:00Z")
            try await like(api, "old", 3, at: Self.ago(hours: 49))
            try await like(api, "new", 1, at: Self.ago(hours: 0))
            #expect(try await api.allNews(sort: "trending") == ["old", "new"])
        }
    }

    // One like is worth exactly two of a half-life before. A sum that rounds would make a difference somewhere.
    @Test func `Equal scores are shown newest first, then by the ids' bytes, whatever led to them`() async throws {
        try await withServer { server in
            let api = server.api
            for id in ["d", "c", "a", "b"] { try await make(api, id, publishedAt: "2001-01-01T00:00:00Z") }
            try await make(api, "newer", publishedAt: "2002-01-01T00:00:00Z")
            let clock = Date()
            let (before, now) = (Self.ago(hours: 30, from: clock), Self.ago(hours: 6, from: clock))
            for id in ["a", "c"] { try await like(api, id, 2, at: before) }
            for id in ["b", "d", "newer"] { try await like(api, id, 1, at: now) }
            // Those that come and go leave no trace.
            for number in 0..<50 {
                let time = Self.ago(hours: Double(number) * 17)
                try await like(api, "b", 1, at: time)
                try await api.unlike("b", by: "b-\(time)-0").succeeded()
            }
            for limit in [1, 2, 1000] {
                #expect(try await api.allNews(sort: "trending", limit: limit) == ["newer", "a", "b", "c", "d"])
            }
        }
    }

    @Test func `It follows every change, a merge and a deletion included`() async throws {
        try await withServer { server in
            let api = server.api
            for id in ["a", "b", "c"] { try await make(api, id, publishedAt: "2001-01-01T00:00:00Z") }
            #expect(try await api.allNews(sort: "trending") == ["a", "b", "c"])
            try await api.like("c", by: "u").succeeded()
            #expect(try await api.allNews(sort: "trending") == ["c", "a", "b"])
            try await like(api, "b", 2, at: Self.ago(hours: 1))
            #expect(try await api.allNews(sort: "trending") == ["b", "c", "a"])
            try await api.post(API.news("b") + "/merge", ["into": "a"]).succeeded()
            #expect(try await api.allNews(sort: "trending") == ["a", "c"])
            try await api.delete(API.profile("u")).succeeded()
            try await make(api, "d", publishedAt: "2002-01-01T00:00:00Z")
            #expect(try await api.allNews(sort: "trending") == ["a", "d", "c"])
            try await api.delete(API.news("a")).succeeded()
            #expect(try await api.allNews(sort: "trending") == ["d", "c"])
        }
    }

    @Test func `Order and cursors are the same after a restart, but not those of another half-life`() async throws {
        try await Places.withFolder { folder in
            var (cursor, tag) = ("", "")
            try await withServer(.folder(folder)) { server in
                for number in 0..<30 {
                    try await make(server.api, "\(number)", publishedAt: "2001-01-01T00:00:00Z")
                    try await like(server.api, "\(number)", number % 5, at: Self.ago(hours: Double(number * 7 % 40)))
                }
                let order = try await server.api.allNews(sort: "trending")
                let first = try await server.api.feed(sort: "trending", viewer: "v", limit: 11).succeeded()
                cursor = try #require(first.json["next"].string)
                tag = try #require(first.headers["etag"])
                #expect(first.headers["link"]?.contains("?sort=trending&limit=11&viewer=v&cursor=\(cursor)>") == true)
                #expect(try await server.stop() == .exit(0))
                try await server.startAgain()
                let rest = try await server.api.feed(sort: "trending", limit: 1000, cursor: cursor).succeeded()
                #expect(rest.json["news"].elements.compactMap { $0["id"].string } == Array(order.dropFirst(11)))
                #expect(try await server.api.allNews(sort: "trending", limit: 7) == order)
            }
            try await withServer(.folder(folder), ["--trending-half-life=1h"]) { server in
                let answer = try await server.api.get("/v1/feed?sort=trending", headers: ["If-None-Match": tag])
                #expect(answer.status == 200)
                expectProblem(try await server.api.feed(sort: "trending", cursor: cursor), 400, "invalid_cursor")
            }
        }
    }

    @Test(arguments: ["", "24", "h", "0h", "59m", "59s", "366d", "-1h", "1.5h", "24 h", "99999999999999999999h"])
    func `A half-life that is none stops the start, and the line says what is allowed`(text: String) async throws {
        let run = try await likesd("serve", "--in-memory", "--port=0", "--trending-half-life=\(text)")
        #expect(run.status == .exit(64))
        #expect(run.output.contains("--trending-half-life"))
    }
}
