import Foundation
import Testing

/// What the events of each write say.
@Suite struct LiveEventTests {
    private static let likeMembers: Set<String> = [
        "news", "user", "likesCount", "numberOfGivenLikes", "at", "sequence",
    ]

    /// A server, and a stream that sees all it does from there on.
    private func withStream(
        _ flags: [String] = [], _ body: (API, EventStream) async throws -> Void
    ) async throws {
        try await withServer(.memory, flags) { server in
            try await server.api.make("n", "m")
            try await body(server.api, try await EventStream.open(server))
        }
    }

    // Reported of others: discourse#14869
    @Test func `A like and an unlike say the counts after them, so that nobody has to ask`() async throws {
        try await withStream { api, stream in
            let like = try await api.like("n", by: "u").succeeded().json
            let added = try await stream.events(1)[0]
            #expect(added.kind == "likeAdded")
            #expect(added.data.names == Self.likeMembers.union(["firstTime"]))
            for name in ["news", "user", "likesCount", "sequence"] { #expect(added.data[name] == like[name]) }
            #expect(added.data["at"] == like["likedAt"])
            #expect(added.data["numberOfGivenLikes"] == 1)
            #expect(added.data["firstTime"] == true)
            try await api.like("m", by: "u").succeeded()
            let unlike = try await api.unlike("n", by: "u").succeeded().json
            let removed = try await stream.events(2)[1]
            #expect(removed.kind == "likeRemoved")
            #expect(removed.data.names == Self.likeMembers)
            for name in ["news", "user", "likesCount", "sequence"] { #expect(removed.data[name] == unlike[name]) }
            #expect(removed.data["numberOfGivenLikes"] == 1)
        }
    }

    // Reported of others: gotosocial#51, wp-calypso#87285
    @Test func `Like, unlike, like: only the first is a first time, also after a restart`() async throws {
        try await withDurableServer { server in
            try await server.api.make("n")
            let token = try await server.api.feed().headers["likes-sequence"]
            for round in 0..<3 {
                try await server.api.like("n", by: "u").succeeded()
                try await server.api.unlike("n", by: "u").succeeded()
                if round == 1 { #expect(try await server.stop() == .exit(0)) }
                if round == 1 { try await server.startAgain() }
            }
            try await server.api.like("n", by: "v").succeeded()
            let events = try await EventStream.open(server, after: token).events(7)
            let added = events.filter { $0.kind == "likeAdded" }
            #expect(added.map { $0.data["firstTime"] } == [true, false, false, true])
        }
    }

    // Reported of others: demux#37
    @Test func `A page knows its own event by the operation that it named, and sees it once`() async throws {
        try await withStream { api, stream in
            let operation = ["Operation-Id": "page-7/like"]
            let like = try await api.put(API.like("n", "u"), headers: operation).succeeded()
            try await api.like("n", by: "v").succeeded()
            try await api.put(API.news("x"), ["title": "X"], headers: operation).succeeded()
            try await api.put(API.news("x"), ["title": "Y"], headers: operation).succeeded()
            try await api.delete(API.like("n", "u"), headers: operation).succeeded()
            try await api.delete(API.news("x"), headers: operation).succeeded()
            try await api.delete(API.profile("v"), headers: operation).succeeded()
            let events = try await stream.events(8)
            #expect(
                events.map(\.kind) == [
                    "likeAdded", "likeAdded", "newsAdded", "newsUpdated", "likeRemoved", "newsRemoved", "likeRemoved",
                    "userRemoved",
                ])
            #expect(events[0].sequence == like.json["sequence"].integer)
            #expect(events[0].data["operationId"] == like.json["operationId"])
            for (index, event) in events.enumerated() {
                #expect(event.data["operationId"] == (index == 1 ? .absent : "page-7/like"), "\(event)")
            }
        }
    }

    @Test func `A news that is made or changed is shown as the feed shows it`() async throws {
        try await withStream { api, stream in
            let members: JSON = [
                "title": "\"quoted\" \\ \u{1}\n\u{2028} ✨ e\u{301}", "author": "m/ü",
                "url": "https://a.example/?q=\"x\"",
                "publishedAt": "2020-01-02T03:04:05.678Z", "baseLikes": 12,
                "properties": ["k\"ey\n": "v\u{2}al", "é": "✨", "empty": ""],
            ]
            let id = "https://a.example/b?c=1"
            for (kind, members) in [("newsAdded", members), ("newsUpdated", ["title": "plain"])] {
                let put = try await api.putNews(id, members).succeeded()
                let event = try await stream.events(1)[0]
                #expect(event.kind == kind)
                #expect(event.sequence == put.json["sequence"].integer)
                guard case .object(var shown) = event.data else { throw Failure("no object: \(event)") }
                shown["sequence"] = nil
                #expect(JSON.object(shown) == (try await api.feedEntry(id)))
                // The same once more changes nothing, and is not seen.
                try await api.putNews(id, members).succeeded()
                try await api.like(id, by: kind).succeeded()
                let next = try await stream.events(1)[0]
                #expect(next.kind == "likeAdded" && next.user == kind, "\(next)")
                #expect(next.data["likesCount"] == (kind == "newsAdded" ? 13 : 14), "\(next)")
            }
        }
    }

    @Test func `A removed news takes its likes away one by one, in consecutive sequences`() async throws {
        try await withStream { api, stream in
            try await api.like("n", by: (0..<50).map { "u\($0)" })
            try await api.like("m", by: "u7").succeeded()
            _ = try await stream.events(51)
            try await api.delete(API.news("n")).succeeded()
            let events = try await stream.events(51)
            let removed = events.prefix(50)
            #expect(removed.allSatisfy { $0.kind == "likeRemoved" && $0.news == "n" })
            #expect(Set(removed.compactMap(\.user)).count == 50)
            #expect(removed.map { $0.data["likesCount"].integer ?? -1 } == Array((0..<50).reversed()))
            #expect(removed.first { $0.user == "u7" }?.data["numberOfGivenLikes"] == 1)
            #expect(events[50].kind == "newsRemoved")
            #expect(events[50].data == ["news": "n", "sequence": .integer(events[50].sequence)])
            #expect(events.map(\.sequence) == Array(events[0].sequence...events[0].sequence + 50))
        }
    }

    @Test func `A forgotten user takes its likes away one by one, in consecutive sequences`() async throws {
        try await withStream { api, stream in
            for number in 0..<20 { try await api.make("x\(number)") }
            try await api.put(API.likes(of: "u")).succeeded()
            _ = try await stream.events(42)
            try await api.delete(API.profile("u")).succeeded()
            let events = try await stream.events(23)
            #expect(events.prefix(22).allSatisfy { $0.kind == "likeRemoved" && $0.user == "u" })
            #expect(events.prefix(22).map { $0.data["numberOfGivenLikes"].integer ?? -1 } == Array((0..<22).reversed()))
            #expect(events[22].data == ["user": "u", "sequence": .integer(events[22].sequence)])
            #expect(events.map(\.sequence) == Array(events[0].sequence...events[0].sequence + 22))
        }
    }

    @Test func `A merge moves the likes, then removes the old news with the target's id`() async throws {
        try await withStream { api, stream in
            try await api.putNews("n", ["title": "N", "baseLikes": 3]).succeeded()
            try await api.putNews("m", ["title": "M", "baseLikes": 40]).succeeded()
            try await api.like("n", by: ["a", "both"])
            try await api.like("m", by: ["both", "c"])
            _ = try await stream.events(6)
            let merge = try await api.post(API.news("n") + "/merge", ["into": "m"]).succeeded()
            try await api.like("m", by: "z").succeeded()
            let events = try await stream.events(6)
            #expect(
                events.map(\.summary) == [
                    "newsUpdated m 45", "likeRemoved n a 4", "likeAdded m a 46", "likeRemoved n both 3",
                    "newsRemoved n",
                    "likeAdded m z 47",
                ])
            #expect(events[0].data["baseLikes"] == 43)
            #expect(events[2].data["firstTime"] == false)
            #expect(events[4].data["mergedInto"] == "m")
            #expect(events[4].sequence == merge.json["sequence"].integer)
        }
    }

    @Test func `Batches, bulks and imports are seen like single likes`() async throws {
        try await withStream { api, stream in
            let entries: JSON = [
                ["op": "like", "news": "n", "user": "a"], ["op": "like", "news": "nothing", "user": "a"],
                ["op": "like", "news": "n", "user": "a"], ["op": "unlike", "news": "n", "user": "a"],
                ["op": "like", "news": "n", "user": "b", "at": "2001-02-03T04:05:06Z"],
            ]
            try await api.post("/v1/likes", entries, headers: ["Operation-Id": "batch"]).succeeded()
            let batch = try await stream.events(3)
            #expect(batch.map(\.summary) == ["likeAdded n a 1", "likeRemoved n a 0", "likeAdded n b 1"])
            #expect(batch.allSatisfy { $0.data["operationId"] == "batch" })
            #expect(batch[2].data["at"] == "2001-02-03T04:05:06.000Z")
            try await api.post("/v1/news", [["id": "x", "title": "X"], ["id": "n", "title": "Other"]]).succeeded()
            #expect(try await stream.events(2).map(\.summary) == ["newsAdded x 0", "newsUpdated n 1"])
            try await api.put(API.likes(of: "b")).succeeded()
            try await api.delete(API.likes(of: "b") + "?news=x").succeeded()
            let bulk = try await stream.events(3).map(\.summary)
            #expect(Set(bulk.prefix(2)) == ["likeAdded m b 1", "likeAdded x b 1"])
            #expect(bulk[2] == "likeRemoved x b 0")
            let lines = """
                {"id":"i","title":"Imported","baseLikes":5}
                {"op":"like","news":"i","user":"a","at":"1999-12-31T23:59:59Z"}
                {"op":"like","news":"i","user":"b","at":"2000-01-01T00:00:00Z"}

                """
            #expect(try await api.importLines(lines).succeeded().json["refused"] == 0)
            let imported = try await stream.events(3)
            #expect(imported.map(\.summary) == ["newsAdded i 5", "likeAdded i a 6", "likeAdded i b 7"])
            #expect(imported[1].data["at"] == "1999-12-31T23:59:59.000Z")
        }
    }

    // Reported of others: NodeBB#2586
    @Test func `What is refused, or changes nothing, is not seen`() async throws {
        try await withStream { api, stream in
            try await api.like("n", by: "u").succeeded()
            #expect(try await stream.events(1)[0].summary == "likeAdded n u 1")
            let calls: [(String, String, String?, Int)] = [
                ("PUT", API.like("n", "u"), nil, 200), ("DELETE", API.like("n", "v"), nil, 200),
                ("DELETE", API.like("nothing", "u"), nil, 200), ("PUT", API.like("nothing", "u"), nil, 404),
                ("PUT", "/v1/news/n/likes/%00", nil, 400), ("PUT", API.news("n"), #"{"title":7}"#, 400),
                ("PUT", API.news("n"), "{", 400), ("PUT", API.news("n"), #"{"title":"t","more":1}"#, 400),
                ("DELETE", API.news("nothing"), nil, 204), ("POST", API.news("n") + "/merge", #"{"into":"n"}"#, 409),
                ("POST", API.news("nothing") + "/merge", #"{"into":"n"}"#, 404),
                ("POST", API.news("n") + "/merge", #"{"into":"nothing"}"#, 404),
                ("DELETE", API.profile("nobody"), nil, 200), ("DELETE", API.likes(of: "nobody"), nil, 200),
                ("PUT", API.likes(of: "u"), #"{"news":["n","nothing"]}"#, 200),
                ("POST", "/v1/likes", #"[{"op":"like","news":"nothing","user":"u"}]"#, 200),
                ("POST", "/v1/likes", #"[{"op":"like","news":"n","user":"v","at":"2999-01-01T00:00:00Z"}]"#, 200),
                ("POST", "/v1/likes", #"[{"op":"#, 400), ("POST", "/v1/admin/verify", nil, 200),
                ("POST", "/v1/admin/verify?fix=true", nil, 200),
            ]
            for (number, (method, target, body, status)) in calls.enumerated() {
                let answer = try await api.send(method, target, headers: ["Operation-Id": "op"], body: body)
                #expect(answer.status == status, "\(method) \(target): \(answer)")
                try await api.like("m", by: "marker \(number)").succeeded()
                let next = try await stream.events(1)[0].summary
                #expect(next == "likeAdded m marker \(number) \(number + 1)", "after \(method) \(target)")
            }
        }
    }

    // Reported of others: NodeBB#2586, demux#37
    @Test func `Fifty equal requests at once are one event`() async throws {
        try await withStream { api, stream in
            for method in ["PUT", "DELETE"] {
                let answers = try await inParallel(50) {
                    try await api.send(method, API.like("n", "u"), headers: ["Operation-Id": "\($0)"])
                }
                let done = try #require(answers.first { $0.json["changed"] == true })
                #expect(answers.count { $0.json["changed"] == true } == 1)
                let marker = try await api.send(method, API.like("m", "u")).succeeded()
                let events = try await stream.events(through: marker.json["sequence"].integer)
                #expect(events.count == 2)
                #expect(events[0].data["operationId"] == done.json["operationId"])
            }
        }
    }

    @Test func `A like that makes its news shows the news first`() async throws {
        try await withStream(["--create-unknown-news"]) { api, stream in
            try await api.like("https://a.example/new", by: "u").succeeded()
            #expect(
                try await stream.events(2).map(\.summary) == [
                    "newsAdded https://a.example/new 0", "likeAdded https://a.example/new u 1",
                ])
        }
    }
}
