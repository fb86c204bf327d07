import Foundation
import Glibc
import Testing

/// Thousands of open streams, and all else that goes on beside them.
@Suite(.serialized) struct ManyStreamsTests {
    // Reported of others: cpp-httplib#1966
    @Test
    func `A thousand idle readers pin no thread: reads and writes are answered, and all readers get the next event`()
        async throws
    {
        try await withServer(.memory, ["--workers", "1"]) { server in
            try await server.api.make("n", "quiet")
            let port = server.port
            try await offPool {
                let idle = try StreamCrowd(port: port, 1_000, "?news=quiet")
                let script: WireClient.Script = { number in
                    guard number < 200 else { return nil }
                    return WireRequest(
                        number % 2 == 0 ? "PUT" : "GET", number % 2 == 0 ? API.like("n", "u\(number)") : "/v1/feed")
                }
                let logs = try WireClient(port: port, connections: 16).run(
                    [WireClient.Script](repeating: script, count: 16))
                #expect(logs.allSatisfy { $0.exchanges.count == 200 && $0.unanswered == nil })
                #expect(logs.allSatisfy { $0.exchanges.allSatisfy { (200..<300).contains($0.answer.status) } })
                let last = try WireClient(port: port, connections: 1)
                    .run([{ $0 == 0 ? WireRequest("PUT", API.like("quiet", "u")) : nil }])
                #expect(last[0].exchanges.first?.answer.status == 201)
                try idle.read(until: { $0.isLately(#""news":"quiet""#) })
                for member in idle.members { #expect(member.blocks.count { $0.isEvent } == 1) }
            }
        }
    }

    @Test func `A bulk of 10,000 likes does not keep single likes, or their readers, waiting for its end`() async throws
    {
        try await withDurableServer { server in
            try await server.api.make("bulk", "n")
            let (port, done) = (server.port, Flag())
            let all = try await EventStream.open(server)
            let filtered = try await EventStream.open(server, "?news=n")
            async let singles = offPool {
                try WireClient(port: port, connections: 1).run([
                    { done.isRaised ? nil : WireRequest($0 % 2 == 0 ? "PUT" : "DELETE", API.like("n", "u")) }
                ])
            }
            // The single ones have begun.
            let begun = try await filtered.events(20)
            try await server.api.like("bulk", by: (0..<10_000).map { "u\($0)" })
            done.raise()
            let sequences = try await singles[0].exchanges.compactMap { $0.answer.json["sequence"].integer }
            let last = try #require(sequences.last)
            let events = try await all.events(
                through: max(last, try await server.api.detail("bulk").json["sequence"].integer ?? 0))
            #expect(events.map(\.sequence) == Array(events[0].sequence..<events[0].sequence + Int64(events.count)))
            let bulk = events.filter { $0.news == "bulk" }.map(\.sequence)
            #expect(bulk.count == 10_000)
            let between = sequences.filter { $0 > bulk[0] && $0 < bulk[bulk.count - 1] }
            #expect(between.count >= 3, "single likes between the first and the last of the bulk")
            let seen = try await filtered.events(through: last)
            #expect(begun.map(\.sequence) + seen.map(\.sequence) == sequences)
        }
    }

    /// Writes on a few connections; after so many answers the server is asked to end. What came of them, and when that was.
    private static func write(
        _ port: UInt16, _ plan: Ledger, stopping child: Child, after count: Int
    ) throws -> (logs: [WireClient.Log], asked: ContinuousClock.Instant?) {
        let scripts = (0..<4).map { plan.script(round: 0, connection: $0) }
        var asked: ContinuousClock.Instant?
        let logs = try WireClient(port: port, connections: scripts.count).run(scripts) { answers in
            guard answers == count else { return }
            asked = .now
            child.send(SIGTERM)
        }
        return (logs, asked)
    }

    @Test func `Stopped with 2,000 open streams, all end cleanly, within seconds, and nothing answered is lost`()
        async throws
    {
        try await withDurableServer { server in
            let news = ["s0", "s1", "s2"]
            for id in news { try await server.api.make(id) }
            let (port, child) = (server.port, server.child)
            let first = try #require(try await server.api.feed().headers["likes-sequence"].flatMap { StreamPlace($0) })
            var ledger = Ledger(news: news)
            let crowd = try await offPool { try Crowd(port: port, 2_000) }
            let plan = ledger
            async let exit = child.end()
            async let writing = offPool { try Self.write(port, plan, stopping: child, after: 100) }
            let (bodies, ends) = try await offPool { try crowd.readToEnd() }
            let (logs, asked) = try await writing
            ledger.note(logs)
            #expect(try await exit.status == .exit(0))
            let stopped = try await exit.time - (try #require(asked))
            #expect(stopped < .seconds(5), "it took \(stopped)")
            #expect(ends.allSatisfy { $0 == .closed })
            // All have seen the same from the beginning on, each up to the end of an event.
            let longest = bodies.max { $0.count < $1.count } ?? Data()
            #expect(bodies.allSatisfy { longest.starts(with: $0) && $0.suffix(2) == Data("\n\n".utf8) })
            try await server.startAgain()
            try await ledger.expectKept(by: server.api)
            // What one has not seen is there when it comes back.
            for body in [longest, bodies.min { $0.count < $1.count } ?? Data()] {
                var parser = StreamParser()
                parser.append(body)
                var seen: [StreamPlace] = []
                while let block = parser.next() { if let place = block.place { seen.append(place) } }
                let place = try #require(seen.last)
                #expect(seen.map(\.sequence) == Array(first.sequence...place.sequence))
                guard place.sequence < ledger.lastSequence else { continue }
                let rest = try await EventStream.open(server, after: place.description)
                    .events(through: ledger.lastSequence)
                #expect(rest.map(\.sequence) == Array(place.sequence + 1...ledger.lastSequence))
            }
        }
    }

    /// A crowd that is opened by one thread and read by another.
    private final class Crowd: @unchecked Sendable {
        // Safety: the test uses it on one thread after the other, never on two at a time.
        private let crowd: StreamCrowd

        init(port: UInt16, _ count: Int) throws { crowd = try StreamCrowd(port: port, count) }

        /// Reads until the server has ended all of them: what came after the heads, and how each ended.
        func readToEnd() throws -> (bodies: [Data], ends: [StreamEnd?]) {
            try crowd.read { $0.end != nil }
            return (crowd.members.map { Data($0.body) }, crowd.members.map(\.end))
        }
    }
}
