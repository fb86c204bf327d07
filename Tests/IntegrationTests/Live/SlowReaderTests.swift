import Foundation
import Glibc
import Testing

/// Readers that do not take what they are sent: they are ended, and nobody else notices.
@Suite struct SlowReaderTests {
    /// Lets the same users like or unlike a news: many events, and no more likes than there were.
    private func toggle(_ server: Server, _ op: String, _ count: Int) async throws -> Int64 {
        let entries = (0..<count).map { JSON.object(["op": .string(op), "news": "n", "user": .string("u\($0)")]) }
        // On a connection that is closed behind it: the open ones are counted.
        let answer = try await WireClient.send(
            WireRequest("POST", "/v1/likes", body: JSON.array(entries).text), port: server.port
        ).succeeded()
        guard answer.json["changed"] == .integer(Int64(count)) else { throw Failure("not all changed: \(answer)") }
        return answer.json["sequence"].integer ?? 0
    }

    @Test func `A reader that takes no bytes is ended after its time, and comes back to all it has missed`()
        async throws
    {
        try await withDurableServer(["--stream-stall", "1s"]) { server in
            try await server.api.make("n")
            let (port, view) = (server.port, ProcessView(pid: server.child.pid))
            let before = try view.descriptors
            let stalled = try await EventStream.open(server, receiveBuffer: 4_096)
            let silent = try await EventStream.open(server, "?news=other", receiveBuffer: 4_096)
            let first = try #require(stalled.head.headers["likes-sequence"].flatMap { StreamPlace($0) })
            try await offPool {
                try view.waitUntil("two streams, and nothing else", .seconds(20)) { try $0.descriptors == before + 2 }
            }
            // More than its buffers hold, and less than the ring.
            let last = try await toggle(server, "like", 9_000)
            let start = ContinuousClock.now
            try await offPool {
                try view.waitUntil("the stalled reader is ended", .seconds(20)) { try $0.descriptors == before + 1 }
                // The one that has nothing to take is left alone, and so are those who come.
                let other = try StreamSocket(port: port)
                other.send(streamRequest().bytes)
                try other.wait(.seconds(20), [UInt8]())
            }
            #expect(.now - start < .seconds(10))
            let (blocks, end, _) = try await stalled.rest()
            // With what it had not taken forgotten, that is, and not kept by the system until it gives up.
            #expect(end == .reset)
            let seen = try blocks.compactMap { try LiveEvent($0) }
            #expect(seen.map(\.sequence) == Array(first.sequence + 1..<first.sequence + 1 + Int64(seen.count)))
            #expect(seen.count < 9_000)
            let again = try await EventStream.open(server, after: stalled.place).events(through: last)
            #expect(again.first?.sequence == first.sequence + 1 + Int64(seen.count))
            #expect(seen.count + again.count == 9_000)
            try await server.api.make("other")
            #expect(try await silent.events(1)[0].summary == "newsAdded other 0")
        }
    }

    @Test func `A reader that falls behind what is kept in memory is ended, and comes back to all it has missed`()
        async throws
    {
        try await withDurableServer { server in
            try await server.api.make("n")
            let slow = try await EventStream.open(server, receiveBuffer: 4_096)
            let first = try #require(slow.head.headers["likes-sequence"].flatMap { StreamPlace($0) })
            var last: Int64 = 0
            for round in 0..<4 { last = try await toggle(server, round % 2 == 0 ? "like" : "unlike", 10_000) }
            // It reads only now; it is ended long before the 30 seconds of one that takes nothing.
            let start = ContinuousClock.now
            let (blocks, end, _) = try await slow.rest()
            #expect(.now - start < .seconds(20))
            #expect(end == .reset)
            let seen = try blocks.compactMap { try LiveEvent($0) }.map(\.sequence)
            let again = try await EventStream.open(server, after: slow.place).events(through: last).map(\.sequence)
            #expect(seen + again == Array(first.sequence + 1...last))
            #expect(seen.count < 30_000)
        }
    }

    @Test func `Hundreds of stalled readers cost a few megabytes, and are ended when they have fallen behind`()
        async throws
    {
        try await withServer { server in
            try await server.api.make("n")
            let (port, view) = (server.port, ProcessView(pid: server.child.pid))
            let reader = try await EventStream.open(server)
            func toggleAndHear(_ rounds: Int) async throws {
                for round in 0..<rounds {
                    async let reading = reader.events(5_000)
                    let sequence = try await toggle(server, round % 2 == 0 ? "like" : "unlike", 5_000)
                    #expect(try await reading.last?.sequence == sequence)
                }
            }
            // What the likes and a reader that keeps up take in memory is taken before.
            try await toggleAndHear(12)
            let stalled = try await offPool { try StalledReaders(port: port, 300) }
            let (resident, open) = (try view.residentBytes, try view.descriptors)
            try await toggleAndHear(6)
            // They have all fallen out of what is kept.
            try await offPool {
                try view.waitUntil("300 descriptors given back", .seconds(20)) { try $0.descriptors <= open - 290 }
            }
            let grown = try view.residentBytes - resident
            #expect(grown < 8 << 20, "grown by \(grown) bytes")
            withExtendedLifetime(stalled) {}
        }
    }

    /// How long a like takes from when it is sent until a reader has its event, in the middle of so many, one after the other.
    private static func delay(_ port: UInt16, _ round: String, _ count: Int = 150) throws -> Duration {
        let writer = try WireConnection(port: port)
        let reader = try StreamSocket(port: port)
        reader.send(streamRequest("?news=m").bytes)
        var bytes: [UInt8] = []
        func read(until text: String) throws {
            // One for the whole: heartbeats come for ever.
            let deadline = Deadline.seconds(20)
            while unsafe bytes.withUnsafeBytes({ unsafe $0.firstPlace(of: text) }) == nil {
                try reader.wait(deadline, bytes)
                guard reader.receive(into: &bytes) == nil else { throw Failure("the stream has ended") }
            }
            bytes = []
        }
        try read(until: "id: ")
        let delays = try (0..<count).map { number in
            let start = ContinuousClock.now
            try writer.send(WireRequest("PUT", API.like("m", "\(round) \(number)")).bytes)
            try read(until: #""user":"\#(round) \#(number)""#)
            let delay = ContinuousClock.now - start
            guard try writer.answer()?.status == 201 else { throw Failure("not liked") }
            return delay
        }
        return delays.sorted()[count / 2]
    }

    @Test func `A reader hears of a like no more than a tick later while hundreds of others are stalled`() async throws
    {
        try await withServer(.memory, ["--stream-stall", "5m"]) { server in
            try await server.api.make("n", "m")
            let (port, view) = (server.port, ProcessView(pid: server.child.pid))
            let alone = try await offPool { try Self.delay(port, "alone") }
            let stalled = try await offPool { try StalledReaders(port: port, 300) }
            let open = try view.descriptors
            // More than their buffers hold, and less than the ring: they stay, and each has something to be sent.
            _ = try await toggle(server, "like", 9_000)
            let beside = try await offPool { try Self.delay(port, "beside") }
            #expect(try view.descriptors >= open, "they are still there")
            // A tick is 20 ms; three times as long is what another test may do to this machine.
            #expect(beside < alone * 3 + .milliseconds(20), "\(beside) beside stalled readers, \(alone) without")
            // They have taken nothing meanwhile: they fall out of what is kept.
            for op in ["unlike", "like"] { _ = try await toggle(server, op, 9_000) }
            try await offPool {
                try view.waitUntil("300 descriptors given back", .seconds(20)) { try $0.descriptors <= open - 290 }
            }
            withExtendedLifetime(stalled) {}
        }
    }
}
