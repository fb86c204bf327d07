import Foundation
import Glibc
import Testing

/// Snapshots in a data folder: what a start makes of them.
@Suite struct SnapshotTests {
    /// Lets 2,500 users like or unlike a news: enough that a stop takes a snapshot.
    private func change(_ api: API, _ op: String, _ users: Range<Int>) async throws {
        let entries = users.map { JSON.object(["op": .string(op), "news": "n", "user": .string("user \($0)")]) }
        let answer = try await api.post("/v1/likes", .array(entries))
        #expect(answer.status == 200)
        #expect(answer.json["changed"] == .integer(Int64(users.count)))
    }

    /// A data folder with two snapshots: after 2,501 likes, and after 2,500 more of which some were taken back.
    private func withSnapshots(_ body: (Server, String) async throws -> Void) async throws {
        try await Places.withFolder { folder in
            try await withServer(.folder(folder)) { server in
                try await server.api.make("n", "other")
                try await change(server.api, "like", 0..<2_500)
                #expect(try await server.stop() == .exit(0))
                try await server.startAgain()
                try await change(server.api, "like", 2_500..<4_500)
                try await change(server.api, "unlike", 0..<500)
                #expect(try await server.stop() == .exit(0))
                #expect(try Snapshots.names(folder).count == 2)
                try await body(server, folder)
            }
        }
    }

    /// What the log says of the start.
    private func replayed(_ server: Server) throws -> JSON {
        try server.child.waitForLine { line in
            JSON(text: Data(line.utf8)).flatMap { $0["event"] == "replayed" ? $0 : nil }
        }
    }

    private func expectAll(_ server: Server) async throws {
        #expect(try await server.api.detail("n").json["likesCount"] == 4_000)
        let likers = try await server.api.allLikers("n")
        #expect(likers == (500..<4_500).reversed().map { "user \($0)" })
        #expect(try await server.api.allNews(likedBy: "user 0").isEmpty)
        // Withdrawn likes are remembered, too: who likes again is known.
        #expect(try await server.api.like("n", by: "user 0" as String).json["likesCount"] == 4_001)
        let report = try await server.api.send("POST", "/v1/admin/verify")
        #expect(report.json["drift"] == 0)
        #expect(report.json["orphans"] == 0)
    }

    @Test func `A start reads the newest one and replays nothing`() async throws {
        try await withSnapshots { server, _ in
            try await server.startAgain()
            let start = try replayed(server)
            #expect(start["snapshot"] == 5_002)
            #expect(start["replayed"] == 0)
            try await expectAll(server)
        }
    }

    @Test func `After a kill, the events since the snapshot are replayed`() async throws {
        try await withSnapshots { server, _ in
            try await server.startAgain()
            try await change(server.api, "like", 0..<500)
            try await change(server.api, "unlike", 0..<500)
            try await server.kill()
            try await server.startAgain()
            #expect(try replayed(server)["replayed"] == 1_000)
            try await expectAll(server)
        }
    }

    @Test func `A damaged newest one: a warning, and the one before it`() async throws {
        try await withSnapshots { server, folder in
            let names = try Snapshots.names(folder)
            try Snapshots.damage(folder, names[1])
            try await server.startAgain()
            #expect(server.child.output.contains(#""event":"snapshot_unusable""#))
            #expect(server.child.output.contains(names[1]))
            let start = try replayed(server)
            #expect(start["snapshot"] == 2_502)
            #expect(start["replayed"] == 2_500)
            try await expectAll(server)
        }
    }

    @Test func `Both damaged: all events, as long as all are kept`() async throws {
        try await withSnapshots { server, folder in
            for name in try Snapshots.names(folder) { try Snapshots.damage(folder, name) }
            try await server.startAgain()
            #expect(try replayed(server)["replayed"] == 5_002)
            try await expectAll(server)
        }
    }

    @Test func `Snapshots without their journal, or with another one: status 74`() async throws {
        try await withSnapshots { _, folder in
            for name in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"] {
                Places.remove("\(folder)/\(name)")
            }
            let gone = try await likesd("serve", "--port", "0", "--data", folder)
            #expect(gone.status == .exit(74))
            #expect(gone.output.contains("there are snapshots in \(folder), but the journal journal.sqlite is gone"))

            try await Places.withFolder { other in
                try await withServer(.folder(other)) { server in _ = try await server.stop() }
                try FileManager.default.copyItem(atPath: "\(other)/journal.sqlite", toPath: "\(folder)/journal.sqlite")
            }
            let foreign = try await likesd("serve", "--port", "0", "--data", folder)
            #expect(foreign.status == .exit(74))
            #expect(foreign.output.contains("belongs to another journal"))
        }
    }

    @Test func `likesd verify compares what a start makes with what older snapshots and all events make`() async throws
    {
        try await withSnapshots { _, folder in
            let verified = try await likesd("verify", "--data", folder)
            #expect(verified.status == .exit(0))
            #expect(verified.output.contains(#""drift":0,"orphans":0"#))
            #expect(verified.output.contains(#""likes":4000"#))
        }
    }
}
