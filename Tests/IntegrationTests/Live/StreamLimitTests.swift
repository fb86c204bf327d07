import Foundation
import Glibc
import Testing

/// How many streams there may be, and that one which ends leaves nothing behind.
@Suite struct StreamLimitTests {
    /// Opens a stream, again and again while the places are not given back yet.
    private func openSoon(_ server: Server) async throws -> EventStream {
        let deadline = Deadline.seconds(20)
        while true {
            do { return try await EventStream.open(server) } catch { if deadline.passed { throw error } }
        }
    }

    private func expectRefusal(_ answer: Answer, _ status: Int, _ code: String) {
        expectProblem(answer, status, code)
        #expect(answer.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
    }

    // Reported of others: traewelling#3340
    @Test func `One stream too many is told when to come back, and the place of one that leaves is free again`()
        async throws
    {
        try await withServer(.memory, ["--max-streams", "3"]) { server in
            try await server.api.make("n")
            var streams = try await inParallel(3) { _ in try await EventStream.open(server) }
            for round in 0..<6 {
                let refusal = try await WireClient.send(streamRequest(), port: server.port)
                expectRefusal(refusal, 503, "too_many_streams")
                // Everything else goes on, also on the connection of the refusal.
                let more = try await WireClient.send(
                    [streamRequest(), WireRequest("PUT", API.like("n", "u\(round)"))], port: server.port)
                #expect(more.map(\.status) == [503, 201])
                for stream in streams {
                    #expect(try await stream.events(1)[0].summary == "likeAdded n u\(round) \(round + 1)")
                }
                let gone = streams.removeFirst()
                if round % 2 == 0 { gone.leave() } else { gone.vanish() }
                streams.append(try await openSoon(server))
            }
        }
    }

    @Test func `HEAD and refused requests take no place`() async throws {
        try await withServer(.memory, ["--max-streams", "1", "--max-streams-per-address", "1"]) { server in
            for _ in 0..<5 {
                let answers = try await WireClient.send(
                    [streamRequest("?since=x"), streamRequest(headers: ["Accept": "image/png"])], port: server.port)
                #expect(answers.map(\.status) == [400, 406])
                #expect(try await WireClient.send(streamRequest(method: "HEAD"), port: server.port).status == 200)
            }
            _ = try await EventStream.open(server)
        }
    }

    // Reported of others: applause-button#97, traewelling#3340
    @Test func `An address has its own limit; others are not held up by it`() async throws {
        try await withServer(.memory, ["--max-streams-per-address", "2"]) { server in
            try await server.api.make("n")
            let streams = try await inParallel(2) { _ in try await EventStream.open(server) }
            expectRefusal(
                try await WireClient.send(streamRequest(), port: server.port), 429, "too_many_streams_of_address")
            let port = server.port
            // Another address of the machine, and the other family.
            try await offPool {
                var others = [try StreamSocket(port: port, from: 2), try StreamSocket(port: port, from: 2)]
                if Loopback.hasIPv6 { others.append(try StreamSocket(port: port, overIPv6: true)) }
                for socket in others {
                    socket.send(streamRequest().bytes)
                    var bytes: [UInt8] = []
                    try socket.wait(.seconds(20), bytes)
                    #expect(socket.receive(into: &bytes) == nil)
                    #expect(bytes.starts(with: "HTTP/1.1 200 ".utf8))
                }
                let third = try StreamSocket(port: port, from: 2)
                third.send(streamRequest().bytes)
                var bytes: [UInt8] = []
                try third.wait(.seconds(20), bytes)
                _ = third.receive(into: &bytes)
                #expect(bytes.starts(with: "HTTP/1.1 429 ".utf8))
            }
            // Likes are no streams.
            #expect(try await server.api.like("n", by: "u").status == 201)
            streams[0].leave()
            let again = try await openSoon(server)
            #expect(try await server.api.unlike("n", by: "u").status == 200)
            #expect(try await again.events(1)[0].summary == "likeRemoved n u 0")
        }
    }

    @Test func `Readers that leave, with or without a goodbye, leave nothing behind`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let (port, pid) = (server.port, server.child.pid)
            let view = ProcessView(pid: pid)
            try await offPool {
                let before = try view.descriptors
                for (round, abruptly) in [false, true, false, true].enumerated() {
                    let crowd = try StreamCrowd(port: port, 200)
                    #expect(try view.descriptors > before + 190)
                    // Nothing is sent to them meanwhile: that they are gone is noticed by itself.
                    crowd.leave(abruptly: abruptly)
                    try view.waitUntil("200 descriptors given back, round \(round)", .seconds(20)) {
                        try $0.descriptors <= before + 8
                    }
                }
            }
            // Those that leave in the midst of what they are sent, too.
            try await offPool {
                let before = try view.descriptors
                let writer = try WireClient(port: port, connections: 1)
                for abruptly in [false, true] {
                    let crowd = try StreamCrowd(port: port, 200)
                    _ = try writer.run([
                        { $0 < 50 ? WireRequest($0 % 2 == 0 ? "PUT" : "DELETE", API.like("n", "u")) : nil }
                    ])
                    crowd.leave(abruptly: abruptly)
                    try view.waitUntil("200 descriptors given back", .seconds(20)) { try $0.descriptors <= before + 9 }
                }
            }
            #expect(try await server.api.like("n", by: "v").status == 201)
        }
    }

    @Test func `Where the system allows few open files there are fewer streams, and the log says how many`()
        async throws
    {
        try await Places.withFolder { folder in
            let launcher = ["/bin/sh", "-c", #"ulimit -n 400 && exec "$0" "$@""#]
            try await withServer(by: launcher, folder) { server in
                try await server.api.make("n")
                let (child, port) = (server.child, server.port)
                let entry = try await offPool {
                    try child.waitForLine { line in
                        JSON(text: Data(line.utf8)).flatMap { $0["event"] == "streams_limited" ? $0 : nil }
                    }
                }
                #expect(entry["level"] == "warning")
                let count = try #require(entry["streams"].integer.map { Int($0) })
                #expect((50..<200).contains(count))
                let crowd = try await offPool { FewStreams(try StreamCrowd(port: port, count)) }
                expectRefusal(try await WireClient.send(streamRequest(), port: port), 503, "too_many_streams")
                // What is left is for everything else.
                #expect(try await server.api.like("n", by: "u").status == 201)
                try await offPool { try crowd.expectLike() }
            }
        }
    }

    /// A crowd that is opened by one thread and read by another.
    private final class FewStreams: @unchecked Sendable {
        // Safety: the test uses it on one thread after the other, never on two at a time.
        private let crowd: StreamCrowd

        init(_ crowd: StreamCrowd) { self.crowd = crowd }

        func expectLike() throws { try crowd.read { $0.isLately("event: likeAdded") } }
    }
}
