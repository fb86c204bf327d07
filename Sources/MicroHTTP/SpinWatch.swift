/// Notices that the library may run in circles: it wants to run at once, and then calls nobody.
///
/// In 0.9.75, a line between two chunks that fills the connection's memory without an end makes it do so, for as long as
/// the connection stays open.
struct SpinWatch {
    private var windowStart: Int64 = 0
    private var idleTurns = 0

    /// Takes a turn of the loop in.
    ///
    /// - Parameter isIdle: whether the library did not want to wait before it, and called nobody in it.
    /// - Returns: whether there were so many of them that something may be stuck; once a window.
    mutating func maySpin(isIdle: Bool, now: Int64) -> Bool {
        if isIdle { idleTurns += 1 }
        guard now - windowStart >= HTTPLimits.stallMilliseconds else { return false }
        defer { (windowStart, idleTurns) = (now, 0) }
        return idleTurns > HTTPLimits.idleTurns
    }
}
