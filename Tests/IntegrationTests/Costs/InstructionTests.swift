import Testing

/// What a request costs in instructions of the binary: the same on every machine of its kind, however busy it is.
@Suite struct InstructionTests {
    private static let connections = 16

    /// The limits are in instructions of x86-64.
    private static var isCounted: Bool {
        #if arch(x86_64)
            true
        #else
            false
        #endif
    }

    @Test(.enabled(if: isCounted)) func `No request executes more instructions than its limit`() async throws {
        try await Places.withFolder { folder in
            let callgrind = try await offPool { try Callgrind(in: folder) }
            try await withServer(by: callgrind.launcher, folder + "/data") { server in
                try await CostedOperation.prepare(server.api)
                for operation in CostedOperation.all {
                    guard let limit = operation.instructions else { continue }
                    try await offPool {
                        let profile = try Self.profile(of: operation, server, callgrind)
                        let each = profile.total / operation.requests
                        print("cost: \(operation.name): \(each) instructions, \(limit) are allowed")
                        guard each > limit else { return }
                        Issue.record(
                            """
                            \(operation.name): \(each) instructions, \(limit) are allowed. Most are in
                            \(try Self.listed(profile, operation.requests))
                            """)
                    }
                }
            }
        }
    }

    /// The middle one of three counts: now and then a pass of the audit falls into one of them.
    private static func profile(
        of operation: CostedOperation, _ server: Server, _ callgrind: Callgrind
    ) throws -> CallgrindProfile {
        let connections = min(connections, operation.requests)
        let rounds = try RequestRounds(port: server.port, connections: connections)
        // What is done for the first time fills caches and makes room.
        try rounds.run(0..<connections, operation.request)
        let profiles = try (0..<3).map { count in
            let first = connections + count * operation.requests
            return try callgrind.profile(of: server) {
                try rounds.run(first..<first + operation.requests, operation.request)
            }
        }
        return profiles.sorted { $0.total < $1.total }[1]
    }

    /// The ten functions that executed the most, with the instructions of each for one request.
    private static func listed(_ profile: CallgrindProfile, _ requests: Int) throws -> String {
        let functions = profile.mostExpensive(10)
        let names = try Callgrind.inWords(functions.map(\.name))
        return zip(functions, names).map { "\($0.instructions / requests)  \($1)" }.joined(separator: "\n")
    }
}
