import TestSupport
import Testing
import Threading

@testable import LikesCore

/// Ten thousand random steps beside a model. More of them: `LIKESD_SIMULATION_STEPS=100000` is the number of steps of
/// each seed; one seed again: `LIKESD_TEST_SEED=n`.
@Suite("The service does what a simple model of it does")
struct SimulationTests {
    /// A seed that no run had before.
    private static let newSeed: UInt64 = {
        let seed = UInt64.random(in: 1_000...999_999_999)
        print("The simulation's new seed in this run is \(seed).")
        return seed
    }()

    /// Some that are always the same and a new one, or the one that is to be repeated.
    private static func seeds(_ count: UInt64) -> [UInt64] {
        Wishes.number("LIKESD_TEST_SEED").map { [$0] } ?? Array(1..<count) + [newSeed]
    }

    private static func steps(_ usual: Int) -> Int {
        Wishes.number("LIKESD_SIMULATION_STEPS").map { Int(clamping: $0) } ?? usual
    }

    @Test("with the journal in memory", arguments: seeds(5))
    func inMemory(seed: UInt64) { Self.simulate(seed, onDisk: false, steps: Self.steps(1_800)) }

    @Test("with the journal on the disk", arguments: seeds(2))
    func onDisk(seed: UInt64) { Self.simulate(seed, onDisk: true, steps: Self.steps(500)) }

    private static let kinds: Set = [
        "batch", "batch of several commits", "crash", "crash while appending", "damage", "failed append", "fold again",
        "freeze", "late snapshot", "merge", "merge into itself", "merge of a chain", "merge that is cut",
        "merge that is gone on with", "old id refused", "redated like", "restart", "snapshot",
    ]
    /// Of more steps than these some are of each kind, whatever the seed.
    private static let fewSteps = 1_500

    private static func simulate(_ seed: UInt64, onDisk: Bool, steps: Int) {
        let start = MonotonicClock.milliseconds()
        do {
            var simulation = try Simulation(seed: seed, onDisk: onDisk)
            do {
                try simulation.live(steps: steps)
                // What never comes is not tested.
                let missing = Self.kinds.subtracting(simulation.tally.keys)
                #expect(missing.isEmpty || steps < Self.fewSteps)
            } catch {
                Issue.record(
                    """
                    LIKESD_TEST_SEED=\(seed)\(onDisk ? ", on the disk" : ""), step \(simulation.stepNumber): \(error)
                    \(simulation.lastSteps.joined(separator: "\n"))
                    """)
            }
            let tally = simulation.tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            print("seed \(seed), \(MonotonicClock.milliseconds() - start) ms: \(tally.joined(separator: ", "))")
        } catch {
            Issue.record("LIKESD_TEST_SEED=\(seed): \(error)")
        }
    }
}
