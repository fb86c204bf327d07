import CSQLite
import Foundation
import Glibc
import Testing

/// History from a place on, and then what is new: without a gap and without a repeat.
@Suite struct ReplayTests {
    /// Something of every kind; the sequence of the last event, which is shown.
    @discardableResult private func live(_ api: API) async throws -> Int64 {
        try await api.make("n", "m", "gone", "old")
        for news in ["n", "m", "gone", "old"] { try await api.like(news, by: ["u1", "u2", "u3"]) }
        try await api.unlike("n", by: "u2").succeeded()
        try await api.putNews("m", ["title": "Another", "author": "u1", "baseLikes": 7]).succeeded()
        try await api.delete(API.news("gone")).succeeded()
        try await api.post(API.news("old") + "/merge", ["into": "n"]).succeeded()
        try await api.delete(API.profile("u3")).succeeded()
        try await api.put(API.likes(of: "u4")).succeeded()
        return try await api.like("n", by: "u9").succeeded().json["sequence"].integer ?? 0
    }

    /// Expects from every place what comes after it, by the header and by the query, and all of it live once more after that.
    private func expectReplays(_ seen: [LiveEvent], _ server: Server, from first: StreamPlace) async throws {
        let last = seen[seen.count - 1].sequence
        for sequence in first.sequence..<last {
            let token = StreamPlace(epoch: first.epoch, sequence: sequence).description
            let due = seen.filter { $0.sequence > sequence }.map(\.block)
            let byHeader = try await EventStream.open(server, after: token).events(through: last)
            #expect(byHeader.map(\.block) == due, "after \(token)")
            let byQuery = try await EventStream.open(server, "?since=\(token)").events(through: last)
            #expect(byQuery.map(\.block) == due, "since \(token)")
        }
    }

    // Reported of others: growthbook-golang#51, opencode#25658, forge#360, vayu#21, sse#61
    @Test func `From any place comes what a reader saw live, byte for byte, also after a stop and after a kill`()
        async throws
    {
        try await withDurableServer { server in
            let stream = try await EventStream.open(server)
            let first = try #require(stream.head.headers["likes-sequence"].flatMap { StreamPlace($0) })
            let seen = try await stream.events(through: try await live(server.api))
            try await expectReplays(seen, server, from: first)
            #expect(try await server.stop() == .exit(0))
            try await server.startAgain()
            try await expectReplays(seen, server, from: first)
            try await server.kill()
            try await server.startAgain()
            try await expectReplays(seen, server, from: first)
        }
    }

    // Reported of others: sse#61
    @Test func `A new reader gets only what is new, also after a restart`() async throws {
        try await withDurableServer { server in
            try await live(server.api)
            for user in ["v1", "v2"] {
                let stream = try await EventStream.open(server)
                let like = try await server.api.like("n", by: user).succeeded()
                let event = try await stream.events(1)[0]
                #expect(event.summary.hasPrefix("likeAdded n \(user)"))
                #expect(event.sequence == like.json["sequence"].integer)
                #expect(try await server.stop() == .exit(0))
                try await server.startAgain()
            }
        }
    }

    // Reported of others: growthbook-golang#51, opencode#25658, forge#360
    @Test func `A new reader that leaves before any event comes back without a gap`() async throws {
        try await withDurableServer { server in
            try await server.api.make("n")
            let stream = try await EventStream.open(server)
            _ = try await stream.blocks { $0.place != nil }
            let place = stream.place
            stream.vanish()
            try await server.api.like("n", by: ["a", "b"])
            try await server.kill()
            try await server.startAgain()
            try await server.api.like("n", by: ["c"])
            let again = try await EventStream.open(server, after: place).events(3)
            #expect(again.map(\.summary) == ["likeAdded n a 1", "likeAdded n b 2", "likeAdded n c 3"])
        }
    }

    // Reported of others: vayu#21
    @Test func `The header goes before the query`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let token = try #require(try await server.api.feed().headers["likes-sequence"])
            let place = try #require(StreamPlace(token))
            try await server.api.like("n", by: ["a", "b", "c"])
            let second = StreamPlace(epoch: place.epoch, sequence: place.sequence + 1).description
            let stream = try await EventStream.open(server, "?since=\(token)", after: second)
            #expect(try await stream.events(2).map(\.user) == ["b", "c"])
            // What the query says is looked at all the same: a client's mistake is not hidden by chance.
            let other = try await EventStream.open(server, "?since=\(second)", after: token)
            #expect(try await other.events(3).map(\.user) == ["a", "b", "c"])
        }
    }

    /// Expects one reset with the newest place, then what is new, and that the new place is good.
    private func expectReset(
        _ server: Server, _ query: String = "", after place: String? = nil, _ what: String
    ) async throws {
        let now = try #require(try await server.api.feed().position)
        let stream = try await EventStream.open(server, query, after: place)
        let reset = try await stream.events(1)[0]
        #expect(reset.kind == "reset", "\(what)")
        #expect(reset.data == ["sequence": .integer(now)], "\(what)")
        #expect(reset.sequence == now, "\(what)")
        let like = try await server.api.like("n", by: "after \(what) \(query.isEmpty)").succeeded().json["sequence"]
            .integer
        #expect(try await stream.events(1)[0].sequence == like, "\(what)")
        let again = try await EventStream.open(server, after: reset.place.description)
        #expect(try await again.events(through: like).map(\.kind) == ["likeAdded"], "\(what)")
    }

    @Test func `A place of another journal, in the future, or of no journal is answered with a reset`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let now = try #require(try await server.api.feed().headers["likes-sequence"].flatMap { StreamPlace($0) })
            let other = "0123456789abcdef.\(now.sequence)"
            let future = StreamPlace(epoch: now.epoch, sequence: now.sequence + 1_000_000).description
            let farFuture = "\(now.epoch).18446744073709551615"
            for place in [other, future, farFuture] {
                try await expectReset(server, after: place, place)
                try await expectReset(server, "?since=\(place)", place)
            }
            // A reader cannot help what its Last-Event-ID is: what no server gave out is like what is too old.
            for place in ["x", "7", "\(now.epoch)", "\(now.epoch).-1", "undefined"] {
                try await expectReset(server, after: place, place)
            }
        }
    }

    @Test func `A place that is not kept any more in memory is answered with a reset`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let token = try await server.api.feed().headers["likes-sequence"]
            for part in 0..<3 { try await server.api.like("n", by: (0..<10_000).map { "\(part) \($0)" }) }
            try await expectReset(server, after: token, "too old")
            let recent = try #require(try await server.api.feed().headers["likes-sequence"].flatMap { StreamPlace($0) })
            let kept = StreamPlace(epoch: recent.epoch, sequence: recent.sequence - 1_000).description
            let events = try await EventStream.open(server, after: kept).events(through: recent.sequence)
            #expect(events.map(\.sequence) == Array(recent.sequence - 999...recent.sequence))
        }
    }

    @Test func `A place whose events the journal has let go of is answered with a reset`() async throws {
        try await Places.withFolder { folder in
            try await withServer(.folder(folder)) { server in
                try await server.api.make("n")
                let token = try await server.api.feed().headers["likes-sequence"]
                // Two stops with a snapshot each: the older of them holds the events that go.
                for part in 0..<2 {
                    try await server.api.like("n", by: (0..<3_000).map { "\(part) \($0)" })
                    #expect(try await server.stop() == .exit(0))
                    if part == 1 { try Self.drop(folder, through: 1_000) }
                    try await server.startAgain()
                }
                try await expectReset(server, after: token, "dropped")
                let first = try #require(token.flatMap { StreamPlace($0) })
                let oldest = StreamPlace(epoch: first.epoch, sequence: 1_000).description
                let events = try await EventStream.open(server, after: oldest).events(5_000)
                #expect(events.map(\.sequence) == Array(1_001...6_000))
                try await expectReset(
                    server, after: StreamPlace(epoch: first.epoch, sequence: 999).description, "just dropped")
            }
        }
    }

    /// Lets a journal that nobody uses go of its oldest events.
    private static func drop(_ folder: String, through sequence: Int64) throws {
        var handle: OpaquePointer?
        defer { unsafe _ = sqlite3_close(handle) }
        guard unsafe sqlite3_open(folder + "/journal.sqlite", &handle) == SQLITE_OK,
            unsafe sqlite3_exec(handle, "DELETE FROM events WHERE sequence <= \(sequence)", nil, nil, nil) == SQLITE_OK
        else { throw Failure("cannot drop events") }
    }

    @Test func `A history that is longer than what is in memory, with writes meanwhile, is whole and in order`()
        async throws
    {
        try await withDurableServer { server in
            try await server.api.make("n", "m")
            let token = try #require(try await server.api.feed().headers["likes-sequence"])
            let first = try #require(StreamPlace(token)).sequence
            for part in 0..<3 { try await server.api.like("n", by: (0..<10_000).map { "\(part) \($0)" }) }
            async let reading = inParallel(4) { _ in
                try await EventStream.open(server, after: token).events(31_001, .seconds(60))
            }
            let port = server.port
            _ = try await offPool {
                try WireClient(port: port, connections: 4).run(
                    (0..<4).map { writer in
                        { $0 < 250 ? WireRequest("PUT", API.like("m", "\(writer)-\($0)")) : nil }
                    })
            }
            try await server.api.like("n", by: "last" as String).succeeded()
            let streams = try await reading
            for events in streams {
                #expect(events.map(\.sequence) == Array(first + 1...first + 31_001))
                #expect(events.map(\.block) == streams[0].map(\.block))
                #expect(events.last?.summary == "likeAdded n last 30001")
            }
        }
    }

    @Test func `A filtered reader that comes back gets what concerns it out of much that does not`() async throws {
        try await withDurableServer { server in
            try await server.api.make("n", "quiet")
            let token = try #require(try await server.api.feed().headers["likes-sequence"])
            var due: [String] = []
            for part in 0..<4 {
                try await server.api.like("n", by: (0..<8_000).map { "\(part) \($0)" })
                try await server.api.like("quiet", by: "u\(part)").succeeded()
                due.append("likeAdded quiet u\(part) \(part + 1)")
            }
            for _ in 0..<2 {
                let stream = try await EventStream.open(server, "?news=quiet", after: token)
                #expect(try await stream.events(4).map(\.summary) == due)
                #expect(try await server.stop() == .exit(0))
                try await server.startAgain()
            }
        }
    }
}
