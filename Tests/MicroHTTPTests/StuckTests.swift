import MicroHTTP
import Testing
import Threading

/// Connections over which libmicrohttpd runs in circles, and those beside them that only look alike.
@Suite struct StuckTests {
    private static let head = "POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// Bodies cut in two where a client may rest.
    private static let halves = [
        ("5\r\nhello\r\n", "0\r\n\r\n"), ("5\r\nhello\r\n5", "\r\nworld\r\n0\r\n\r\n"),
        ("5\r\nhello\r\n5;a=b", "\r\nworld\r\n0\r\n\r\n"), ("5\r\nhello\r", "\n0\r\n\r\n"),
        ("5\r\nhel", "lo\r\n0\r\n\r\n"),
        ("", "0\r\n\r\n"),
    ]

    /// Begins an upload, all at once.
    private func begin(_ server: StreamServer, _ body: String) throws -> Client {
        let client = try server.client()
        client.send(StuckTests.head + body)
        return client
    }

    /// Begins one with a line that may be longer than the connection's memory.
    private func line(_ server: StreamServer, _ length: Int, after chunk: String = "") throws -> Client {
        try begin(server, chunk + "5;" + String(repeating: "a", count: length))
    }

    @Test func aLineWithoutAnEndIsClosedAndClientsThatRestAreNot() throws {
        let server = try StreamServer()
        let resting = try StuckTests.halves.map { try begin(server, $0.0) }
        let stuck = [
            try line(server, 20_000), try line(server, 20_000, after: "1\r\na\r\n"), try line(server, 100_000),
        ]
        for client in stuck { #expect(client.endsHere()) }
        #expect(becomesTrue { server.server.statistics.openConnections == resting.count }, "the descriptors, too")
        // Again, since those that rest have been looked at.
        #expect(try line(server, 20_000).endsHere())
        for (client, half) in zip(resting, StuckTests.halves) {
            client.send(half.1)
            #expect(client.response()?.status == 200)
            #expect(client.ask(get("/"))?.body == "other")
        }
    }

    /// One of them fills the connection's memory to the last byte, so that nothing waits in the kernel.
    @Test func aLineOfAnyLengthIsReadOrClosed() throws {
        let server = try StreamServer()
        let clients = try (16_100..<16_300).map { try line(server, $0) }
        // By then those that are too long have been found.
        #expect(try line(server, 20_000).endsHere())
        for client in clients { client.send("\r\nhello\r\n0\r\n\r\n") }
        let statuses = clients.map { $0.response()?.status }
        let read = statuses.prefix { $0 == 200 }.count
        #expect(0 < read && read < clients.count && statuses[read...].allSatisfy { $0 == nil })
        #expect(becomesTrue { server.server.statistics.openConnections == read })
    }

    /// A stream that leaves as fast as it is made looks like a library that runs in circles, if one does not look closely.
    @Test func anUploadRestsWhileAStreamIsSent() throws {
        let server = try StreamServer(produce: { stream in while stream.write(Pattern.block) {} })
        let (upload, download) = (try begin(server, "5\r\nhello\r\n"), try server.client())
        download.send(get("/stream"))
        let end = MonotonicClock.milliseconds() + 3_500
        while MonotonicClock.milliseconds() < end {
            #expect(download.fill())
            download.buffer = []
        }
        upload.send("0\r\n\r\n")
        #expect(upload.response()?.body == "5")
    }
}
