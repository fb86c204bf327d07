internal import Glibc

/// The system's limit on open files, which is also one on connections.
enum DescriptorLimit {
    /// Raises the limit as far as it goes, and shares it among the daemons.
    static func connections(daemons: Int) -> Int {
        let share = (raised() - HTTPLimits.reservedDescriptors) / max(daemons, 1)
        return min(max(share, 1), HTTPLimits.connectionsPerDaemon)
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
}
