package import Threading

/// Recounts all the time in small slices, and everything at once when it is asked to, on a thread of its own.
///
/// Each slice reads a frozen copy, which is let go right after it: so nobody waits for the audit, and what is changed
/// meanwhile is hardly ever copied. At most one verification is in hand at a time.
package final class Auditor: @unchecked Sendable {
    // Safety: `audit` is used by the auditor's thread alone, `thread` by whoever starts and stops; all else is Sendable.
    private let shared: SharedLikes
    private let mediator: LikesMediator
    private let keptEvents: KeptEvents?
    private let clock: Clock
    private let pace: Pace
    private let found: @Sendable (Finding) -> Void
    private let state = Monitor(State())
    private var audit: Audit
    private var thread: Thread?

    /// How much is done at a time, and how long it rests. Tests are in more of a hurry.
    struct Pace {
        var steps = Limits.auditSteps
        var restMilliseconds = Limits.auditRestMilliseconds
        var passMilliseconds = Limits.auditPassMilliseconds
    }

    private typealias Done = @Sendable (Result<VerificationReport, Rejection>) -> Void

    private struct State {
        var isStopping = false
        /// Whether a verification is asked for, or in hand.
        var isBusy = false
        var request: (fix: Bool, done: Done)?
        var status = AuditStatus()
    }

    /// An auditor that does nothing until `start`.
    ///
    /// - Parameters:
    ///   - keptEvents: the journal's, to compare the state with; nil for a journal that keeps none.
    ///   - found: called on the auditor's thread with what is wrong, once for each place until it is right again.
    package convenience init(
        _ shared: SharedLikes, mediator: LikesMediator, keptEvents: KeptEvents? = nil, clock: Clock = .system,
        found: @escaping @Sendable (Finding) -> Void = { _ in }
    ) {
        self.init(shared, mediator: mediator, keptEvents: keptEvents, clock: clock, pace: Pace(), found: found)
    }

    init(
        _ shared: SharedLikes, mediator: LikesMediator, keptEvents: KeptEvents? = nil, clock: Clock = .system,
        pace: Pace, found: @escaping @Sendable (Finding) -> Void = { _ in }
    ) {
        self.shared = shared
        self.mediator = mediator
        self.keptEvents = keptEvents
        self.clock = clock
        self.pace = pace
        self.found = found
        audit = Audit(pace)
    }

    /// Begins to audit.
    package func start() {
        precondition(thread == nil, "an auditor starts once")
        thread = Thread { self.run() }
    }

    /// Ends, in the middle of whatever it is at. A verification in hand is answered with `.shuttingDown`.
    ///
    /// To be called while the mediator still works.
    package func stop() {
        state.withLock { $0.isStopping = true }
        state.broadcast()
        thread?.join()
        thread = nil
    }

    /// What the audit has found so far.
    package var status: AuditStatus { state.withLock { $0.status } }

    /// Asks for a recount of everything.
    ///
    /// - Parameters:
    ///   - fix: whether to set right what can be set right from the likes themselves.
    ///   - done: called once, on the auditor's thread.
    /// - Throws: `.busy` while another one is in hand, or `.shuttingDown`; `done` is not called then.
    package func verify(
        fix: Bool, done: @escaping @Sendable (Result<VerificationReport, Rejection>) -> Void
    ) throws(Rejection) {
        try state.withLock { state throws(Rejection) in
            if state.isStopping { throw .shuttingDown }
            if state.isBusy { throw .busy }
            state.isBusy = true
            state.request = (fix, done)
        }
        state.broadcast()
    }

    // MARK: The auditor's thread

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    private func run() {
        while true {
            _ = state.wait(until: { $0.isStopping || $0.request != nil }, milliseconds: audit.restMilliseconds)
            let (stops, request) = state.withLock { state in
                defer { state.request = nil }
                return (state.isStopping, state.request)
            }
            if let request {
                let result = stops ? .failure(.shuttingDown) : verification(fix: request.fix)
                // Before the answer, so that whoever has it can ask again.
                state.withLock { $0.isBusy = false }
                request.done(result)
            } else if !stops {
                goOn()
            }
            if stops { return }
        }
    }

    private func verification(fix: Bool) -> Result<VerificationReport, Rejection> {
        do throws(VerificationStop) {
            let first = try recount()
            var last = first
            var report = first.report
            if fix, !first.repairs.isEmpty {
                do throws(Rejection) {
                    try Repair(shared: shared).perform(first.repairs, by: mediator)
                } catch {
                    return .failure(error)
                }
                // What is fixed is what a recount no longer finds.
                last = try recount()
                report.fixed = max(0, report.drift - last.report.drift)
            }
            for finding in audit.unheard(report.findings) { found(finding) }
            audit.begin()
            note(last.report.drift, last.report.orphans)
            return .success(report)
        } catch {
            switch error {
            case .cancelled: return .failure(.shuttingDown)
            case .journal: return .failure(.journalUnavailable)
            }
        }
    }

    private func recount() throws(VerificationStop) -> (report: VerificationReport, repairs: Repairs) {
        var verification = Verification(FrozenLikes(shared), isCancelled: { [self] in isStopping })
        try verification.recount()
        if let keptEvents {
            do throws(VerificationStop) {
                try verification.compare(keptEvents)
            } catch .journal(.unusable(let reason)) {
                // What a verification is there to find.
                verification.noteJournal(reason)
            }
        }
        return (verification.report, verification.repairs)
    }

    /// Does a slice.
    private func goOn() {
        var verifier = Verifier(FrozenLikes(shared).state, isCancelled: { [self] in isStopping })
        guard let next = try? verifier.advance(from: audit.place, steps: pace.steps) else { return endPass(verifier) }
        for finding in audit.add(verifier, next: next) { found(finding) }
        let drift = audit.tally.drift
        state.withLock { $0.status.driftSoFar = drift }
    }

    private func endPass(_ verifier: Verifier) {
        // Called off: nothing is known.
        if isStopping { return }
        for finding in audit.add(verifier, next: nil) { found(finding) }
        note(audit.tally.drift, audit.tally.orphans)
        audit.begin()
    }

    /// Takes down that everything was looked at.
    private func note(_ drift: Int, _ orphans: Int) {
        let now = Timestamp(milliseconds: clock.now())
        state.withLock { $0.status.endPass(drift: drift, orphans: orphans, at: now) }
    }
}
