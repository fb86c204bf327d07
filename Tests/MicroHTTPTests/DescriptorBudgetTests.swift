import Testing

@testable import MicroHTTP

@Suite struct DescriptorBudgetTests {
    /// What there is to share out.
    private let free = DescriptorBudget().connections

    @Test func withoutTakenSocketsConnectionsHaveItAll() {
        #expect(free >= 4)
        #expect(DescriptorBudget().takenSockets == 0)
    }

    @Test func whoWantsLittleGetsIt() {
        for wanted in [1, free / 4, free / 2] {
            let budget = DescriptorBudget(takenSockets: wanted)
            #expect(budget.takenSockets == wanted)
            #expect(budget.connections == free - wanted)
        }
    }

    @Test func whoWantsMuchLeavesConnectionsTheHalfOrWhatIsEnoughForThem() {
        let budget = DescriptorBudget(takenSockets: .max)
        #expect(budget.takenSockets == max(free / 2, free - 4_096))
        #expect(budget.takenSockets + budget.connections == free)
    }

    /// Whatever the limit is, what the process has open without a client has room, and clients have some.
    @Test(arguments: [64, 256, 400, 1_024, 20_000, 1_048_576], [1, 2, 64]) func everybodyGetsSomething(
        limit: Int, workers: Int
    ) {
        let budget = DescriptorBudget(limit: limit, takenSockets: 10_000, workers: workers)
        let clients = budget.takenSockets + budget.connections
        #expect(budget.limit == limit)
        #expect(min(limit / 2, 64 + workers * 6) <= limit - clients)
        #expect(budget.connections >= limit / 4 || budget.connections >= 4_096)
        #expect(budget.takenSockets == 10_000 || budget.takenSockets >= limit / 4)
    }

    @Test func daemonsShareWhatConnectionsHave() {
        let budget = DescriptorBudget(takenSockets: .max)
        #expect(budget.connections(ofEach: 1) == min(budget.connections, HTTPLimits.connectionsPerDaemon))
        #expect(budget.connections(ofEach: 4) == min(budget.connections / 4, HTTPLimits.connectionsPerDaemon))
        // One is left for each, however many there are.
        #expect(budget.connections(ofEach: .max) == 1)
        #expect(budget.connections(ofEach: 0) == budget.connections(ofEach: 1))
    }
}
