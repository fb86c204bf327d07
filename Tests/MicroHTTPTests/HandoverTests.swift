import Glibc
import MicroHTTP
import Testing
import Threading

/// A server that hands connections over: at once for `/now`, later for `/later`; anything else has a plain answer.
private final class HandoverServer: Sendable {
    let server: HTTPServer
    /// The connections that were handed over and are not let go of yet.
    let taken = Monitor<[TakenSocket]>([])
    let held = Monitor<[Responder]>([])
    /// How many requests the program was asked to answer.
    let requests = Locked(0)

    init() throws {
        let (taken, held, requests) = (taken, held, requests)
        server = try HTTPServer(
            configuration: HTTPServer.Configuration(port: 0),
            application: Application(
                admit: { _ in .accept(maximumBody: 100) },
                respond: { request in
                    requests.withLock { $0 += 1 }
                    switch text(request.uri) {
                    case "/now": return .now(Self.handingOver(to: taken))
                    case "/later":
                        return .later { responder in
                            held.withLock { $0.append(responder) }
                            held.broadcast()
                        }
                    default: return .now(Response(status: 200))
                    }
                },
                refuse: { _ in Response(status: 500) },
                amend: { response, _ in response.headers.append(Header("X-Amended", "yes")) }))
        server.start()
    }

    deinit { server.stop(deadlineMilliseconds: 0) }

    static func handingOver(to taken: Monitor<[TakenSocket]>) -> Response {
        .handingOver(status: 200, headers: [Header("Content-Type", "text/test"), Header("X-Test", "a: b")]) { socket in
            taken.withLock { $0.append(socket) }
            taken.broadcast()
        }
    }

    func client(ipv6: Bool = false) throws -> Client {
        guard let client = Client(port: server.port, ipv6: ipv6) else { throw NoConnection() }
        return client
    }

    /// The next connection that is handed over. Who gets it is the only one who holds it.
    func takeNext() throws -> TakenSocket {
        let socket =
            taken.wait(until: { !$0.isEmpty }, milliseconds: 20_000)
            ? taken.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil
        return try #require(socket)
    }

    /// Waits until the server has so many connections open; whether it has.
    func hasOpen(_ count: Int) -> Bool {
        let end = MonotonicClock.milliseconds() + 20_000
        while server.statistics.openConnections != count {
            guard MonotonicClock.milliseconds() < end else { return false }
            sched_yield()
        }
        return true
    }
}

extension TakenSocket {
    /// Sends all bytes; whether the kernel took them at once.
    fileprivate func send(_ bytes: [UInt8]) -> Bool {
        unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}

extension Client {
    /// Everything until the connection ends; nil if it does not, or is broken off.
    fileprivate func readToEnd() -> String? {
        while fill() {}
        return isClosed && !isReset ? text(buffer) : nil
    }
}

@Suite struct HandoverTests {
    private func expectHead(_ head: String) {
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
        #expect(head.contains("\r\nContent-Type: text/test\r\nX-Test: a: b\r\nX-Amended: yes\r\n"))
        #expect(head.contains("\r\nConnection: close\r\n"))
        let small = head.lowercased()
        #expect(!small.contains("content-length") && !small.contains("transfer-encoding"))
        #expect(head.hasSuffix("\r\n\r\n") && head.split(separator: "\r\n\r\n").count == 1)
    }

    @Test(arguments: ["/now", "/later"], [false, true])
    func theClientGetsTheHeadAndWhatTheProgramSends(_ target: String, overIPv6: Bool) throws {
        let server = try HandoverServer()
        let client = try server.client(ipv6: overIPv6)
        client.send(get(target, headers: "Content-Length: 5\r\n") + "12345")
        if target == "/later" {
            #expect(server.held.wait(until: { $0.count == 1 }, milliseconds: 20_000))
            let held = server.held.withLock { $0.removeFirst() }
            let taken = server.taken
            held.complete { HandoverServer.handingOver(to: taken) }
        }
        var socket: TakenSocket? = try server.takeNext()
        let head = text(socket?.head ?? [])
        expectHead(head)
        #expect(socket?.send(Array(head.utf8) + Array("first ".utf8)) == true)
        #expect(socket?.send(Array("second".utf8)) == true)
        socket?.finish()
        #expect(client.readToEnd() == head + "first second")
        socket = nil
    }

    @Test func itDoesNotBlockAndIsNotInherited() throws {
        let server = try HandoverServer()
        let client = try server.client()
        client.send(get("/now"))
        let socket = try server.takeNext()
        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func letGoOfItTheConnectionIsClosed() throws {
        let server = try HandoverServer()
        for _ in 0..<20 {
            let client = try server.client()
            client.send(get("/now"))
            // Nobody holds it any more, and the server has let its own descriptor go.
            _ = try server.takeNext()
            #expect(client.readToEnd() == "")
        }
    }

    @Test func abortedItIsBrokenOff() throws {
        let server = try HandoverServer()
        let client = try server.client()
        client.send(get("/now"))
        // Nobody holds it any more.
        try server.takeNext().abort()
        #expect(client.readToEnd() == nil && client.isReset)
    }

    @Test func theServerCountsItNoMore() throws {
        let server = try HandoverServer()
        let clients = try (0..<10).map { _ in try server.client() }
        for client in clients { client.send(get("/now")) }
        let sockets = try clients.map { _ in try server.takeNext() }
        let other = try server.client()
        #expect(other.ask(get("/plain"))?.status == 200)
        #expect(server.hasOpen(1))
        #expect(server.server.statistics.inFlightRequests == 0)
        // And they work.
        for socket in sockets {
            #expect(socket.send([120]))
            socket.finish()
        }
        for client in clients { #expect(client.readToEnd() == "x") }
    }

    @Test func itOutlivesTheServer() throws {
        let server = try HandoverServer()
        let client = try server.client()
        client.send(get("/now"))
        let socket = try server.takeNext()
        server.server.stop(deadlineMilliseconds: 10_000)
        #expect(socket.send(Array("still here".utf8)))
        socket.finish()
        #expect(client.readToEnd() == "still here")
    }

    @Test func whatIsSentBehindTheRequestIsNotAnswered() throws {
        let server = try HandoverServer()
        let client = try server.client()
        client.send(get("/now") + get("/now") + get("/plain"))
        let socket = try server.takeNext()
        client.send(get("/now"))
        // Another request of the same worker's: what came before was looked at.
        #expect(try server.client().ask(get("/plain"))?.status == 200)
        #expect(server.hasOpen(0))
        #expect(server.requests.withLock { $0 } == 2)
        #expect(server.taken.withLock { $0.isEmpty })
        #expect(socket.send(Array("only this".utf8)))
        socket.finish()
        // To close it, with those bytes unread, would break the connection off.
        withExtendedLifetime(socket) { while client.buffer.count < 9, client.fill() {} }
        #expect(text(client.buffer) == "only this")
    }

    @Test func toHEADTheServerSendsTheHeadAndCloses() throws {
        let server = try HandoverServer()
        let client = try server.client()
        client.send(get("/now", method: "HEAD"))
        expectHead(try #require(client.readToEnd()))
        #expect(server.taken.withLock { $0.isEmpty })
        #expect(server.hasOpen(0))
    }

    @Test func aClientThatIsGoneIsNoticedByWhoHasIt() throws {
        let server = try HandoverServer()
        var client: Client? = try server.client()
        client?.send(get("/now"))
        let socket = try server.takeNext()
        client = nil
        var item = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&item, 1, 20_000) == 1)
        var byte: UInt8 = 0
        #expect(unsafe recv(socket.descriptor, &byte, 1, 0) <= 0)
    }
}
