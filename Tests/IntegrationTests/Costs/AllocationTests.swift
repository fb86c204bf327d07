import Testing

/// What a request costs in allocations: the same on every machine.
@Suite struct AllocationTests {
    private static let warmUp = 100
    private static let counted = 400

    @Test func `No request allocates more than its limit, and lists nothing for each entry`() async throws {
        try await Places.withFolder { folder in
            let counter = try AllocationCounter(in: folder)
            let data = Server.Storage.folder(folder + "/data")
            try await withServer(data, ["--workers", "1"], environment: counter.environment) { server in
                try await CostedOperation.prepare(server.api)
                var found: [String: Int] = [:]
                for operation in CostedOperation.all {
                    guard let limit = operation.allocations else { continue }
                    let each = try await Self.allocations(of: operation, server, counter)
                    print("cost: \(operation.name): \(each) allocations, \(limit) are allowed")
                    // What happens beside the requests now and then is not theirs.
                    let whole = Int(each.rounded())
                    found[operation.name] = whole
                    #expect(whole <= limit, "\(operation.name): \(each) allocations for a request")
                }
                for (short, long) in CostedOperation.lists {
                    let more = try #require(found[long]) - #require(found[short])
                    #expect(
                        more <= CostedOperation.forFurtherEntries, "\(long): \(more) allocations more than \(short)")
                }
            }
        }
    }

    private static func allocations(
        of operation: CostedOperation, _ server: Server, _ counter: AllocationCounter
    ) async throws -> Double {
        let port = server.port
        return try await offPool {
            let rounds = try RequestRounds(port: port, connections: 1)
            try rounds.run(0..<warmUp, operation.request)
            let before = try counter.count
            try rounds.run(warmUp..<warmUp + counted, operation.request)
            return Double(try counter.count - before) / Double(counted)
        }
    }
}
