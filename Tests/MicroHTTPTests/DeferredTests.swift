import MicroHTTP
import Testing
import Threading

@Suite struct DeferredTests {
    @Test func answersOfAnotherThread() throws {
        let server = try TestServer()
        let client = try server.client()
        for _ in 0..<100 { #expect(client.ask(get("/thread"))?.body == "GET /thread ") }
        #expect(server.server.statistics.inFlightRequests == 0)
    }

    @Test func anAnswerGivenInsideTheCallItself() throws {
        let server = try HTTPServer(
            configuration: .init(hosts: ["127.0.0.1"], port: 0),
            application: Application(
                admit: { _ in .accept(maximumBody: 0) },
                respond: { _ in .later { $0.complete { Response(status: 202) } } },
                refuse: { _ in Response(status: 500) }))
        server.start()
        defer { server.stop(deadlineMilliseconds: 0) }
        let client = try #require(Client(port: server.port))
        for _ in 0..<100 { #expect(client.ask(get("/"))?.status == 202) }
    }

    @Test func pipelinedDeferredAnswersKeepTheirOrder() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(get("/later/1") + get("/echo") + get("/later/2") + get("/later/3"))
        for index in 1...3 {
            for responder in server.takeHeld(1) { responder.complete { answer("later \(index)") } }
        }
        #expect(["later 1", "GET /echo ", "later 2", "later 3"].allSatisfy { client.response()?.body == $0 })
    }

    /// One worker, many ready connections at once: the library's own loop freezes at 128 of them.
    @Test(arguments: [127, 128, 129, 256, 512], [false, true])
    func manyConnectionsOnOneWorker(_ count: Int, ipv6: Bool) throws {
        let server = try TestServer()
        let clients = try (0..<count).map { _ in try server.client(ipv6: ipv6, seconds: 20) }
        for round in 0..<3 {
            for client in clients { client.send(get("/echo?\(round)")) }
            for client in clients { try #require(client.response()?.body == "GET /echo?\(round) ") }
            for client in clients { client.send(get("/later/\(round)")) }
            let held = server.takeHeld(count)
            try #require(held.count == count)
            #expect(server.server.statistics.inFlightRequests == count)
            for responder in held { responder.completeInBatch { answer("round \(round)") } }
            server.server.wakeWorkers()
            for client in clients { try #require(client.response()?.body == "round \(round)") }
        }
        #expect(server.server.statistics.openConnections == count)
    }

    @Test func deferredAnswersOnSeveralWorkers() throws {
        let server = try TestServer(workers: 3)
        let clients = try (0..<60).map { _ in try server.client() }
        for client in clients { client.send(get("/later")) }
        for responder in server.takeHeld(60) { responder.completeInBatch { answer("ok") } }
        server.server.wakeWorkers()
        for client in clients { #expect(client.response()?.body == "ok") }
    }

    @Test func aClientThatLeavesWhileItWaits() throws {
        let server = try TestServer()
        for _ in 0..<20 {
            var client: Client? = try server.client()
            client?.send(get("/later"))
            let held = server.takeHeld(1)
            client = nil
            for responder in held { responder.complete { answer("too late") } }
        }
        #expect(try server.client().ask(get("/echo"))?.status == 200)
    }

    @Test func aClientThatLeavesInTheMiddleOfABody() throws {
        let server = try TestServer()
        for _ in 0..<20 {
            let client = try server.client()
            client.send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello")
        }
        #expect(try server.client().ask(get("/echo"))?.status == 200)
    }

    @Test func aSecondAnswerStopsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let server = try TestServer()
            let client = try server.client()
            client.send(get("/later"))
            let responder = try #require(server.takeHeld(1).first)
            responder.complete { answer("1") }
            responder.complete { answer("2") }
        }
    }

    /// The library may have seen the end before it asks for the answer.
    @Test(arguments: ["", "Content-Length: 0\r\n\r\n", "Content-Length: 1\r\n\r\na"])
    func aClientThatHasClosedItsHalfGetsALongAnswerToItsEnd(_ rest: String) throws {
        let server = try TestServer()
        let client = try #require(Client(port: server.port, receiveBuffer: 4096))
        client.send("PUT /later HTTP/1.1\r\nHost: a\r\n" + (rest.isEmpty ? "\r\n" : rest))
        let held = server.takeHeld(1)
        client.leave(.halfClose)
        let body = String(repeating: "0123456789", count: 800_000)
        for responder in held { responder.complete { answer(body) } }
        let last = try #require(client.response())
        #expect(last.body == body)
        #expect(client.endsHere())
    }
}

/// A response with a body.
func answer(_ body: String) -> Response { Response(status: 200, body: Array(body.utf8)) }
