import MicroHTTP
import Testing

@Suite struct RefusalTests {
    @Test(arguments: [
        "GET /echo HTTP/1.1\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost:\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET /echo HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "PUT /echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "G(T /echo HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /echo  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\u{1}b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\u{0}b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /ä HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET echo HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ftp://a/echo HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:///echo HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: a\r\nX(Y: b\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: a\r\nX-A: b\u{1}c\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: a\r\nX-A: b\u{7F}\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: \r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n",
        "GET /echo HTTP/1.1\r\nX-A:\r\n\tb\r\nHost: a\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n d\r\nX-B: c\r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n 0\r\n\r\nhello",
    ])
    func brokenRequestsAreRefusedAndClosed(_ request: String) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(request + get("/echo?smuggled"))
        let answer = try #require(client.response())
        #expect(answer.status == 400 && answer.closes && answer.header("x-refused") == "yes")
        #expect(answer.header("date") != nil)
        #expect(client.endsHere())
    }

    @Test(arguments: [
        "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    ])
    func whatIsNotImplementedIsRefusedAndClosed(_ request: String) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(request + get("/echo?smuggled"))
        let answer = try #require(client.response())
        #expect(answer.status == 501 && answer.closes && answer.header("x-refused") == "yes")
        #expect(client.endsHere())
    }

    @Test(arguments: [
        "GET /echo HTTP/1.1\r\nHost: a\r\nX-Test : b\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
        "GET /echo HTTP/2.0\r\nHost: a\r\n\r\n",
    ])
    func brokenRequestsThatTheLibraryRefusesItself(_ request: String) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(request)
        #expect([400, 413, 505].contains(client.response()?.status))
    }

    /// The last answer goes past the library, and must not overtake those before it.
    @Test func aRefusalWaitsForTheAnswersBefore() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(get("/thread") + get("/large") + get("/later") + "GET /echo HTTP/1.1\r\n\r\n")
        #expect(client.response()?.body == "GET /thread ")
        #expect(client.response()?.body.utf8.count == 3_000_000)
        for responder in server.takeHeld(1) { responder.complete { answer("later") } }
        #expect(client.response()?.body == "later")
        #expect(client.response()?.status == 400)
        #expect(client.endsHere())
    }

    @Test func unknownExpectationKeepsTheConnection() throws {
        let server = try TestServer()
        let client = try server.client()
        #expect(client.ask(get("/echo", headers: "Expect: wonders\r\n"))?.status == 417)
        #expect(client.ask(get("/echo"))?.status == 200)
    }

    @Test func longTargetKeepsTheConnection() throws {
        let server = try TestServer()
        let client = try server.client()
        let path = "/" + String(repeating: "a", count: HTTPLimits.target - 1)
        #expect(client.ask(get(path))?.status == 200)
        #expect(client.ask(get(path + "a"))?.status == 414)
        #expect(client.ask(get("/echo"))?.status == 200)
        #expect(client.ask(get(path + path))?.status == 414)
    }

    @Test func earlyRefusalReadsASmallBody() throws {
        let server = try TestServer()
        let client = try server.client()
        let body = String(repeating: "x", count: HTTPLimits.discardedBody)
        #expect(client.ask(get("/refused"))?.status == 403)
        #expect(client.ask(get("/refused", method: "PUT", body: "hello"))?.status == 403)
        let large = try #require(client.ask(get("/refused", method: "PUT", body: body)))
        #expect(large.status == 403 && large.body == "no" && !large.closes)
        #expect(client.ask(get("/echo"))?.status == 200)
    }

    @Test func earlyRefusalOfALargeBodyIsReadableWhileTheClientStillSends() throws {
        let server = try TestServer()
        let client = try server.client()
        let body = String(repeating: "x", count: 8_000_000)
        // Without being read on, the rest would meet a reset, which a client may take for the answer.
        #expect(client.send(get("/refused", method: "PUT", body: body)))
        let answer = try #require(client.response())
        #expect(answer.status == 403 && answer.closes && answer.body == "no")
        #expect(client.endsHere())
    }

    @Test func aBodyThatIsNotWantedIsNotAskedFor() throws {
        let server = try TestServer(maximumBody: 10)
        for (target, length, status) in [("/refused", 5, 403), ("/echo", 11, 413)] {
            let client = try server.client()
            let head = "PUT \(target) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
            let answer = try #require(client.ask(head))
            #expect(answer.status == status && answer.closes)
            #expect(client.endsHere())
        }
        let client = try server.client()
        #expect(client.ask(get("/refused", headers: "Expect: 100-continue\r\n"))?.closes == false, "there is no body")
    }

    @Test func refusalOfAHeadRequestHasNoBody() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send("HEAD /echo HTTP/1.1\r\n\r\n")
        #expect(client.response(toHead: true)?.status == 400)
        #expect(client.endsHere())
    }

    @Test func bodyTooLargeByDeclaration() throws {
        let server = try TestServer(maximumBody: 10)
        let client = try server.client()
        #expect(client.ask(get("/echo", method: "PUT", body: "0123456789"))?.status == 200)
        let small = try #require(client.ask(get("/echo", method: "PUT", body: "0123456789a")))
        #expect(small.status == 413 && small.body == "limit 10" && !small.closes)
        client.send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n")
        let large = try #require(client.response())
        #expect(large.status == 413 && large.closes)
        #expect(client.endsHere())
    }

    @Test func bodyTooLargeInChunks() throws {
        let server = try TestServer(maximumBody: 10)
        let client = try server.client()
        let head = "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(client.ask(head + "b\r\n0123456789a\r\n0\r\n\r\n")?.status == 413)
        #expect(client.ask(get("/echo"))?.status == 200)
        let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
        client.send(head)
        for _ in 0..<64 { client.send(chunk) }
        let answer = try #require(client.response())
        #expect(answer.status == 413 && answer.closes)
        #expect(client.endsHere())
    }

    @Test func allBodiesTogetherAreBounded() throws {
        let half = HTTPLimits.totalBodyBytes / 2
        let server = try TestServer(maximumBody: HTTPLimits.totalBodyBytes)
        let first = try server.client()
        let second = try server.client()
        let piece = [UInt8](repeating: 120, count: half + 1)
        first.send("PUT /header HTTP/1.1\r\nHost: a\r\nContent-Length: \(piece.count + 1)\r\n\r\n")
        first.send(piece)
        second.send("PUT /header HTTP/1.1\r\nHost: a\r\nContent-Length: \(piece.count + 1)\r\n\r\n")
        second.send(piece)
        let refused = try #require(second.response())
        #expect(refused.status == 503 && refused.body == "busy" && refused.closes)
        first.send([120])
        #expect(first.response()?.status == 200)
        let third = try server.client()
        third.send("PUT /header HTTP/1.1\r\nHost: a\r\nContent-Length: \(piece.count)\r\n\r\n")
        third.send(piece)
        #expect(third.response()?.status == 200)
    }

    @Test func declaredButUnsentBodiesCostNothing() throws {
        let server = try TestServer(maximumBody: HTTPLimits.totalBodyBytes)
        let clients = try (0..<32).map { _ in try server.client() }
        for client in clients {
            client.send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\nx")
        }
        let other = try server.client()
        for _ in 0..<3 { #expect(other.ask(get("/echo", method: "PUT", body: "hello"))?.body == "PUT /echo hello") }
        #expect(server.server.statistics.openConnections == 33, "none of them was turned away")
    }
}
