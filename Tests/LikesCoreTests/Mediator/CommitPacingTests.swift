import Testing

@testable import LikesCore

@Suite("A commit rests for others that are there, not for a client that is alone")
struct CommitPacingTests {
    private var pacing = CommitPacing()

    /// A commit from 0 on.
    private mutating func commit(of microseconds: Int64, answered: Int, waiting: Int) {
        pacing.begin(at: 0)
        pacing.end(at: microseconds, answered: answered, waiting: waiting)
    }

    @Test("nobody rests before the first commit, nor for one client that asks again and again")
    mutating func alone() {
        #expect(pacing.rest.commands == 0)
        commit(of: 1_000, answered: 1, waiting: 0)
        // One command is in hand by then.
        #expect(pacing.rest.commands <= 1)
    }

    @Test("those who were answered, and those who came meanwhile, are waited for", arguments: [(2, 0), (1, 1), (1, 5)])
    mutating func others(answered: Int, waiting: Int) {
        commit(of: 1_000, answered: answered, waiting: waiting)
        #expect(
            pacing.rest
                == CommitPacing.Wait(commands: answered + waiting, until: 1_000 + 1_000 * Limits.commitRestShare))
    }

    @Test("of many, a few are enough to end the rest")
    mutating func enough() {
        commit(of: 1_000, answered: 60, waiting: 60)
        #expect(pacing.rest.commands == Limits.gatheredCommands)
    }

    @Test("on a slow disk, the rest has an end of its own")
    mutating func slow() {
        commit(of: 1_000_000, answered: 4, waiting: 0)
        #expect(pacing.rest.until == 1_000_000 + Limits.commitRestMicroseconds)
    }

    @Test("after a commit that took no time there is none")
    mutating func fast() {
        commit(of: 10, answered: 4, waiting: 4)
        #expect(pacing.rest.commands == 0)
    }

    @Test("many who were answered are waited for, for a moment; few are not")
    mutating func gathering() {
        commit(of: 1_000, answered: Limits.gatheredCommands, waiting: 0)
        #expect(
            pacing.gathering(now: 5_000)
                == CommitPacing.Wait(commands: Limits.gatheredCommands, until: 5_000 + Limits.gatherMicroseconds))
        commit(of: 1_000, answered: Limits.gatheredCommands - 1, waiting: 100)
        #expect(pacing.gathering(now: 5_000).commands == 0)
    }
}
