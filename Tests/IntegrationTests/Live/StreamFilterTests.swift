import Foundation
import Testing

/// What a reader sees that asks for some news and users.
@Suite struct StreamFilterTests {
    /// What a stream shows up to an event, in few words.
    private func shown(_ stream: EventStream, through answer: Answer) async throws -> [String] {
        try await stream.events(through: try answer.succeeded().json["sequence"].integer).map(\.summary)
    }

    // Reported of others: freenet-core#5213
    @Test func `One stream follows any number of news and users, each event once`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a", "b", "c")
            let news = try await EventStream.open(server, "?news=a&news=b&news=not-made-yet")
            let user = try await EventStream.open(server, "?user=u")
            let both = try await EventStream.open(server, "?news=a&user=u&news=a&user=u")
            let all = try await EventStream.open(server)
            for (news, user) in [("a", "u"), ("b", "v"), ("c", "u"), ("c", "v"), ("a", "v")] {
                try await api.like(news, by: user).succeeded()
            }
            try await api.unlike("c", by: "u").succeeded()
            try await api.putNews("c", ["title": "Other"]).succeeded()
            try await api.make("not-made-yet")
            try await api.putNews("a", ["title": "Other"]).succeeded()
            try await api.like("b", by: "u").succeeded()
            let last = try await api.like("not-made-yet", by: "u").succeeded()
            let likes = (
                "likeAdded a u 1", "likeAdded b v 1", "likeAdded c u 1", "likeAdded c v 2", "likeAdded a v 2",
                "likeRemoved c u 1", "likeAdded b u 2"
            )
            let end = "likeAdded not-made-yet u 1"
            let (updated, made) = ("newsUpdated a 2", "newsAdded not-made-yet 0")
            #expect(
                try await shown(news, through: last) == [likes.0, likes.1, likes.4, made, updated, likes.6, end])
            #expect(try await shown(user, through: last) == [likes.0, likes.2, likes.5, likes.6, end])
            #expect(
                try await shown(both, through: last)
                    == [likes.0, likes.2, likes.4, likes.5, updated, likes.6, end])
            #expect(
                try await shown(all, through: last)
                    == [
                        likes.0, likes.1, likes.2, likes.3, likes.4, likes.5, "newsUpdated c 1", made, updated, likes.6,
                        end,
                    ])
        }
    }

    // Reported of others: freenet-core#5213
    @Test func `A thousand news and a thousand users can be followed; one more, or a bad id, is refused`() async throws
    {
        try await withServer { server in
            let ids = (0...1_000).map { String($0, radix: 36) }
            try await server.api.make(ids[999], ids[1_000])
            for name in ["news", "user"] {
                let query = ids.prefix(1_000).map { "\(name)=\($0)" }.joined(separator: "&")
                let stream = try await EventStream.open(server, "?" + query)
                try await server.api.like(ids[1_000], by: ids[1_000]).succeeded()
                try await server.api.like(ids[999], by: ids[999]).succeeded()
                #expect(try await stream.events(1).map(\.summary) == ["likeAdded rr rr 1"])
                try await server.api.unlike(ids[999], by: ids[999]).succeeded()
                let tooMany = try await WireClient.send(
                    streamRequest("?" + query + "&\(name)=\(ids[1_000])"), port: server.port)
                expectProblem(tooMany, 400, "invalid_parameter", naming: name)
                for bad in ["", "%00", ".", "..", "%FF", String(repeating: "x", count: 257)] {
                    let answer = try await WireClient.send(streamRequest("?\(name)=\(bad)"), port: server.port)
                    #expect(answer.status == 400, "\(name)=\(bad)")
                    #expect(["invalid_id", "invalid_parameter"].contains(answer.json["code"]), "\(name)=\(bad)")
                }
            }
            let long = "?" + (0..<2_000).map { "news=long-id-\($0)" }.joined(separator: "&")
            #expect(try await WireClient.send(streamRequest(long), port: server.port).status == 414)
        }
    }

    @Test func `Any id can be followed`() async throws {
        try await withServer { server in
            for (news, user) in [("https://a.example/b?c=1&news=x", "u/1?x=y&z=%41 +ü"), ("✨", "e\u{301}\u{2028}")] {
                try await server.api.make(news)
                for query in [API.query(["news": news]), API.query(["user": user])] {
                    let stream = try await EventStream.open(server, query)
                    try await server.api.like(news, by: user).succeeded()
                    let event = try await stream.events(1)[0]
                    #expect(event.data["news"] == .string(news))
                    #expect(event.data["user"] == .string(user))
                    try await server.api.unlike(news, by: user).succeeded()
                }
            }
        }
    }

    @Test func `Its place moves past what does not concern it, and it comes back to nothing of that`() async throws {
        try await withDurableServer(["--stream-heartbeat", "1s"]) { server in
            try await server.api.make("n", "quiet")
            let stream = try await EventStream.open(server, "?news=quiet")
            _ = try await stream.blocks { $0.place != nil }
            let before = try #require(stream.place.flatMap { StreamPlace($0) })
            for part in 0..<2 { try await server.api.like("n", by: (0..<5_000).map { "\(part) \($0)" }) }
            let block = try #require(try await stream.blocks { $0.place != nil }.last)
            #expect(try block.fields == StreamBlock.Fields(id: stream.place))
            let place = try #require(block.place)
            #expect(place.sequence >= before.sequence + 8_192)
            #expect(place.sequence <= before.sequence + 10_000)
            stream.leave()
            let like = try await server.api.like("quiet", by: "u").succeeded()
            let again = try await EventStream.open(server, "?news=quiet", after: place.description)
            #expect(try await shown(again, through: like) == ["likeAdded quiet u 1"])
        }
    }

    @Test func `Who follows a news that is merged follows the one that it has become`() async throws {
        try await withDurableServer { server in
            let api = server.api
            try await api.make("old", "new", "newest")
            try await api.like("old", by: ["a", "b"])
            try await api.like("new", by: ["b"])
            let token = try #require(try await api.feed().headers["likes-sequence"])
            let stream = try await EventStream.open(server, "?news=old")
            try await api.post(API.news("old") + "/merge", ["into": "new"]).succeeded()
            try await api.like("newest", by: "x").succeeded()
            let like = try await api.like("new", by: "c").succeeded()
            let seen = try await shown(stream, through: like)
            for due in ["likeRemoved old a 1", "likeAdded new a 2", "likeRemoved old b 0", "newsRemoved old"] {
                #expect(seen.filter { $0 == due }.count == 1, "\(due) in \(seen)")
            }
            #expect(seen.last == "likeAdded new c 3")
            // Along a chain, and by who comes later, even when it is a merged id that is asked for.
            try await api.post(API.news("new") + "/merge", ["into": "newest"]).succeeded()
            let last = try await api.like("newest", by: "d").succeeded()
            #expect(try await shown(stream, through: last).last == "likeAdded newest d 5")
            let late = try await EventStream.open(server, "?news=old")
            let next = try await api.like("newest", by: "e").succeeded()
            #expect(try await shown(late, through: next) == ["likeAdded newest e 6"])
            let again = try await EventStream.open(server, "?news=old", after: token)
            let history = try await shown(again, through: next)
            for due in seen + ["likeAdded newest d 5", "likeAdded newest e 6"] {
                #expect(history.filter { $0 == due }.count == 1, "\(due) in \(history)")
            }
        }
    }

    /// What a reader sees that stays, and what one sees that is away meanwhile and comes back, must be the same.
    @Test(arguments: ["merged on", "removed", "removed, and the old id made again"])
    func `Who is away while the news that it has become is gone too misses nothing`(end: String) async throws {
        try await withDurableServer { server in
            let api = server.api
            try await api.make("old", "new", "newest")
            let stream = try await EventStream.open(server, "?news=old")
            try await api.post(API.news("old") + "/merge", ["into": "new"]).succeeded()
            _ = try await stream.blocks { $0.isEvent }
            let place = stream.place
            try await api.like("new", by: "a").succeeded()
            var marker = "newest"
            if end == "merged on" {
                try await api.post(API.news("new") + "/merge", ["into": "newest"]).succeeded()
            } else {
                try await api.delete(API.news("new")).succeeded()
                if end != "removed" { marker = "old" }
                if end != "removed" { try await api.make("old") }
            }
            let last = try await api.like(marker, by: "marker").succeeded()
            let through = end == "removed" ? "newsRemoved new" : "likeAdded \(marker) marker"
            let isLast: @Sendable (StreamBlock) throws -> Bool = {
                try LiveEvent($0)?.summary.hasPrefix(through) ?? false
            }
            let stayed = try await stream.blocks(until: isLast).filter(\.isEvent)
            let again = try await EventStream.open(server, "?news=old", after: place)
            let cameBack = try await again.blocks(until: isLast).filter(\.isEvent)
            #expect(cameBack == stayed)
            #expect(try stayed.first.flatMap { try LiveEvent($0)?.summary } == "likeAdded new a 1")
            #expect(last.status == 201)
        }
    }

    @Test func `The end of a user is seen by who follows the user, with all of its likes`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a", "b")
            for news in ["a", "b"] { try await api.like(news, by: ["u", "v"]) }
            let (user, news) = (
                try await EventStream.open(server, "?user=u"), try await EventStream.open(server, "?news=a")
            )
            try await api.delete(API.profile("u")).succeeded()
            try await api.like("a", by: "w").succeeded()
            #expect(
                Set(try await user.events(2).map(\.summary)) == ["likeRemoved a u 1", "likeRemoved b u 1"])
            #expect(try await user.events(1).map(\.summary) == ["userRemoved u"])
            #expect(try await news.events(2).map(\.summary) == ["likeRemoved a u 1", "likeAdded a w 2"])
        }
    }
}
