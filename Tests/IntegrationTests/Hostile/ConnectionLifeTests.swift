import Foundation
import Testing

/// A connection from its beginning to its end: many requests, halves of requests, and clients that leave.
@Suite struct ConnectionLifeTests {
    @Test func `Requests sent at once are answered in their order`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            let answers = try await offPool {
                let connection = try WireConnection(port: port)
                // The likes wait for the mediator, the reads between them do not.
                try connection.send(
                    (0..<100).map { like($0) + get("/v1/news/n?viewer=u\($0)") }.joined() + put("x")
                        + get("/v1/news/x"))
                return try (0..<202).map { _ in try connection.answer() }
            }
            for user in 0..<100 {
                #expect(answers[2 * user]?.json["user"] == .string("u\(user)"))
                #expect(answers[2 * user + 1]?.json["viewerLikes"] == true)
                #expect(answers[2 * user + 1]?.json["likesCount"] == .integer(Int64(user + 1)))
            }
            #expect(answers[200]?.status == 201)
            #expect(answers[201]?.json["id"] == "x")
        }
    }

    /// With one worker: a second connection that was answered shows that the first half has been read.
    @Test func `A request cut in two at any place is the same request`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await server.api.make("n")
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                let other = try WireConnection(port: port)
                let request =
                    Array(put("x", "X-A: b\r\nCookie: a=b\r\n").utf8) + Array(get("/v1/news/x?viewer=u&a=b").utf8)
                for place in 1..<request.count {
                    try connection.send(Array(request[..<place]))
                    try other.send(get("/healthz"))
                    #expect(try other.answer()?.status == 200)
                    try connection.send(Array(request[place...]))
                    let stored = try connection.answer()
                    #expect(stored?.status == (place == 1 ? 201 : 200), "cut at \(place)")
                    #expect(try connection.answer()?.json["title"] == "A title", "cut at \(place)")
                }
            }
        }
    }

    @Test func `A request in single bytes is the same request`() async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                let other = try WireConnection(port: port)
                let chunks =
                    "PUT /v1/news/x?a=b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n\(news.prefix(5))\r\ne\r\n\(news.dropFirst(5))\r\n0\r\nX: a\r\n\r\n"
                for byte in chunks.utf8 {
                    try connection.send([byte])
                    try other.send(get("/healthz"))
                    #expect(try other.answer()?.status == 200)
                }
                #expect(try connection.answer()?.status == 201)
            }
        }
    }

    @Test func `HEAD, then GET, on one connection`() async throws {
        // wsgidav#123
        try await withServer { server in
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                try connection.send("HEAD /v1/feed HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/v1/feed"))
                let head = try #require(try connection.answer(toHead: true))
                let whole = try #require(try connection.answer())
                #expect(head.status == 200 && whole.status == 200)
                #expect(head.headers["content-length"] == "\(whole.body.count)")
                #expect(connection.unread.isEmpty)
            }
        }
    }

    @Test func `304 has the ETag and no body, and the connection goes on`() async throws {
        // dav#175, http4k#1022
        try await withServer { server in
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                try connection.send(get("/v1/feed"))
                let tag = try #require(try connection.answer()?.headers["etag"])
                try connection.send(get("/v1/feed", "If-None-Match: \(tag)\r\n") + get("/healthz"))
                let same = try #require(try connection.answer(toHead: true))
                #expect(same.status == 304 && same.headers["etag"] == tag)
                #expect(try connection.answer()?.json["status"] == "ok")
            }
        }
    }

    @Test func `Who waits for leave to send a body gets it, or an answer, at once`() async throws {
        // cpp-httplib#349, hhvm#1384, snap-core#15
        try await withServer { server in
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                let head = "PUT /v1/news/x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                try connection.send(head + "Content-Type: application/json\r\nContent-Length: 19\r\n\r\n")
                #expect(try connection.continues())
                try connection.send(news)
                #expect(try connection.answer()?.status == 201)
                // Not wanted at all: the answer comes without the body.
                let refusals = [
                    (413, "body_too_large", "application/json", 10_000_000),
                    (415, "unsupported_media_type", "text/plain", 5),
                ]
                for (status, code, type, length) in refusals {
                    let connection = try WireConnection(port: port)
                    try connection.send(head + "Content-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n")
                    #expect(try !connection.continues())
                    let refused = try #require(try connection.answer())
                    expectProblem(refused, status, code)
                    #expect(try connection.rest().isEmpty)
                }
            }
        }
    }

    @Test(arguments: [
        (405, "PATCH /v1/feed", "application/json"), (404, "PUT /nothing", "application/json"),
        (415, "PUT /v1/news/x", "text/plain"), (421, "PUT /v1/news/x", "application/json"),
    ])
    func `A refusal before the body has come leaves the connection usable`(
        status: Int, start: String, type: String
    ) async throws {
        try await withServer(.memory, ["--workers", "1"]) { server in
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                let other = try WireConnection(port: port)
                let host = status == 421 ? "a.example" : "localhost"
                try connection.send(
                    "\(start) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\nContent-Length: 60000\r\n\r\n{")
                // The head has been judged when the same worker has answered this.
                try other.send(get("/healthz"))
                #expect(try other.answer()?.status == 200)
                try connection.send(String(repeating: "x", count: 59_999) + get("/v1/feed"))
                #expect(try connection.answer()?.status == status)
                #expect(try connection.answer()?.status == 200)
            }
        }
    }

    @Test func `A refusal of a large body is read by a client that is still sending`() async throws {
        try await withServer { server in
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                try connection.send(
                    "PUT /v1/news/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 8000000\r\n\r\n" + String(repeating: "x", count: 8_000_000))
                let answer = try #require(try connection.answer())
                expectProblem(answer, 413, "body_too_large")
                #expect(answer.headers["connection"] == "close")
            }
        }
    }

    @Test func `HTTP/1.0 is closed after the answer, unless it asks`() async throws {
        try await withServer { server in
            let port = server.port
            try await offPool {
                let connection = try WireConnection(port: port)
                let request = "GET /healthz HTTP/1.0\r\n"
                try connection.send(request + "Connection: keep-alive\r\n\r\n" + request + "\r\n" + request + "\r\n")
                #expect(try connection.answer()?.headers["connection"]?.lowercased() == "keep-alive")
                #expect(try connection.answer()?.headers["connection"] == "close")
                #expect(try connection.rest().isEmpty)
            }
        }
    }

    @Test func `A client that says that it will close gets its answer, and the end`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            try await offPool {
                for request in [get("/healthz", "Connection: close\r\n"), get("/healthz", "connection: Close, x\r\n")] {
                    let connection = try WireConnection(port: port)
                    try connection.send(request + get("/healthz"))
                    #expect(try connection.answer()?.status == 200)
                    #expect(try connection.rest().isEmpty)
                }
            }
        }
    }

    @Test func `Half-closed clients are answered`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            try await offPool {
                for round in 0..<50 {
                    let connection = try WireConnection(port: port)
                    try connection.send(round.isMultiple(of: 2) ? like(round) : get("/v1/news/n"))
                    connection.finishSending()
                    let status = try connection.answer()?.status
                    #expect(status == (round.isMultiple(of: 2) ? 201 : 200))
                    #expect(try connection.rest().isEmpty)
                }
            }
        }
    }

    @Test func `Halves of requests end with their client, and leave nothing`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            try await offPool {
                let whole = Array(put("x").utf8)
                for place in stride(from: 0, to: whole.count, by: 7) {
                    let connection = try WireConnection(port: port)
                    try connection.send(Array(whole[..<place]))
                    connection.finishSending()
                    #expect(try connection.rest().isEmpty, "\(place)")
                }
            }
            #expect(try await server.api.allNews() == ["n"])
        }
    }

    @Test func `Clients that leave with a reset harm nobody`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            try await offPool {
                let whole = Array((like(0) + get("/v1/feed") + put("x")).utf8)
                for place in 1..<whole.count {
                    let connection = try WireConnection(port: port)
                    try connection.send(Array(whole[..<place]))
                    connection.leaveAbruptly()
                }
            }
            #expect(try await server.api.detail("n").json["likesCount"] == 1)
            #expect(try await server.api.allNews() == ["n"])
        }
    }

    @Test func `Thousands of requests, good and bad, on one connection`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let port = server.port
            let statuses = try await offPool {
                let connection = try WireConnection(port: port)
                let round = get("/v1/news/n") + like(1) + "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/nothing")
                return try (0..<2_000).flatMap { _ in
                    try connection.send(round)
                    return try (0..<4).map { _ in try connection.answer()?.status }
                }
            }
            #expect(statuses.count == 8_000)
            let wrong = statuses.indices.first { index in
                statuses[index] != [200, index < 4 ? 201 : 200, 501, 404][index % 4]
            }
            #expect(wrong == nil)
        }
    }
}

private let news = #"{"title":"A title"}"#

private func put(_ id: String, _ fields: String = "") -> String {
    "PUT /v1/news/\(id) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(fields)"
        + "Content-Length: 19\r\n\r\n\(news)"
}

private func like(_ user: Int) -> String {
    "PUT /v1/news/n/likes/u\(user) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
}

private func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
}
