internal import Glibc

/// The system's limit on open files, and how it is shared out.
package struct DescriptorBudget: Sendable {
    /// Descriptors that this process may have open at one time.
    package let limit: Int
    /// Sockets that the program may take over at one time.
    package let takenSockets: Int
    /// Connections that the server may have open at one time beside them.
    let connections: Int

    /// Raises the limit as far as it goes. Of the sockets that the program would like to take over it gets up to half of
    /// what there is, or of many all but some thousands.
    package init(takenSockets wanted: Int = 0) {
        limit = Self.raised()
        let free = max(limit - HTTPLimits.reservedDescriptors, 4)
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
