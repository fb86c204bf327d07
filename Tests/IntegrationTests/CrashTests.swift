import Foundation
import Glibc
import TestSupport
import Testing

/// The process is killed, or the power goes, in the midst of writes; a ledger knows all that was answered.
@Suite struct CrashTests {
    private static let connections = 12
    private static let shared = ["s0", "s1", "s2", "s3"]

    /// Another seed may be set in LIKESD_TEST_SEED.
    private static let seed = ProcessInfo.processInfo.environment["LIKESD_TEST_SEED"].flatMap { UInt64($0) } ?? 1

    /// Writes on all connections; after so many answers the process is killed.
    private func load(
        _ server: Server, _ ledger: inout WriteLedger, round: Int, killAfter answers: Int
    ) async throws {
        let port = server.port
        let child = server.child
        let plan = (0..<Self.connections).map { [ledger] in ledger.writes(round: round, connection: $0) }
        let logs = try await offPool {
            let scripts = plan.map { writes -> WireClient.Script in
                { writes.indices.contains($0) ? writes[$0].request : nil }
            }
            return try WireClient(port: port, connections: scripts.count).run(scripts) { count in
                if count == answers { child.send(SIGKILL) }
            }
        }
        #expect(try await child.ended() == .signal(SIGKILL))
        for (connection, log) in logs.enumerated() {
            ledger.note(log, of: plan[connection], round: round, connection: connection)
        }
    }

    /// Compares all that the server shows with the ledger.
    private func judge(_ server: Server, _ ledger: WriteLedger, _ what: String) async throws {
        let world = try await World.shown(by: server, users: ledger.users)
        let verdict = ledger.compare(with: world)
        print("\(what), seed \(Self.seed): \(ledger.answered) writes answered, \(ledger.unknown) unknown, \(verdict)")
        #expect(verdict.lost == [], "answered and lost, seed \(Self.seed)")
        #expect(verdict.invented == [], "never asked for, seed \(Self.seed)")
        #expect(ledger.wrong == [], "answers that cannot be, seed \(Self.seed)")
    }

    // Reported of others: hits#84, OneLife#861, bucketeer#2736
    @Test func `Killed 50 times in the midst of writes, it loses no answered write and invents none`() async throws {
        try await withDurableServer { server in
            for id in Self.shared { try await server.api.make(id) }
            var ledger = WriteLedger(shared: Self.shared, seed: Self.seed)
            var random = SeededRandom(seed: Self.seed)
            let epoch = try await server.api.feed().epoch
            for round in 1...50 {
                try await load(server, &ledger, round: round, killAfter: Int.random(in: 1...400, using: &random))
                try await server.startAgain()
                let feed = try await server.api.feed()
                #expect(feed.epoch == epoch)
                #expect((feed.position ?? 0) >= ledger.position, "round \(round)")
            }
            #expect(ledger.answered > 5_000)
            try await judge(server, ledger, "killed 50 times")
        }
    }

    @Test(.mounts) func `When the power goes in the midst of writes, again and again, no answered write is lost`()
        async throws
    {
        try await withLoopFileSystem(megabytes: 64) { disk in
            try await withServer(by: disk.launcher, disk.mountPoint + "/data") { server in
                for id in Self.shared { try await server.api.make(id) }
                var ledger = WriteLedger(shared: Self.shared, seed: Self.seed)
                var random = SeededRandom(seed: Self.seed)
                for round in 1...6 {
                    try await load(
                        server, &ledger, round: round, killAfter: Int.random(in: 100...1_500, using: &random))
                    try await disk.losePower()
                    try await server.startAgain()
                    try await judge(server, ledger, "power lost \(round) times")
                }
                #expect(ledger.answered > 600)
            }
        }
    }
}
