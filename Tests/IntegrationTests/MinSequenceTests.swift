import Foundation
import Glibc
import Testing

/// Reads that must not be older than something that the client has seen.
@Suite struct MinSequenceTests {
    /// Every read; that of counts by POST is beside them.
    private static let targets = [
        "/v1/news/n", "/v1/news/n/likes", "/v1/news/n/likes/u", "/v1/feed", "/v1/feed?sort=top&limit=1",
        "/v1/feed?sort=trending", "/v1/feed?sort=top&window=24h", "/v1/counts?news=n", "/v1/profiles/u",
        "/v1/profiles/u/likes",
    ]

    /// How a request says what it wants to see.
    enum Spelling: CaseIterable {
        case query, header

        func request(_ method: String, _ target: String, _ token: String, body: String? = nil) -> WireRequest {
            switch self {
            case .query:
                let mark = target.contains("?") ? "&" : "?"
                return WireRequest(method, "\(target)\(mark)min_sequence=\(token)", body: body)
            case .header: return WireRequest(method, target, headers: ["Likes-Min-Sequence": token], body: body)
            }
        }
    }

    private func prepare(_ api: API) async throws {
        try await api.make("n")
        try await api.like("n", by: "u").succeeded()
    }

    /// The token of a place so many events after the last.
    private func token(_ api: API, ahead: Int64 = 0) async throws -> String {
        let answer = try await api.feed()
        let (epoch, position) = (try #require(answer.epoch), try #require(answer.position))
        return "\(epoch).\(position + ahead)"
    }

    /// Sends a read and, when the server has taken it in, a write; the read's answer.
    ///
    /// A server of one worker that has answered something sent later has seen what was sent before.
    private func answer(to read: WireRequest, before write: WireRequest, _ server: Server) async throws -> Answer {
        let port = server.port
        return try await offPool {
            let writes = [WireRequest("GET", "/healthz"), write]
            let logs = try WireClient(port: port, connections: 2)
                .run([{ $0 == 0 ? read : nil }, { writes.indices.contains($0) ? writes[$0] : nil }])
            guard let answer = logs[0].exchanges.first?.answer, logs[1].exchanges.count == 2 else {
                throw Failure("closed without an answer: \(logs)")
            }
            return answer
        }
    }

    @Test(arguments: Spelling.allCases)
    func `What is there is answered at once`(spelling: Spelling) async throws {
        try await withServer { server in
            try await prepare(server.api)
            let token = try await token(server.api)
            for target in MinSequenceTests.targets {
                let requests = ["GET", "HEAD"].map { spelling.request($0, target, token) }
                let answers = try await WireClient.send(requests, port: server.port)
                #expect(answers.map(\.status) == [200, 200], "\(target)")
                #expect(answers[0].headers["likes-sequence"] == token, "\(target)")
            }
            let counts = spelling.request("POST", "/v1/counts", token, body: #"{"news": ["n"]}"#)
            #expect(try await WireClient.send(counts, port: server.port).status == 200)
            let export = try await server.api.export("?min_sequence=\(token)")
            #expect(export.headers["likes-sequence"] == token)
        }
    }

    @Test(arguments: Spelling.allCases)
    func `What is not there yet is waited for, and shown`(spelling: Spelling) async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await prepare(server.api)
            let reads =
                MinSequenceTests.targets.flatMap { [("GET", $0), ("HEAD", $0)] } + [("HEAD", "/v1/admin/export")]
            for (number, (method, target)) in reads.enumerated() {
                let token = try await token(server.api, ahead: 1)
                let answer = try await answer(
                    to: spelling.request(method, target, token),
                    before: WireRequest("PUT", "/v1/news/n/likes/u\(number)"), server)
                #expect(answer.status == 200, "\(method) \(target)")
                #expect(answer.headers["likes-sequence"] == token, "\(method) \(target)")
                if target == "/v1/news/n", method == "GET" {
                    #expect(answer.json["newestLikers"][0]["user"] == .string("u\(number)"))
                }
            }
            let asked = try await token(server.api, ahead: 1)
            let counts = spelling.request("POST", "/v1/counts", asked, body: #"{"news": ["n"], "viewer": "x"}"#)
            let answer = try await answer(to: counts, before: WireRequest("PUT", "/v1/news/n/likes/x"), server)
            #expect(answer.json["counts"][0]["viewerLikes"] == true)
        }
    }

    @Test func `Whether there is such a news is looked at after the wait, and so is If-None-Match`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await prepare(server.api)
            let made = try await answer(
                to: Spelling.query.request("GET", "/v1/news/x", try await token(server.api, ahead: 1)),
                before: WireRequest("PUT", "/v1/news/x", body: #"{"title": "X"}"#), server)
            #expect(made.status == 200)
            #expect(made.json["title"] == "X")

            let removed = try await answer(
                to: Spelling.query.request("GET", "/v1/news/x", try await token(server.api, ahead: 1)),
                before: WireRequest("DELETE", "/v1/news/x"), server)
            expectProblem(removed, 404, "news_not_found")

            let tag = try #require(try await server.api.detail("n").headers["etag"])
            for (user, status) in [("v", 200), ("v", 304)] {
                let asked = try await token(server.api, ahead: 1)
                let tag = status == 304 ? try #require(try await server.api.detail("n").headers["etag"]) : tag
                let other = WireRequest("PUT", "/v1/news/y", body: #"{"title": "Y"}"#)
                let answer = try await answer(
                    to: WireRequest(
                        "GET", "/v1/news/n?min_sequence=\(asked)",
                        headers: ["If-None-Match": tag, "Operation-Id": "tap-7"]),
                    before: status == 200 ? WireRequest("PUT", "/v1/news/n/likes/\(user)") : other, server)
                #expect(answer.status == status)
                #expect(answer.headers["operation-id"] == "tap-7")
            }
        }
    }

    @Test func `A news that is merged away meanwhile leads to the other one`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await prepare(server.api)
            try await server.api.make("m")
            let asked = try await token(server.api, ahead: 1)
            let answer = try await answer(
                to: Spelling.query.request("GET", "/v1/news/n", asked),
                before: WireRequest("POST", "/v1/news/n/merge", body: #"{"into": "m"}"#), server)
            #expect(answer.status == 308)
            #expect(answer.headers["location"] == "/v1/news/m?min_sequence=\(asked)")
        }
    }

    @Test func `Of both, the later one counts`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await prepare(server.api)
            for isHeaderAhead in [true, false] {
                let (here, ahead) = (try await token(server.api), try await token(server.api, ahead: 1))
                let read = WireRequest(
                    "GET", "/v1/feed?min_sequence=\(isHeaderAhead ? here : ahead)",
                    headers: ["Likes-Min-Sequence": isHeaderAhead ? ahead : here])
                let answer = try await answer(
                    to: read, before: WireRequest("PUT", "/v1/news/n/likes/\(isHeaderAhead)"), server)
                #expect(answer.headers["likes-sequence"] == ahead)
            }
        }
    }

    @Test func `What does not come in time is 503, and others are served meanwhile`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await prepare(server.api)
            let token = try await token(server.api, ahead: 1_000)
            let reads =
                (MinSequenceTests.targets + ["/v1/admin/export"]).flatMap { target in
                    Spelling.allCases.flatMap { spelling in
                        ["GET", "HEAD"].map { spelling.request($0, target, token) }
                    }
                } + [Spelling.query.request("POST", "/v1/counts", token, body: #"{"news": ["n"]}"#)]
            let port = server.port
            let start = ContinuousClock.now
            let (answers, served) = try await offPool {
                var served = 0
                let scripts: [WireClient.Script] =
                    reads.map { read in { $0 == 0 ? read : nil } } + [
                        {
                            served = $0
                            return .now - start < .seconds(1) ? WireRequest("PUT", "/v1/news/n/likes/u") : nil
                        }
                    ]
                let logs = try WireClient(port: port, connections: scripts.count).run(scripts)
                return (logs.dropLast().map { $0.exchanges.first?.answer }, served)
            }
            #expect(.now - start >= .milliseconds(1_900), "it waits for two seconds")
            #expect(served > 10)
            for (read, answer) in zip(reads, answers) {
                let answer = try #require(answer, "\(read.target)")
                #expect(answer.status == 503, "\(read.method) \(read.target)")
                #expect(answer.headers["retry-after"] == "1")
                if read.method != "HEAD" { expectProblem(answer, 503, "not_yet_folded", naming: "min_sequence") }
            }
        }
    }

    @Test func `A text that is no token is 400, and so is the token of another journal`() async throws {
        try await withServer { server in
            try await prepare(server.api)
            let epoch = try #require(try await server.api.feed().epoch)
            let bad = ["", "1", "x", epoch, "\(epoch).", "\(epoch).-1", "\(epoch).01", "\(epoch).1.1", "%FF"]
            for target in MinSequenceTests.targets + ["/v1/admin/export"] {
                let mark = target.contains("?") ? "&" : "?"
                for text in bad + ["0123456789abcdef.1"] {
                    let answer = try await WireClient.send(
                        WireRequest("GET", "\(target)\(mark)min_sequence=\(text)"), port: server.port)
                    expectProblem(answer, 400, "invalid_parameter", naming: "min_sequence: ", "\(target) \(text)")
                }
                let twice = "\(target)\(mark)min_sequence=\(epoch).0&min_sequence=\(epoch).0"
                let answer = try await WireClient.send(WireRequest("GET", twice), port: server.port)
                expectProblem(answer, 400, "invalid_parameter", naming: "min_sequence: ", "\(target)")
            }
            for text in ["1", "0123456789abcdef.1"] {
                let headers = ["Likes-Min-Sequence": text]
                let answers = try await WireClient.send(
                    [
                        WireRequest("GET", "/v1/feed?min_sequence=\(epoch).0", headers: headers),
                        WireRequest("POST", "/v1/counts", headers: headers, body: #"{"news": []}"#),
                    ], port: server.port)
                for answer in answers {
                    expectProblem(answer, 400, "invalid_parameter", naming: "Likes-Min-Sequence: ", "\(text)")
                }
            }
            let other = try await server.api.get("/v1/feed?min_sequence=0123456789abcdef.1")
            #expect(other.json["detail"].string?.contains("another journal") == true)
        }
    }

    @Test func `A write does not ask, and one that is told a sequence does not wait`() async throws {
        try await withServer { server in
            try await prepare(server.api)
            let token = try await token(server.api, ahead: 1_000_000)
            let answer = try await server.api.put(
                "/v1/news/n/likes/v?min_sequence=\(token)", headers: ["Likes-Min-Sequence": token])
            #expect(answer.status == 201)
        }
    }

    @Test func `A token of before a restart still holds after it`() async throws {
        try await withDurableServer { server in
            try await prepare(server.api)
            let token = try await token(server.api)
            try await server.kill()
            try await server.startAgain()
            let answer = try await server.api.get("/v1/news/n?min_sequence=\(token)")
            #expect(answer.status == 200)
            #expect(answer.headers["likes-sequence"] == token)
        }
    }

    @Test func `What waits when the server stops is answered at once`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await prepare(server.api)
            let read = Spelling.query.request("GET", "/v1/news/n", try await token(server.api, ahead: 1))
            let (port, child) = (server.port, server.child)
            let answer = try await offPool {
                let logs = try WireClient(port: port, connections: 2)
                    .run([
                        { $0 == 0 ? read : nil },
                        { number in
                            // Its answer says that the read has been taken in.
                            if number == 1 { child.send(SIGTERM) }
                            return number == 0 ? WireRequest("GET", "/healthz") : nil
                        },
                    ])
                return logs[0].exchanges.first?.answer
            }
            expectProblem(try #require(answer), 503, "shutting_down")
            #expect(try await server.child.ended() == .exit(0))
        }
    }
}
