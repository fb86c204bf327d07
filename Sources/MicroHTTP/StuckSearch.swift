/// Tells the connections over which the library runs in circles from those whose clients only rest.
///
/// The library says no more than whether it has something to do at all, but has nothing to do with a connection that is
/// suspended. What it never comes to rest with, and at once without, is stuck. That a client rests is no reason to cut it,
/// whatever others do.
struct StuckSearch {
    let worker: Worker
    let daemons: [MHDDaemon]

    /// Gives up those that are stuck; the others notice nothing.
    ///
    /// - Parameter suspects: have been silent for a while, with a body in chunks still to come.
    func run(among suspects: [Connection]) {
        guard !suspects.isEmpty else { return }
        for suspect in suspects { suspect.suspend() }
        // While others are served all the time, the library is never without work. Then the next search may find more.
        guard comesToRest(within: HTTPLimits.restTurns) else { return resume(suspects) }
        var kept: [Connection] = []
        for suspect in suspects {
            switch judge(suspect) {
            case .resting: break
            case .stuck:
                suspect.giveUp(afterSeconds: HTTPLimits.stuckSeconds)
                kept.append(suspect)
            case .unclear: kept.append(suspect)
            }
        }
        resume(kept)
    }

    /// What is found about a suspect.
    private enum Verdict {
        case resting
        /// It is suspended.
        case stuck
        /// It is suspended, since it may be stuck and would then hide others.
        case unclear
    }

    /// Looks what the library does with this one, and without it, more than once: others may come and go meanwhile.
    private func judge(_ suspect: Connection) -> Verdict {
        let since = suspect.chunkSince
        for _ in 0..<HTTPLimits.stuckTrials {
            let calls = worker.calls
            suspect.resume()
            let rests = comesToRest(within: HTTPLimits.restTurns)
            // When something has come of it, it may be closed, or suspended by its exchange.
            guard suspect.isOpen, suspect.chunkSince == since, !rests else { return .resting }
            suspect.suspend()
            guard worker.calls == calls, comesToRest(within: 1) else { return .unclear }
        }
        return .stuck
    }

    /// Runs the daemons until they want to wait; false if there are too many turns before.
    private func comesToRest(within turns: Int) -> Bool {
        for _ in 0..<turns {
            for daemon in daemons { daemon.run() }
            if !daemons.contains(where: { $0.timeout == 0 }) { return true }
        }
        return false
    }

    private func resume(_ suspects: [Connection]) {
        for suspect in suspects { suspect.resume() }
    }
}
