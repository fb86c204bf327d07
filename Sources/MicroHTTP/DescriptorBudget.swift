internal import Glibc

/// The system's limit on open files, and how it is shared out.
package struct DescriptorBudget: Sendable {
    /// Files that the process may have open, all together.
    package let limit: Int
    /// Sockets that the program may take over at one time.
    package let takenSockets: Int
    /// Connections that the server may have open at one time beside them.
    let connections: Int

    /// Raises the limit as far as it goes.
    ///
    /// - Parameters:
    ///   - takenSockets: how many the program would like to take over; it gets up to half of what there is, or of many all but
    ///     some thousands.
    ///   - workers: of the server.
    package init(takenSockets: Int = 0, workers: Int = 1) {
        self.init(limit: Self.raised(), takenSockets: takenSockets, workers: workers)
    }

    /// Shares out a limit.
    init(limit: Int, takenSockets wanted: Int, workers: Int) {
        self.limit = limit
        let reserved = HTTPLimits.reservedDescriptors + workers * HTTPLimits.descriptorsPerWorker
        let free = max(limit - min(reserved, limit / 2), 4)
        takenSockets = min(wanted, max(free / 2, free - HTTPLimits.keptConnections))
        connections = free - takenSockets
    }

    private static func raised() -> Int {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0 else { return 1024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if unsafe setrlimit(kind, &limit) != 0 { limit.rlim_cur = soft }
        return Int(clamping: limit.rlim_cur)
    }

    /// The connections of each of so many daemons.
    func connections(ofEach daemons: Int) -> Int {
        min(max(connections / max(daemons, 1), 1), HTTPLimits.connectionsPerDaemon)
    }
}
