/// Daemons that could not accept a client, since the system gave no descriptor for it.
///
/// In 0.9.75 one that has connections tries again only after one of those was closed, though descriptors may be free long
/// before that; one that has none tries in circles. Here clients that wait are taken in a few times a second, until the
/// library does so again.
struct StarvedDaemons {
    private struct Entry {
        let daemon: MHDDaemon
        /// How many of its connections had been closed when it could not accept.
        var closings: Int
        /// Whether the library does not listen on it until one more is closed.
        var isDeaf: Bool
    }

    private var entries: [Entry] = []
    private var nextAttempt: Int64 = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Whether a daemon would only run in circles: nothing but clients that it cannot take in has an event for it.
    func isPaused(_ daemon: MHDDaemon) -> Bool {
        daemon.connections == 0 && entries.contains { $0.daemon === daemon }
    }

    /// Milliseconds until they have to be looked after; nil if there are none.
    func timeout(now: Int64) -> Int? { entries.isEmpty ? nil : Int(max(nextAttempt - now, 0)) }

    /// Notes which of the daemons starve, one of which has said so.
    mutating func note(_ daemons: [MHDDaemon], now: Int64) {
        for daemon in daemons where daemon.keepsClientWaiting {
            if entries.isEmpty { nextAttempt = now + HTTPLimits.starvedMilliseconds }
            entries.removeAll { $0.daemon === daemon }
            entries.append(Entry(daemon: daemon, closings: daemon.closings, isDeaf: daemon.connections > 0))
        }
    }

    /// Takes in who waits for them, when it is time.
    ///
    /// - Returns: whether it was: the daemons then have to run, since what they were given makes no event.
    mutating func run(now: Int64) -> Bool {
        guard !entries.isEmpty, now >= nextAttempt else { return false }
        nextAttempt = now + HTTPLimits.starvedMilliseconds
        entries.removeAll { entry in
            // The library has begun to listen again; if that was too early, it complains again.
            if entry.daemon.closings != entry.closings { return true }
            return entry.daemon.acceptWaiting() && !entry.isDeaf
        }
        return true
    }
}
