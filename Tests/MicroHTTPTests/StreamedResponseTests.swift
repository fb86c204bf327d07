import MicroHTTP
import Testing
import Threading

@Suite struct StreamedResponseTests {
    @Test func aLongBodyArrivesWithinTheBoundOfThePipe() throws {
        let (size, produced) = (50_000_000, Monitor(Produced()))
        let server = try StreamServer(produce: producer(of: size, produced))
        let (client, other) = (try server.client(), try server.client())
        client.send(get("/stream"))
        let head = try #require(client.response(toHead: true))
        #expect(head.status == 200 && head.header("transfer-encoding") == "chunked" && !head.closes)
        // Nothing is read yet: the producer is held up when all buffers between are full, and others are served.
        var before = -1
        while before < produced.withLock({ $0.written }) {
            before = produced.withLock { $0.written }
            for _ in 0..<200 { #expect(other.ask(get("/"))?.body == "other") }
        }
        #expect(before < size)
        var asked = 0
        let (count, isWhole) = try #require(
            client.patternInChunks { count in
                guard count / 2_000_000 > asked else { return }
                asked += 1
                #expect(other.ask(get("/"))?.body == "other")
            })
        #expect(count == size && isWhole && asked == 25)
        let peak = produced.withLock { $0.peak }
        #expect(peak > HTTPLimits.streamBufferBytes / 2 && peak <= HTTPLimits.streamBufferBytes)
        #expect(client.ask(get("/"))?.body == "other", "the connection is kept")
    }

    @Test(arguments: ["/stream", "/later"]) func severalStreamsOnOneConnection(_ target: String) throws {
        let server = try StreamServer(produce: producer(of: 300_000, Monitor(Produced())))
        let client = try server.client()
        client.send(get(target) + get("/") + get(target))
        for isFirst in [true, false] {
            #expect(client.response(toHead: true)?.status == 200)
            #expect(try #require(client.patternInChunks()) == (300_000, true))
            if isFirst { #expect(client.response()?.body == "other") }
        }
    }

    /// The worker falls asleep between two pieces, and the client gets each before the next one is made.
    @Test func piecesArriveAsTheyAreMade() throws {
        let permits = Monitor(0)
        let server = try StreamServer(produce: { stream in
            for piece in 0..<200 {
                guard permits.wait(until: { $0 > piece }, milliseconds: 20_000) else { return }
                #expect(stream.write(Array("piece \(piece)\n".utf8)))
            }
            _ = permits.wait(until: { $0 > 200 }, milliseconds: 20_000)
            stream.finish()
        })
        let client = try server.client()
        client.send(get("/stream"))
        #expect(client.response(toHead: true)?.status == 200)
        for piece in 0...200 {
            #expect(becomesTrue { server.server.statistics.inFlightRequests == 1 }, "suspended for want of bytes")
            permits.withLock { $0 += 1 }
            permits.signal()
            #expect(try #require(client.chunk()) == Array(piece < 200 ? "piece \(piece)\n".utf8 : "".utf8))
        }
        #expect(client.ask(get("/"))?.body == "other")
        #expect(server.server.statistics.inFlightRequests == 0)
    }

    @Test func whatWasWrittenMeanwhileGoesOutTogether() throws {
        let server = try HTTPServer(
            configuration: .init(hosts: ["127.0.0.1"], port: 0),
            application: Application(
                admit: { _ in .accept(maximumBody: 0) },
                respond: { _ in
                    .now(
                        Response(status: 200) { stream in
                            for _ in 0..<1000 { #expect(stream.write([120])) }
                            #expect(stream.waitingBytes == 1000)
                            stream.finish()
                            #expect(!stream.write([120]))
                        })
                },
                refuse: { _ in Response(status: 500) }))
        server.start()
        defer { server.stop(deadlineMilliseconds: 0) }
        let client = try #require(Client(port: server.port))
        client.send(get("/"))
        #expect(client.response(toHead: true)?.status == 200)
        #expect(client.chunk()?.count == 1000)
        #expect(client.chunk()?.isEmpty == true)
    }

    @Test(arguments: [true, false]) func aProducerThatFailsCutsTheBody(_ saysSo: Bool) throws {
        let server = try StreamServer(produce: { stream in
            #expect(stream.write(Pattern.bytes(100_000)))
            if saysSo { stream.fail() }
        })
        let idle = try server.idleClient()
        let client = try server.client()
        client.send(get("/stream"))
        #expect(client.response(toHead: true)?.status == 200)
        #expect(try #require(client.patternInChunks()) == (100_000, false))
        #expect(client.isClosed)
        let old = try server.client()
        old.send("GET /stream HTTP/1.0\r\n\r\n")
        _ = old.rest()
        #expect(old.isReset, "to HTTP/1.0, a plain end would be a good one")
        #expect(server.closesAllBut(idle))
    }

    @Test(arguments: [Client.Farewell.close, .reset]) func aClientThatLeavesReleasesTheProducer(
        _ how: Client.Farewell
    ) throws {
        let produced = Monitor(Produced())
        let server = try StreamServer(produce: producer(of: .max, produced))
        let idle = try server.idleClient()
        var client: Client? = try server.client()
        client?.send(get("/stream"))
        #expect(client?.response(toHead: true)?.status == 200)
        #expect(client?.patternInChunks(limit: 1_000_000) != nil)
        client?.leave(how)
        client = nil
        #expect(produced.wait(until: \.isCancelled, milliseconds: 20_000))
        #expect(server.closesAllBut(idle))
    }

    @Test func aHalfClosedClientGetsItAll() throws {
        let server = try StreamServer(produce: producer(of: 10_000_000, Monitor(Produced())))
        let idle = try server.idleClient()
        let client = try server.client()
        client.send(get("/stream"))
        #expect(client.response(toHead: true)?.status == 200)
        #expect(client.patternInChunks(limit: 1_000_000) != nil)
        client.leave(.halfClose)
        let rest = client.rest()
        #expect(rest.count > 8_900_000 && rest.suffix(5) == Array("0\r\n\r\n".utf8))
        #expect(server.closesAllBut(idle))
    }

    @Test func aStalledReaderIsClosed() throws {
        let produced = Monitor(Produced())
        let server = try StreamServer(idleSeconds: 1, produce: producer(of: .max, produced))
        let client = try server.client(receiveBuffer: 4096)
        client.send(get("/stream"))
        #expect(client.response(toHead: true)?.status == 200)
        #expect(produced.wait(until: \.isCancelled, milliseconds: 20_000))
        #expect(becomesTrue { server.server.statistics.openConnections == 0 })
    }

    @Test(arguments: [get("/stream", method: "HEAD"), get("/304")])
    func nobodyProducesABodyThatIsNotShown(_ target: String) throws {
        let server = try StreamServer()
        let client = try server.client()
        client.send(target + get("/"))
        let head = try #require(client.response(toHead: true))
        #expect(head.status == (target.hasPrefix("HEAD") ? 200 : 304))
        #expect(head.header("content-length") == nil && head.header("content-type") == "application/x-ndjson")
        #expect(head.closes && client.endsHere())
        #expect(server.started.withLock { $0 } == 0)
    }

    @Test(arguments: ["", "Connection: Keep-Alive\r\n"]) func anOldClientReadsToTheEnd(_ headers: String) throws {
        let server = try StreamServer(produce: producer(of: 5_000_000, Monitor(Produced())))
        let idle = try server.idleClient()
        let client = try server.client()
        client.send("GET /stream HTTP/1.0\r\n\(headers)\r\n")
        let head = try #require(client.response(toHead: true))
        #expect(head.header("transfer-encoding") == nil && head.header("content-length") == nil && head.closes)
        let body = client.rest()
        #expect(body.count == 5_000_000 && Pattern.has(body, at: 0) && !client.isReset)
        #expect(server.closesAllBut(idle))
    }

    /// What holds a stream up when the server stops.
    enum Hold: CaseIterable, Sendable { case nothing, client, producer }

    @Test(arguments: Hold.allCases) func aStopCutsAStreamAtItsDeadline(_ hold: Hold) throws {
        let produced = Monitor(Produced())
        let released = Monitor(false)
        let server = try StreamServer(produce: { stream in
            if hold != .producer { return producer(of: .max, produced)(stream) }
            #expect(stream.write(Pattern.bytes(1000)))
            _ = released.wait(until: { $0 }, milliseconds: 20_000)
            #expect(!stream.write([1]))
        })
        let client = try server.client()
        let reader = Thread {
            let client = hold == .nothing ? try? server.client() : nil
            client?.send(get("/stream"))
            _ = client?.rest()
        }
        if hold == .nothing {
            #expect(produced.wait(until: { $0.written > 10_000_000 }, milliseconds: 20_000))
        } else {
            client.send(get("/stream"))
            #expect(client.response(toHead: true)?.status == 200)
            #expect(client.patternInChunks(limit: 1000) != nil)
        }
        let start = MonotonicClock.milliseconds()
        server.server.stop(deadlineMilliseconds: 100)
        #expect(MonotonicClock.milliseconds() - start < 5000)
        released.withLock { $0 = true }
        released.signal()
        reader.join()
        if hold != .producer { #expect(produced.wait(until: \.isCancelled, milliseconds: 20_000)) }
        if hold == .producer { #expect(client.chunk() == nil && client.isClosed) }
        #expect(server.server.statistics.inFlightRequests == 0)
    }

    @Test func aStopLetsAShortStreamFinish() throws {
        let (goesOn, done) = (Monitor(false), Monitor(false))
        let server = try StreamServer(produce: { stream in
            _ = stream.write(Pattern.bytes(1000))
            _ = goesOn.wait(until: { $0 }, milliseconds: 20_000)
            _ = stream.write(Pattern.bytes(500_000, at: 1000))
            stream.finish()
        })
        let client = try server.client()
        client.send(get("/stream"))
        #expect(client.response(toHead: true)?.status == 200)
        #expect(client.patternInChunks(limit: 1000) != nil)
        let stopping = Thread {
            server.server.stop(deadlineMilliseconds: 20_000)
            done.withLock { $0 = true }
            done.signal()
        }
        #expect(becomesTrue { Client(port: server.server.port) == nil })
        goesOn.withLock { $0 = true }
        goesOn.signal()
        #expect(try #require(client.patternInChunks(from: 1000)) == (501_000, true))
        #expect(done.wait(until: { $0 }, milliseconds: 10_000))
        stopping.join()
    }
}
