/// Lets through so many lines about refused requests in a second, and counts the others.
struct RefusalLimiter {
    private var second: Int64 = 0
    private var lines = 0
    /// Lines that were left out in that second, and in those before it of which nobody was told yet.
    private var leftOut = 0
    private var due = 0

    /// Whether one more may be written.
    ///
    /// - Parameter second: the monotonic second of now.
    mutating func admits(second now: Int64) -> Bool {
        if now != second { (second, lines, due, leftOut) = (now, 0, due + leftOut, 0) }
        let isAdmitted = lines < LogLimits.refusedRequestsPerSecond
        if isAdmitted { lines += 1 } else { leftOut += 1 }
        return isAdmitted
    }

    /// The monotonic milliseconds at which it is time to tell what was left out; nil when nothing was.
    var nextEnd: Int64? {
        if due > 0 { return second * 1_000 }
        return leftOut > 0 ? (second + 1) * 1_000 : nil
    }

    /// How many were left out before this second, to be told of.
    ///
    /// - Parameter now: nil for those of this second, too.
    mutating func end(second now: Int64?) -> Int {
        if now != second { (due, leftOut) = (due + leftOut, 0) }
        defer { due = 0 }
        return due
    }
}
