import MicroHTTP
import Testing

@Suite struct DeadlineTests {
    /// A client that sends a byte now and then never looks idle. It must be cut nevertheless.
    @Test(arguments: [
        "", "GE", "GET /echo HTTP/1.1\r\nHost", "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
        "PUT /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
    ])
    func anUnfinishedRequestIsCut(_ beginning: String) throws {
        let server = try TestServer(receiveMilliseconds: 100)
        let fresh = try server.client()
        fresh.send(beginning)
        #expect(fresh.endsHere())
        let used = try server.client()
        #expect(used.ask(get("/echo"))?.status == 200)
        used.send(beginning)
        #expect(used.endsHere())
    }

    @Test func aRequestThatWaitsForItsAnswerIsNot() throws {
        let server = try TestServer(receiveMilliseconds: 100)
        let waiting = try server.client()
        waiting.send(get("/later"))
        let held = server.takeHeld(1)
        #expect(try server.client().endsHere())
        for responder in held { responder.complete { answer("at last") } }
        #expect(waiting.response()?.body == "at last")
    }
}
