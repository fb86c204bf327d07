internal import Threading

/// What the audit has found: `drift` must be 0.
package struct AuditStatus: Sendable, Equatable {
    /// How often everything was looked at, verifications on demand included.
    package private(set) var passes = 0
    /// What was wrong in the last pass that is through.
    package private(set) var drift = 0
    /// Likes whose news or user was not there, in that pass.
    package private(set) var orphans = 0
    /// When that pass ended; nil before the first.
    package private(set) var passEndedAt: Timestamp?
    /// What is wrong so far in the pass under way.
    package var driftSoFar = 0

    /// Whether nothing is known to be wrong.
    package var isClean: Bool { drift == 0 && orphans == 0 && driftSoFar == 0 }

    mutating func endPass(drift: Int, orphans: Int, at time: Timestamp) {
        passes += 1
        self.drift = drift
        self.orphans = orphans
        passEndedAt = time
        driftSoFar = 0
    }
}

/// A pass of the audit under way.
struct Audit {
    private let pace: Auditor.Pace
    /// Where the next slice begins.
    private(set) var place = Verifier.Place()
    /// What this pass has found.
    private(set) var tally = Tally()
    private var lastSteps = 0
    /// When this pass began, or when the audit did: the first pass waits, so that a start is quick and small.
    private var beganAt = MonotonicClock.milliseconds()
    /// The places that were told of in the last pass, and in this one: they are not told of again.
    private var toldBefore: Set<String> = []
    private var told: Set<String> = []

    init(_ pace: Auditor.Pace) { self.pace = pace }

    /// Milliseconds until the next slice is due.
    var restMilliseconds: Int {
        if place != Verifier.Place() {
            return max(pace.restMilliseconds, pace.restMilliseconds * lastSteps / max(1, pace.steps))
        }
        let nextPass = Int(beganAt - MonotonicClock.milliseconds()) + pace.passMilliseconds
        return max(pace.restMilliseconds, nextPass)
    }

    /// Takes in what a slice has found.
    ///
    /// - Returns: what nobody was told of yet.
    mutating func add(_ verifier: Verifier, next: Verifier.Place?) -> [Finding] {
        if place == Verifier.Place() { beganAt = MonotonicClock.milliseconds() }
        lastSteps = verifier.steps
        tally.add(verifier.tally)
        if let next { place = next }
        return unheard(verifier.tally.findings)
    }

    /// Those of the findings that are to be told of.
    mutating func unheard(_ findings: [Finding]) -> [Finding] {
        findings.filter { finding in
            guard told.count < Limits.findings, told.insert(finding.place).inserted else { return false }
            return !toldBefore.contains(finding.place)
        }
    }

    /// Begins again from the front.
    mutating func begin() {
        place = Verifier.Place()
        tally = Tally()
        toldBefore = told
        told = []
    }
}
