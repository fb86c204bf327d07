import Foundation
import Testing

/// Streams that must not begin before something that the client has seen.
@Suite struct StreamWaitTests {
    /// The token of a place so many events after the last.
    private func token(_ api: API, ahead: Int64 = 0) async throws -> String {
        let answer = try await api.feed()
        return "\(try #require(answer.epoch)).\(try #require(answer.position) + ahead)"
    }

    @Test func `A stream that asks for what is there begins at once`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let token = try await token(server.api)
            let byQuery = try await EventStream.open(server, "?min_sequence=\(token)")
            let byHeader = try await EventStream.open(server, headers: ["Likes-Min-Sequence": token])
            try await server.api.like("n", by: "u").succeeded()
            for stream in [byQuery, byHeader] {
                #expect(stream.head.headers["likes-sequence"] == token)
                #expect(try await stream.events(1)[0].summary == "likeAdded n u 1")
            }
        }
    }

    @Test func `A stream that asks for what is to come begins behind that, and not before`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await server.api.make("n")
            let (here, ahead) = (try await token(server.api), try await token(server.api, ahead: 1))
            let port = server.port
            let (new, since) = try await offPool {
                let requests = ["?min_sequence=\(ahead)", "?min_sequence=\(ahead)&since=\(here)"]
                let sockets = try requests.map { query in
                    let socket = try StreamSocket(port: port)
                    socket.send(streamRequest(query).bytes)
                    return socket
                }
                // One worker that has answered what was sent later has seen what was sent before.
                let logs = try WireClient(port: port, connections: 1).run([
                    { $0 < 2 ? WireRequest($0 == 0 ? "GET" : "PUT", $0 == 0 ? "/healthz" : API.like("n", "u")) : nil }
                ])
                guard logs[0].exchanges.map(\.answer.status) == [200, 201] else { throw Failure("\(logs)") }
                return try (Self.first(sockets[0], until: "id: \(ahead)\n\n"), Self.first(sockets[1], until: "}\n\n"))
            }
            for text in [new, since] {
                #expect(text.hasPrefix("HTTP/1.1 200 "))
                #expect(text.contains("Likes-Sequence: \(ahead)\r\n"))
            }
            #expect(new.hasSuffix("retry: 2000\n\nid: \(ahead)\n\n"))
            #expect(since.contains("retry: 2000\n\nid: \(ahead)\nevent: likeAdded\n"))
        }
    }

    /// What comes first, up to a text.
    private static func first(_ socket: StreamSocket, until end: String) throws -> String {
        // One for the whole: heartbeats come for ever.
        let deadline = Deadline.seconds(20)
        var bytes: [UInt8] = []
        while !bytes.ends(with: end) {
            try socket.wait(deadline, bytes)
            guard socket.receive(into: &bytes) == nil else { throw Failure("the stream has ended") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `What does not come in two seconds is 503, takes no place, and the connection goes on`() async throws {
        try await withServer(.memory, ["--max-streams", "1"]) { server in
            try await server.api.make("n")
            let ahead = try await token(server.api, ahead: 1)
            let answers = try await WireClient.send(
                [streamRequest("?min_sequence=\(ahead)"), WireRequest("GET", "/healthz")], port: server.port)
            expectProblem(answers[0], 503, "not_yet_folded", naming: "min_sequence")
            #expect(answers[0].headers["retry-after"] == "1")
            #expect(answers[1].status == 200)
            _ = try await EventStream.open(server)
        }
    }

    @Test func `A text that is no token is 400, and so is the token of another journal`() async throws {
        try await withServer { server in
            let epoch = try #require(try await server.api.feed().epoch)
            for text in ["", "x", "7", "\(epoch).", "\(epoch).-1", "0123456789abcdef.0"] {
                let answer = try await WireClient.send(streamRequest("?min_sequence=\(text)"), port: server.port)
                expectProblem(answer, 400, "invalid_parameter", naming: "min_sequence: ", "\(text)")
                if text.isEmpty { continue }
                let byHeader = try await WireClient.send(
                    streamRequest(headers: ["Likes-Min-Sequence": text]), port: server.port)
                expectProblem(byHeader, 400, "invalid_parameter", naming: "Likes-Min-Sequence: ", "\(text)")
            }
        }
    }
}
