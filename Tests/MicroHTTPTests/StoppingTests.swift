import Glibc
import MicroHTTP
import Testing
import Threading

@Suite struct StoppingTests {
    /// Runs `stop` on a thread of its own; the monitor turns true when it has returned.
    private func stop(_ server: TestServer, milliseconds: Int) -> (done: Monitor<Bool>, thread: Thread) {
        let done = Monitor(false)
        let thread = Thread {
            server.server.stop(deadlineMilliseconds: milliseconds)
            done.withLock { $0 = true }
            done.broadcast()
        }
        return (done, thread)
    }

    /// Waits until new connections are refused.
    private func waitUntilRefused(_ port: UInt16, ipv6: Bool) -> Bool {
        for _ in 0..<100_000 {
            if Client(port: port, ipv6: ipv6) == nil { return true }
            sched_yield()
        }
        return false
    }

    @Test(arguments: [1, 3]) func deferredRequestsAreAnsweredFirst(_ workers: Int) throws {
        let server = try TestServer(workers: workers)
        let clients = try (0..<100).map { _ in try server.client() }
        let idle = try server.client()
        #expect(idle.ask(get("/echo"))?.status == 200)
        for client in clients { client.send(get("/later")) }
        let held = server.takeHeld(100)
        let (done, thread) = stop(server, milliseconds: 20_000)
        #expect(waitUntilRefused(server.port, ipv6: false))
        #expect(waitUntilRefused(server.port, ipv6: true))
        #expect(!done.withLock { $0 })
        // Requests on open connections are still served while others wait.
        let late = try #require(idle.ask(get("/echo")))
        #expect(late.status == 200 && late.closes)
        for responder in held { responder.completeInBatch { answer("in time") } }
        server.server.wakeWorkers()
        for client in clients {
            let answer = try #require(client.response())
            #expect(answer.body == "in time" && answer.closes)
            #expect(client.endsHere())
        }
        #expect(done.wait(until: { $0 }, milliseconds: 10_000))
        thread.join()
        #expect(Client(port: server.port) == nil)
    }

    @Test func aRequestWithoutAnswerEndsByTheDeadline() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send(get("/never"))
        let responder = try #require(server.takeHeld(1).first)
        server.server.stop(deadlineMilliseconds: 100)
        let answer = try #require(client.response())
        #expect(answer.status == 503 && answer.body == "stopping" && answer.closes)
        #expect(client.endsHere())
        responder.complete { Response(status: 200) }
        #expect(server.server.statistics.inFlightRequests == 0)
    }

    @Test func aLateAnswerAfterTheServerIsGoneDoesNothing() throws {
        var server: TestServer? = try TestServer()
        let client = try server?.client()
        client?.send(get("/never"))
        let held = server?.takeHeld(1) ?? []
        #expect(held.count == 1)
        server = nil
        for responder in held { responder.complete { Response(status: 200) } }
        #expect(client?.response()?.status == 503)
    }

    @Test func halfARequestDoesNotHoldTheStopBeyondItsDeadline() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\nhello")
        #expect(client.response()?.status == 100)
        let (done, thread) = stop(server, milliseconds: 100)
        #expect(done.wait(until: { $0 }, milliseconds: 10_000))
        thread.join()
        #expect(client.response() == nil && client.isClosed)
    }

    @Test func idleConnectionsAreClosedAtOnce() throws {
        let server = try TestServer()
        let clients = try (0..<20).map { _ in try server.client() }
        for client in clients { #expect(client.ask(get("/echo"))?.status == 200) }
        let (done, thread) = stop(server, milliseconds: 60_000)
        #expect(done.wait(until: { $0 }, milliseconds: 10_000))
        thread.join()
        for client in clients { #expect(client.endsHere()) }
    }

    @Test func stopBeforeStartAndStopTwice() throws {
        let server = try TestServer(starts: false)
        server.server.stop(deadlineMilliseconds: 0)
        server.server.stop(deadlineMilliseconds: 0)
        server.server.start()
        #expect(Client(port: server.port) == nil)
    }

    /// Clients that ask as fast as they can while the server stops: none may get half an answer.
    @Test func stopUnderLoad() throws {
        for _ in 0..<5 {
            let server = try TestServer(workers: 2)
            let broken = Locked(0)
            let asked = Monitor(0)
            let threads = (0..<8).map { index in
                Thread {
                    while let client = Client(port: server.port) {
                        while let answer = client.ask(get(index % 2 == 0 ? "/thread" : "/echo")) {
                            if answer.status != 200 { broken.withLock { $0 += 1 } }
                            asked.withLock { $0 += 1 }
                            asked.signal()
                            if answer.closes { break }
                        }
                        if client.hasHalfAnAnswer { broken.withLock { $0 += 1 } }
                    }
                }
            }
            #expect(asked.wait(until: { $0 > 500 }, milliseconds: 10_000))
            server.server.stop(deadlineMilliseconds: 10_000)
            for thread in threads { thread.join() }
            #expect(broken.withLock { $0 } == 0)
        }
    }
}
