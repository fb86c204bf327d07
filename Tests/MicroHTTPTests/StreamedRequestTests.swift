import MicroHTTP
import Testing
import Threading

@Suite struct StreamedRequestTests {
    /// The head of an upload, with its length or in chunks.
    private func head(_ count: Int?, headers: String = "") -> String {
        "POST /upload HTTP/1.1\r\nHost: a\r\n\(headers)"
            + (count.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n") + "\r\n"
    }

    /// A chunk of the pattern; the last one when empty.
    private func chunk(_ count: Int, at start: Int) -> [UInt8] {
        Array("\(String(count, radix: 16))\r\n".utf8) + Pattern.bytes(count, at: start) + Array("\r\n".utf8)
    }

    /// Sends an upload of the pattern; false if the peer does not take all of it.
    @discardableResult private func upload(_ count: Int, inChunks: Bool, to client: Client) -> Bool {
        client.send(head(inChunks ? nil : count))
        var sent = 0
        while sent < count {
            // From a few bytes to more than the connection's memory: many chunks in one piece, and the other way.
            let size = min(sent % 3 == 0 ? 40_000 : 1 + sent % 101, count - sent)
            if !client.send(inChunks ? chunk(size, at: sent) : Pattern.bytes(size, at: sent)) { return false }
            sent += size
        }
        return !inChunks || client.send("0\r\n\r\n")
    }

    @Test(arguments: [false, true]) func aLongBodyIsConsumedWithPauses(_ inChunks: Bool) throws {
        let size = 20_000_000
        let resumer = OtherThread()
        defer { resumer.stop() }
        let tally = Tally(waitsEach: 65_536, resumer: resumer)
        let server = try StreamServer(consume: { tally })
        let client = try server.client()
        upload(size, inChunks: inChunks, to: client)
        #expect(client.response()?.body == "\(size)")
        #expect(tally.now.isRight && tally.now.bytes == size && tally.now.finished == 1)
        #expect(tally.now.waits > 200 && tally.now.longestPiece <= HTTPLimits.connectionMemory)
        #expect(client.ask(get("/"))?.body == "other")
        #expect(server.server.statistics.inFlightRequests == 0)
        server.stop()
        #expect(tally.now.cancelled == 0)
    }

    /// While its consumer waits, nothing of a body is read, others are served, and no deadline runs.
    @Test(arguments: [false, true]) func aConsumerHoldsTheClientUp(_ inChunks: Bool) throws {
        let (size, tally) = (30_000_000, Tally(waitsEach: 10_000))
        let server = try StreamServer(receiveMilliseconds: 300, consume: { tally })
        let (isSent, last) = (Locked(false), Locked(""))
        let sender = Thread {
            guard let client = try? server.client() else { return }
            upload(size, inChunks: inChunks, to: client)
            isSent.withLock { $0 = true }
            last.withLock { $0 = client.response()?.body ?? "" }
        }
        #expect(tally.becomes { $0.resumptions.count == 1 })
        let held = tally.now.bytes
        #expect(try server.client().endsHere(), "a request that does not come is cut meanwhile")
        #expect(try server.client().ask(get("/"))?.body == "other")
        #expect(tally.now.bytes == held && held < 10_000 + HTTPLimits.connectionMemory && !isSent.withLock { $0 })
        tally.seen.withLock { $0.waitsEach = .max }
        for resumption in tally.now.resumptions { resumption.resume() }
        // One more is under way: it was decided with the one before.
        #expect(tally.becomes { $0.resumptions.count == 2 || $0.finished == 1 })
        for resumption in tally.now.resumptions { resumption.resume() }
        sender.join()
        #expect(last.withLock { $0 } == "\(size)" && tally.now.isRight)
    }

    @Test func aResumptionCountsOnce() throws {
        let tally = Tally(waitsEach: 1)
        let server = try StreamServer(consume: { tally })
        let (client, other) = (try server.client(), try server.client())
        client.send(head(3))
        for index in 0..<3 {
            client.send(Pattern.bytes(1, at: index))
            #expect(tally.becomes { $0.resumptions.count == index + 1 })
            // Those before have been used, and mean nothing any more.
            for resumption in tally.now.resumptions.dropLast() { resumption.resume() }
            #expect(other.ask(get("/"))?.body == "other")
            #expect(server.server.statistics.inFlightRequests == 1)
            for _ in 0..<2 { tally.now.resumptions.last?.resume() }
        }
        #expect(client.response()?.body == "3")
        tally.now.resumptions.last?.resume()
        #expect(client.ask(get("/"))?.body == "other")
    }

    @Test func aSlowBodyThatMovesOnIsNotLate() throws {
        let tally = Tally()
        let server = try StreamServer(receiveMilliseconds: 200, consume: { tally })
        let (client, other) = (try server.client(), try server.client())
        client.send(head(1_000_000))
        let end = MonotonicClock.milliseconds() + 700
        var sent = 0
        while MonotonicClock.milliseconds() < end {
            #expect(client.send(Pattern.bytes(1, at: sent)))
            sent += 1
            #expect(other.ask(get("/"))?.body == "other")
        }
        client.send(Pattern.bytes(1_000_000 - sent, at: sent))
        #expect(client.response()?.body == "1000000" && tally.now.isRight)
        client.send(head(10) + "01234")
        #expect(client.endsHere(), "this one does not move on")
        #expect(tally.becomes { $0.cancelled == 1 })
    }

    @Test(arguments: [0, 5]) func shortBodies(_ count: Int) throws {
        let server = try StreamServer()
        let client = try server.client()
        client.send(head(count, headers: "Expect: 100-continue\r\n"))
        if count > 0 { #expect(client.response()?.status == 100) }
        client.send(Pattern.bytes(count))
        var last = client.response()
        if last?.status == 100 { last = client.response() }
        #expect(last?.body == "\(count)")
        #expect(client.ask("POST /upload HTTP/1.1\r\nHost: a\r\n\r\n")?.body == "0")
    }

    @Test(arguments: Client.Farewell.allCases, [false, true])
    func aClientThatLeavesIsToldOnce(_ how: Client.Farewell, whileWaiting: Bool) throws {
        let tally = Tally(waitsEach: whileWaiting ? 50 : .max)
        let server = try StreamServer(consume: { tally })
        let idle = try server.idleClient()
        var client: Client? = try server.client()
        client?.send(head(1000))
        client?.send(Pattern.bytes(100))
        #expect(tally.becomes { $0.bytes == 100 && (!whileWaiting || $0.resumptions.count == 1) })
        client?.leave(how)
        let kept = how == .halfClose ? client : nil
        client = nil
        for resumption in tally.now.resumptions { resumption.resume() }
        #expect(tally.becomes { $0.cancelled == 1 })
        #expect(server.closesAllBut(idle))
        #expect(kept?.endsHere() != false)
        server.stop()
        #expect(tally.now.cancelled == 1 && tally.now.finished == 0)
    }

    @Test(arguments: [false, true]) func anEarlyAnswerWithALittleLeftKeepsTheConnection(_ inChunks: Bool) throws {
        let tally = Tally(answersAt: 100_000)
        let server = try StreamServer(consume: { tally })
        let client = try server.client()
        upload(150_000, inChunks: inChunks, to: client)
        let early = try #require(client.response())
        #expect(early.status == 422 && early.body == "enough" && !early.closes)
        #expect(client.ask(get("/"))?.body == "other")
        #expect(tally.now.finished == 0 && tally.now.cancelled == 0 && tally.now.bytes < 120_000)
    }

    @Test(arguments: [false, true]) func anEarlyAnswerIsReadableWhileTheClientSends(_ inChunks: Bool) throws {
        let tally = Tally(answersAt: 100_000)
        let server = try StreamServer(consume: { tally })
        let idle = try server.idleClient()
        let client = try server.client()
        // As after any early answer, the rest is taken for a while. Otherwise it would meet a reset.
        #expect(upload(8_000_000, inChunks: inChunks, to: client))
        let early = try #require(client.response())
        #expect(early.status == 422 && early.body == "enough" && early.closes)
        #expect(client.endsHere())
        #expect(server.closesAllBut(idle))
        #expect(try server.client().ask(get("/"))?.body == "other")
        server.stop()
        #expect(tally.now.finished == 0 && tally.now.cancelled == 0)
    }

    @Test(arguments: [false, true]) func aRequestBehindAnUploadWaitsForIt(_ inChunks: Bool) throws {
        let tally = Tally(waitsEach: 10)
        let server = try StreamServer(consume: { tally })
        let client = try server.client()
        let body =
            inChunks ? (0..<10).flatMap { chunk(10, at: $0 * 10) } + Array("0\r\n\r\n".utf8) : Pattern.bytes(100)
        client.send(Array(head(inChunks ? nil : 100).utf8) + body + Array(get("/").utf8))
        var resumed = 0
        while tally.becomes({ $0.resumptions.count > resumed || $0.finished > 0 }), tally.now.finished == 0 {
            tally.now.resumptions[resumed].resume()
            resumed += 1
        }
        #expect(client.response()?.body == "100")
        #expect(client.response()?.body == "other")
        #expect(tally.now.isRight && tally.now.waits == (inChunks ? 10 : 1))
    }

    @Test func theAnswerMayComeLaterAndBeAStreamItself() throws {
        let other = OtherThread()
        defer { other.stop() }
        let tally = Tally(reply: { count in
            .later { responder in
                other.run {
                    responder.complete {
                        Response(status: 201) { stream in
                            other.run {
                                _ = stream.write(Pattern.bytes(count))
                                stream.finish()
                            }
                        }
                    }
                }
            }
        })
        let server = try StreamServer(consume: { tally })
        let client = try server.client()
        for _ in 0..<3 {
            upload(1_000_000, inChunks: false, to: client)
            #expect(client.response(toHead: true)?.status == 201)
            #expect(try #require(client.patternInChunks()).1)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func aStopEndsAnUploadAtItsDeadline(whileWaiting: Bool, inChunks: Bool) throws {
        let tally = Tally(waitsEach: whileWaiting ? 10 : .max)
        let server = try StreamServer(consume: { tally })
        let client = try server.client()
        client.send(head(inChunks ? nil : 1000))
        // Of chunks, a second one waits in the library's hands.
        client.send(inChunks ? chunk(50, at: 0) + chunk(50, at: 50) : Pattern.bytes(100))
        #expect(tally.becomes { whileWaiting ? $0.resumptions.count == 1 : $0.bytes == 100 })
        let start = MonotonicClock.milliseconds()
        server.stop(milliseconds: 100)
        #expect(MonotonicClock.milliseconds() - start < 5000)
        #expect(tally.now.cancelled == 1 && tally.now.finished == 0)
        for resumption in tally.now.resumptions { resumption.resume() }
        if let last = client.response() { #expect(last.status == 500 && last.body == "shuttingDown") }
        #expect(client.isClosed || client.endsHere())
    }

    /// A consumer that goes on when the server is long gone must not keep it in memory.
    @Test func aResumptionOutlivesTheServer() throws {
        final class Program: Sendable {}
        weak var watched: Program?
        let tally = Tally(waitsEach: 10)
        do {
            let program = Program()
            watched = program
            let server = try StreamServer(consume: { withExtendedLifetime(program) { tally } })
            let client = try server.client()
            client.send(head(1000))
            client.send(Pattern.bytes(100))
            #expect(tally.becomes { $0.resumptions.count == 1 })
        }
        tally.seen.withLock { seen in
            for resumption in seen.resumptions { resumption.resume() }
            seen.resumptions = []
        }
        #expect(watched == nil && tally.now.cancelled == 1)
    }
}
