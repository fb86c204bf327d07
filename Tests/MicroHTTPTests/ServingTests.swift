import MicroHTTP
import Testing
import Threading

@Suite struct ServingTests {
    @Test func answersWithMethodTargetAndBody() throws {
        let server = try TestServer()
        let client = try server.client()
        #expect(client.ask(get("/echo?a=%2F"))?.body == "GET /echo?a=%2F ")
        #expect(client.ask(get("/echo", method: "PUT", body: "hello"))?.body == "PUT /echo hello")
        #expect(client.ask(get("/echo", method: "POST", body: "hello"))?.body == "POST /echo hello")
        #expect(client.ask(get("/echo", method: "DELETE"))?.body == "DELETE /echo ")
        #expect(client.ask(get("/echo", method: "OPTIONS"))?.body == "OPTIONS /echo ")
        #expect(client.ask(get("/echo", method: "PATCH"))?.body == "PATCH /echo ")
        #expect(client.ask(get("*", method: "OPTIONS"))?.body == "OPTIONS * ")
        #expect(client.ask(get("/echo", method: "BREW"))?.body == "BREW /echo ")
        let last = try #require(client.ask(get("/echo", method: "get")))
        #expect(last.body == "get /echo ")
        #expect(!last.closes && last.header("content-type") == "text/plain" && last.header("date") != nil)
    }

    @Test func headHasNoBodyAndKeepsTheConnectionInStep() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(get("/echo", method: "HEAD") + get("/echo"))
        #expect(client.response(toHead: true)?.header("content-length") == "11")
        #expect(client.response()?.body == "GET /echo ")
    }

    @Test(arguments: [204, 304]) func statusesWithoutBody(_ status: Int) throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(get("/status/\(status)"))
        let answer = try #require(client.response(toHead: true))
        #expect(answer.status == status && answer.header("etag") == "\"1\"")
        #expect(answer.header("content-length") == (status == 304 ? "6" : nil))
        #expect(answer.header("transfer-encoding") == nil)
        #expect(client.ask(get("/echo"))?.body == "GET /echo ")
    }

    @Test func readsHeadersInAnyCase() throws {
        let server = try TestServer()
        let client = try server.client()
        #expect(client.ask(get("/header", headers: "x-TEST: a b\r\n"))?.body == "a b")
        #expect(client.ask(get("/header", headers: "X-Test:\r\n"))?.body == "")
        #expect(client.ask(get("/header", headers: "X-Test: \t a \tb\t \r\n"))?.body == "a \tb")
        #expect(client.ask(get("/header"))?.body == "-")
        client.send(Array("GET /header HTTP/1.1\r\nHost: a\r\nX-Test: ".utf8) + [0xC3, 0x28] + Array("\r\n\r\n".utf8))
        #expect(client.response()?.body == "\u{FFFD}(")
    }

    /// So many and so long that the library moves its buffers about.
    @Test func manyHeadersInSmallPieces() throws {
        let server = try TestServer()
        let client = try server.client()
        var headers = (0..<60).map { "X-\($0): \(String(repeating: "v", count: $0 * 3))\r\n" }.joined()
        headers += "X-Test: last\r\n"
        let request = Array(get("/header", headers: headers).utf8)
        for start in stride(from: 0, to: request.count, by: 97) {
            client.send(Array(request[start..<min(start + 97, request.count)]))
            #expect(try server.client().ask(get("/echo"))?.status == 200)
        }
        #expect(client.response()?.body == "last")
    }

    @Test func absoluteFormLosesItsAuthority() throws {
        let server = try TestServer()
        let client = try server.client()
        #expect(client.ask(get("http://test/echo?x=1"))?.body == "GET /echo?x=1 ")
        #expect(client.ask(get("HTTP://test"))?.body == "GET / ")
        #expect(client.ask(get("https://test?x"))?.body == "GET /?x ")
    }

    @Test func chunkedBody() throws {
        let server = try TestServer()
        let client = try server.client()
        let body = "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n"
        let request = "PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n" + body
        #expect(client.ask(request)?.body == "PUT /echo hello world")
        #expect(client.ask(get("/echo"))?.body == "GET /echo ")
    }

    @Test func largeBodiesInBothDirections() throws {
        let server = try TestServer(maximumBody: 1_000_000)
        let client = try server.client()
        let body = String(repeating: "0123456789", count: 100_000)
        #expect(client.ask(get("/echo", method: "PUT", body: body))?.body == "PUT /echo " + body)
        #expect(client.ask(get("/large"))?.body.utf8.count == 3_000_000)
    }

    @Test func everySplitOfARequest() throws {
        let server = try TestServer()
        let client = try server.client()
        let request = Array(get("/echo?q", method: "PUT", headers: "Expect: 100-continue\r\n", body: "abc").utf8)
        for split in 1..<request.count {
            client.send(Array(request[..<split]))
            // The first half has been seen when a second connection has been answered by the same worker.
            #expect(try server.client().ask(get("/echo"))?.status == 200)
            client.send(Array(request[split...]))
            var answer = client.response()
            if answer?.status == 100 { answer = client.response() }
            #expect(answer?.body == "PUT /echo?q abc", "split at \(split)")
        }
    }

    @Test func byteByByte() throws {
        let server = try TestServer()
        let client = try server.client()
        for byte in get("/echo", method: "PUT", body: "abc").utf8 { client.send([byte]) }
        #expect(client.response()?.body == "PUT /echo abc")
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send((0..<50).map { $0 % 3 == 1 ? get("/thread") : get("/echo?\($0)") }.joined())
        for index in 0..<50 {
            #expect(client.response()?.body == (index % 3 == 1 ? "GET /thread " : "GET /echo?\(index) "))
        }
    }

    @Test func oldClientsAreClosedUnlessTheyAsk() throws {
        let server = try TestServer()
        let client = try server.client()
        #expect(client.ask("GET /echo HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")?.body == "GET /echo ")
        #expect(client.ask("GET /echo HTTP/1.0\r\n\r\n")?.body == "GET /echo ")
        #expect(client.endsHere())
    }

    @Test func expectContinueIsAnsweredBeforeTheBody() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send("PUT /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
        #expect(client.response()?.status == 100)
        #expect(client.ask("ok")?.body == "PUT /echo ok")
    }
}
