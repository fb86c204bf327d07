import Testing

/// Many keep-alive connections at once, on one worker.
///
/// The numbers around 128 are those at which libmicrohttpd's own loop was seen to stall.
@Suite(.serialized) struct ConcurrencyTests {
    private static let numbers = [127, 128, 129, 256, 512]

    private static func script(_ connection: Int) -> WireClient.Script {
        let requests = [
            WireRequest("PUT", "/v1/news/hot/likes/\(connection)"),
            WireRequest("GET", "/v1/news/hot?viewer=\(connection)"),
            WireRequest("PUT", "/v1/news/other/likes/\(connection)"), WireRequest("GET", "/v1/feed?limit=2"),
            WireRequest(connection % 2 == 0 ? "PUT" : "DELETE", "/v1/news/other/likes/\(connection)"),
            WireRequest("GET", "/v1/profiles/\(connection)"), WireRequest("PUT", "/v1/news/hot/likes/\(connection)"),
            WireRequest("GET", "/v1/news/other/likes?limit=1"),
        ]
        return { requests.indices.contains($0) ? requests[$0] : nil }
    }

    @Test(arguments: numbers)
    func `All are answered, each sees its own likes, and all likes are counted`(connections: Int) async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await expectAllAnswered(server, connections)
        }
    }

    @Test func `The same with a data folder`() async throws {
        try await withDurableServer(["--workers", "1"]) { server in try await expectAllAnswered(server, 128) }
    }

    private func expectAllAnswered(_ server: Server, _ connections: Int) async throws {
        try await server.api.make("hot", "other")
        let port = server.port
        let logs = try await offPool {
            try WireClient(port: port, connections: connections)
                .run((0..<connections).map { ConcurrencyTests.script($0) })
        }
        let answers = logs.map { $0.exchanges.map(\.answer) }
        #expect(answers.allSatisfy { $0.count == 8 })
        for (connection, own) in answers.enumerated() where own.count == 8 {
            let number = Comment(rawValue: "connection \(connection)")
            #expect(own.map(\.status) == [201, 200, 201, 200, 200, 200, 200, 200], number)
            #expect(own[1].json["viewerLikes"] == true, number)
            #expect(own[5].json["numberOfGivenLikes"] == .integer(connection % 2 == 0 ? 2 : 1), number)
            #expect(own[6].json["changed"] == false, number)
        }
        try await expectOneTruth(server.api, "hot", count: connections)
        try await expectOneTruth(server.api, "other", count: (connections + 1) / 2)
    }

    @Test(arguments: numbers)
    func `Reads alone go on without a stall`(connections: Int) async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await server.api.make("n")
            let port = server.port
            let logs = try await offPool {
                let script = { (number: Int) in number < 20 ? WireRequest("GET", "/v1/news/n") : nil }
                return try WireClient(port: port, connections: connections)
                    .run(Array(repeating: script, count: connections))
            }
            #expect(logs.allSatisfy { $0.exchanges.count == 20 && $0.unanswered == nil })
            #expect(logs.flatMap(\.exchanges).allSatisfy { $0.answer.status == 200 })
        }
    }

    @Test func `Connections that say nothing hold up nobody`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await server.api.make("n")
            let port = server.port
            let idle = try WireClient(port: port, connections: 300)
            #expect(try await server.api.like("n", by: "u").status == 201)
            #expect(try await server.api.detail("n").json["likesCount"] == 1)
            withExtendedLifetime(idle) {}
        }
    }
}
