import Foundation
import Glibc
import Testing

/// A stop while readers take nothing, or are in the midst of what was long ago.
@Suite(.serialized) struct StreamStopTests {
    /// Asks a server to end; how it ended, and how long that took.
    private func stop(_ server: Server) async throws -> (status: Child.Status, time: Duration) {
        let child = server.child
        let start = ContinuousClock.now
        child.send(SIGTERM)
        let (status, end) = try await child.end()
        return (status, end - start)
    }

    @Test func `A hundred readers that take nothing do not hold up a stop, nor what others are still due`() async throws
    {
        try await withDurableServer { server in
            try await server.api.make("n")
            let port = server.port
            let reader = try await EventStream.open(server)
            let stalled = try await offPool { try StalledReaders(port: port, 100) }
            // More than their buffers hold, and less than the ring.
            try await server.api.like("n", by: (0..<9_000).map { "u\($0)" })
            let last = try #require(try await server.api.feed().position)
            async let due = reader.rest()
            let (status, time) = try await stop(server)
            #expect(status == .exit(0))
            #expect(time < .seconds(5), "it took \(time)")
            let (blocks, end, cut) = try await due
            #expect(try blocks.compactMap { try LiveEvent($0) }.map(\.sequence) == Array(last - 8_999...last))
            #expect(end == .closed && cut == "")
            try await server.startAgain()
            #expect(try await server.api.detail("n").json["likesCount"] == 9_000)
            withExtendedLifetime(stalled) {}
        }
    }

    @Test func `A replay of 50,000 events does not hold up a stop, and is gone on with after it`() async throws {
        try await withDurableServer { server in
            try await server.api.make("n")
            let token = try #require(try await server.api.feed().headers["likes-sequence"])
            let first = try #require(StreamPlace(token)).sequence
            for part in 0..<5 { try await server.api.like("n", by: (0..<10_000).map { "\(part) \($0)" }) }
            // Each takes a part of it, and then nothing for now; its own buffers hold a small part of the whole.
            let readers = try await inParallel(5) { _ in
                let reader = try await EventStream.open(server, after: token, receiveBuffer: 65_536)
                return (reader, try await reader.events(100))
            }
            let (status, time) = try await stop(server)
            #expect(status == .exit(0))
            #expect(time < .seconds(5), "it took \(time)")
            try await server.startAgain()
            for (reader, begun) in readers {
                // What came is a beginning; an event that was cut is no event.
                let rest = try await reader.rest().blocks.compactMap { try LiveEvent($0) }
                let seen = (begun + rest).map(\.sequence)
                #expect(seen.count < 50_000, "the replay was under way")
                #expect(seen == Array(first + 1..<first + 1 + Int64(seen.count)))
                let again = try await EventStream.open(server, after: reader.place).events(through: first + 50_000)
                #expect(again.map(\.sequence) == Array(first + 1 + Int64(seen.count)...first + 50_000))
            }
        }
    }
}
