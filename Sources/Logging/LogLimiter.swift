/// Lets through so many lines about each event in a window of time, and counts the others.
struct LogLimiter {
    private struct Window {
        let begun: Int64
        var lines = 0
        var leftOut = 0
    }

    private var windows: [String: Window] = [:]

    /// Whether a line about an event may be written.
    ///
    /// - Parameter now: monotonic milliseconds.
    mutating func admits(_ event: String, now: Int64) -> Bool {
        var window = windows[event] ?? Window(begun: now)
        // One that has left lines out ends when that is told of.
        if now - window.begun >= LogLimits.windowMilliseconds, window.leftOut == 0 { window = Window(begun: now) }
        let isAdmitted = window.lines < LogLimits.linesPerEvent
        if isAdmitted { window.lines += 1 } else { window.leftOut += 1 }
        windows[event] = window
        return isAdmitted
    }

    /// When the next window ends of which something is to be told; nil when there is none.
    var nextEnd: Int64? {
        windows.values.filter { $0.leftOut > 0 }.map { $0.begun + LogLimits.windowMilliseconds }.min()
    }

    /// Ends windows.
    ///
    /// - Parameter now: nil to end all.
    /// - Returns: how many lines were left out about which events.
    mutating func end(now: Int64?) -> [(event: String, lines: Int)] {
        let ended = windows.filter { _, window in
            window.leftOut > 0 && (now.map { $0 - window.begun >= LogLimits.windowMilliseconds } ?? true)
        }
        for event in ended.keys { windows[event] = nil }
        return ended.map { ($0.key, $0.value.leftOut) }.sorted { $0.event < $1.event }
    }
}
