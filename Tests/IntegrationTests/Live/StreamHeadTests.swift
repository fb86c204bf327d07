import Foundation
import Glibc
import Testing

/// How a stream begins, what keeps it alive, and which requests for one are refused.
@Suite struct StreamHeadTests {
    /// The first answer to a request that may lead to a stream.
    private func answer(_ request: WireRequest, _ server: Server) async throws -> StreamHead {
        let port = server.port
        return try await offPool {
            let socket = try StreamSocket(port: port)
            socket.send(request.bytes)
            var bytes: [UInt8] = []
            while true {
                try socket.wait(.seconds(20), bytes)
                let end = socket.receive(into: &bytes)
                if let (head, _) = try WireParser.streamHead(bytes) { return head }
                if end != nil { throw Failure("closed without an answer") }
            }
        }
    }

    private func expectStreamHeaders(_ headers: [String: String]) {
        #expect(headers["content-type"] == "text/event-stream")
        #expect(headers["cache-control"] == "no-cache, no-transform")
        #expect(headers["x-accel-buffering"] == "no")
        #expect(headers["connection"]?.lowercased() == "close")
        #expect(headers["content-length"] == nil)
        #expect(headers["transfer-encoding"] == nil)
        #expect(headers["content-encoding"] == nil)
    }

    // Reported of others: deepseek-reasonix#3064, harness#1293
    @Test func `The first packet brings the head, the time to come back after, and a place; no proxy keeps it back`()
        async throws
    {
        try await withServer { server in
            try await server.api.make("n")
            let stream = try await EventStream.open(server)
            expectStreamHeaders(stream.head.headers)
            let token = try #require(stream.head.headers["likes-sequence"])
            #expect(token == (try await server.api.feed().headers["likes-sequence"]))
            #expect(stream.firstBytes.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(stream.firstBytes.hasSuffix("\r\n\r\nretry: 2000\n\nid: \(token)\n\n"))
        }
    }

    @Test func `A reader with a place is given none at first: the next event brings it`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let token = try #require(try await server.api.feed().headers["likes-sequence"])
            for (query, place) in [("?since=\(token)", nil), ("", token)] as [(String, String?)] {
                let stream = try await EventStream.open(server, query, after: place)
                expectStreamHeaders(stream.head.headers)
                #expect(stream.firstBytes.hasSuffix("\r\n\r\nretry: 2000\n\n"))
            }
        }
    }

    // Reported of others: deepseek-reasonix#3064, harness#1293
    @Test func `A comment without an id comes when nothing else does, again and again`() async throws {
        try await withServer(.memory, ["--stream-heartbeat", "1s"]) { server in
            try await server.api.make("n")
            let stream = try await EventStream.open(server, "?news=n")
            let start = ContinuousClock.now
            let opening = [try #require(try await stream.next()), try #require(try await stream.next())]
            #expect(try opening[0].fields.retry != nil && opening[1].place != nil)
            // From here on there is nothing else: no place either.
            for _ in 0..<3 {
                #expect(try #require(try await stream.next()).fields == StreamBlock.Fields(comments: [""]))
            }
            #expect(.now - start > .seconds(1.5))
            let place = stream.place
            let like = try await server.api.like("n", by: "u").succeeded()
            let event = try await stream.events(1)[0]
            #expect(event.sequence == like.json["sequence"].integer)
            let again = try await EventStream.open(server, "?news=n", after: place).events(1)[0]
            #expect(again.block == event.block)
        }
    }

    @Test func `HEAD answers the head alone and closes the connection`() async throws {
        try await withServer { server in
            let port = server.port
            let open = try ProcessView(pid: server.child.pid).descriptors
            for _ in 0..<20 {
                let (answer, rest) = try await offPool {
                    let connection = try WireConnection(port: port)
                    try connection.send(streamRequest(method: "HEAD").bytes)
                    return (try connection.answer(toHead: true), try connection.rest())
                }
                #expect(answer?.status == 200)
                #expect(answer?.headers["likes-sequence"] != nil)
                expectStreamHeaders(answer?.headers ?? [:])
                #expect(rest == "")
            }
            let pid = server.child.pid
            try await offPool {
                try ProcessView(pid: pid).waitUntil("all connections closed", .seconds()) {
                    try $0.descriptors <= open
                }
            }
        }
    }

    @Test(
        arguments: [
            (nil, true), ("*/*", true), ("text/*", true), ("text/event-stream", true), ("TEXT/Event-Stream", true),
            ("application/json, text/event-stream;q=0.1", true), ("text/event-stream; q=0.5, */*;q=0", true),
            ("text/html, */*;q=0.8", true), ("text/event-stream;charset=utf-8", true), ("application/json", false),
            ("text/event-stream;q=0", false), ("text/html, */*;q=0", false), ("text/*;q=0, */*", false),
            ("*/*, text/event-stream;q=0.000", false), ("text/html,application/xhtml+xml", false),
        ] as [(String?, Bool)])
    func `Accept decides whether there is a stream`(accept: String?, isAccepted: Bool) async throws {
        try await withServer { server in
            let headers = accept.map { ["Accept": $0] } ?? [:]
            if isAccepted {
                let head = try await answer(WireRequest("GET", "/v1/events", headers: headers), server)
                #expect(head.status == 200)
                #expect(head.headers["content-type"] == "text/event-stream")
            } else {
                let refusal = try await WireClient.send(
                    WireRequest("GET", "/v1/events", headers: headers), port: server.port)
                expectProblem(refusal, 406, "not_acceptable")
            }
        }
    }

    @Test func `A place in the query that no journal gave out is refused, with the parameter`() async throws {
        try await withServer { server in
            let epoch = try #require(try await server.api.feed().epoch)
            for since in [
                "", "x", "7", "\(epoch)", "\(epoch).", "\(epoch).-1", "\(epoch).01", ".1", "\(epoch).1.1", "\(epoch).x",
                "\(epoch.uppercased())X.1", "\(epoch).99999999999999999999", "%00",
            ] {
                let answer = try await WireClient.send(streamRequest("?since=" + since), port: server.port)
                expectProblem(answer, 400, "invalid_parameter", naming: "since")
            }
            let twice = "?since=\(epoch).0&since=\(epoch).0"
            expectProblem(
                try await WireClient.send(streamRequest(twice), port: server.port), 400, "invalid_parameter",
                naming: "since")
        }
    }

    @Test func `Other methods are refused, and the next request on the connection is answered`() async throws {
        try await withServer { server in
            let requests = [
                WireRequest("POST", "/v1/events", body: "{}"), WireRequest("PUT", "/v1/events"),
                WireRequest("DELETE", "/v1/events"),
                WireRequest("GET", "/v1/events", headers: ["Accept": "application/json"]),
                streamRequest("?since=x"), streamRequest("?news="), WireRequest("OPTIONS", "/v1/events"),
                WireRequest("GET", "/healthz"),
            ]
            let answers = try await WireClient.send(requests, port: server.port)
            #expect(answers.map(\.status) == [405, 405, 405, 406, 400, 400, 204, 200])
            for answer in answers.prefix(3) { #expect(answer.headers["allow"] == "GET, HEAD, OPTIONS") }
            #expect(answers[6].headers["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test func `A page of another origin may read it when its origin is allowed, refusals too`() async throws {
        let page = "https://a.example"
        try await withServer(.memory, ["--cors-origin", page]) { server in
            let stream = try await EventStream.open(server, headers: ["Origin": page])
            let refusal = try await WireClient.send(
                streamRequest(headers: ["Origin": page, "Accept": "image/png"]), port: server.port)
            #expect(refusal.status == 406)
            for headers in [stream.head.headers, refusal.headers] {
                #expect(headers["access-control-allow-origin"] == page)
                #expect(headers["access-control-expose-headers"]?.lowercased().contains("likes-sequence") == true)
                #expect(headers["vary"] == "Origin")
            }
            let stranger = try await EventStream.open(server, headers: ["Origin": "https://b.example"])
            #expect(stranger.head.headers["access-control-allow-origin"] == nil)
            #expect(stranger.head.headers["vary"] == "Origin")
        }
    }

    @Test func `A request sent behind the one for a stream is not answered into the stream`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let request = WireRequest(streamRequest(), appending: WireRequest("GET", "/v1/news/n").bytes)
            let port = server.port
            let bytes = try await offPool {
                let socket = try StreamSocket(port: port)
                socket.send(request.bytes)
                var bytes: [UInt8] = []
                while !bytes.ends(with: "\n\n") || bytes.count < 200 {
                    try socket.wait(.seconds(20), bytes)
                    guard socket.receive(into: &bytes) == nil else { break }
                }
                return bytes
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.split(separator: "HTTP/1.1").count == 1)
            #expect(!text.contains("A title"))
            #expect(try await server.api.detail("n").status == 200)
        }
    }

    @Test func `A client that speaks HTTP/1.0 gets the same stream`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            let first = try await offPool {
                let socket = try StreamSocket(port: port)
                socket.send(Array("GET /v1/events?news=n HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
                return try Self.readPlace(socket)
            }
            expectStreamHeaders(first.head.headers)
            #expect(first.head.status == 200)
            let like = try await server.api.like("n", by: "u").succeeded()
            let text = try await offPool { try Self.read(first.socket, until: "\n\n") }
            #expect(text.contains("event: likeAdded\n"))
            #expect(text.contains(#""sequence":\#(like.json["sequence"].integer ?? 0)"#))
        }
    }

    @Test(arguments: [
        "Content-Length: 7\r\n\r\nnothing", "Transfer-Encoding: chunked\r\n\r\n7\r\nnothing\r\n0\r\n\r\n",
    ])
    func `A small body is read over, and the stream begins behind it`(body: String) async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            let first = try await offPool {
                let socket = try StreamSocket(port: port)
                socket.send(Array(("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n" + body).utf8))
                return try Self.readPlace(socket)
            }
            expectStreamHeaders(first.head.headers)
            #expect(first.head.status == 200)
            try await server.api.like("n", by: "u").succeeded()
            #expect(try await offPool { try Self.read(first.socket, until: "\n\n") }.contains("event: likeAdded\n"))
        }
    }

    /// Reads the head of a stream and what comes at first, up to the place.
    private static func readPlace(_ socket: StreamSocket) throws -> (head: StreamHead, socket: StreamSocket) {
        let text = try read(socket, until: "\n\nid: ")
        guard let (head, _) = try WireParser.streamHead(Array(text.utf8)) else { throw Failure("no head: \(text)") }
        if !text.hasSuffix("\n\n") { _ = try read(socket, until: "\n\n") }
        return (head, socket)
    }

    /// Reads up to a text, which has to come.
    private static func read(_ socket: StreamSocket, until end: String) throws -> String {
        // One for the whole: heartbeats come for ever.
        let deadline = Deadline.seconds(20)
        var bytes: [UInt8] = []
        while true {
            try socket.wait(deadline, bytes)
            let ended = socket.receive(into: &bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains(end) { return text }
            guard ended == nil else { throw Failure("ended after \(text)") }
        }
    }

    @Test(arguments: [
        ("--stream-heartbeat", "0s"), ("--stream-heartbeat", "500ms"), ("--stream-heartbeat", "2h"),
        ("--stream-heartbeat", "15"), ("--stream-stall", "0s"), ("--stream-stall", "2h"), ("--max-streams", "-1"),
        ("--max-streams", "many"), ("--max-streams-per-address", "-1"), ("--max-streams-per-address", ""),
    ])
    func `A flag of the streams with a bad value stops the start, with the flag`(flag: String, value: String)
        async throws
    {
        let run = try await likesd("serve", "--in-memory", "--port", "0", flag, value)
        #expect(run.status == .exit(64))
        #expect(run.output.contains(flag), "\(run.output)")
    }
}
