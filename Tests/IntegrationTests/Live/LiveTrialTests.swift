import Foundation
import TestSupport
import Testing

/// Writers, readers that come and go, readers that take nothing, a kill or a stop in the midst of it, again and again:
/// every stream is checked for order, gaps and repeats, and every event for what it says.
///
/// Two rounds in `make test`; `make soak` is the same for `SOAK_SECONDS`. One seed again: `LIKESD_TEST_SEED=n`.
@Suite struct LiveTrialTests {
    private static let soakSeconds = Wishes.number("SOAK_SECONDS").map { Double($0) }

    private static let seed = Wishes.number("LIKESD_TEST_SEED") ?? UInt64.random(in: 1_000...999_999_999)

    // Reported of others: growthbook-golang#51, opencode#25658, forge#360, sse#61, demux#37, NodeBB#2586
    @Test func `Every reader sees every event once and in order, whatever happens to it and to the server`()
        async throws
    {
        let seed = Self.seed
        try await Places.withFolder { folder in
            try await withServer(.folder(folder)) { server in
                let trial = try await LiveTrial(server, folder, seed: seed)
                await Self.run(trial, server, seed)
            }
        }
    }

    private static func run(_ first: LiveTrial, _ server: Server, _ seed: UInt64) async {
        var trial = first
        let deadline = soakSeconds.map { Deadline.seconds($0) }
        var rounds = 0
        do {
            while rounds < 2 || deadline?.passed == false {
                try await trial.round(writes: deadline == nil ? 150 : 1_000)
                rounds += 1
                #expect(trial.tally.faults == [], "LIKESD_TEST_SEED=\(seed), round \(rounds)")
                if !trial.tally.faults.isEmpty { break }
                if deadline != nil { print("round \(rounds): \(trial.tally)") }
            }
        } catch {
            Issue.record(
                "LIKESD_TEST_SEED=\(seed), round \(rounds + 1): \(error)\n\(server.child.output.suffix(2_000))")
        }
        print("live trial, seed \(seed), \(rounds) rounds: \(trial.tally)")
    }
}
