internal import Threading

/// What an operator wants to know of live streams: told when readers were refused or cut, but not for each of them.
package struct StreamReport: Sendable, Equatable {
    /// Readers at this moment.
    package let open: Int
    /// Clients that were refused since the report before.
    package let refused: Int
    /// Readers that were cut since then, because they took nothing or did not keep up.
    package let cut: Int
}

/// Makes reports, at most one a minute.
final class StreamReporter: Sendable {
    private struct State {
        var refused = 0
        var cut = 0
        var next: Int64 = 0
    }

    private let places: StreamPlaces
    private let report: @Sendable (StreamReport) -> Void
    private let state = Locked(State())

    init(_ places: StreamPlaces, _ report: @escaping @Sendable (StreamReport) -> Void) {
        self.places = places
        self.report = report
    }

    /// Reports what is new, if it is time to.
    ///
    /// - Parameter cut: readers that were ever cut.
    func look(cut: Int, now: Int64) {
        let (open, refused) = (places.taken, places.refused)
        let due: StreamReport? = state.withLock { state in
            guard now >= state.next, refused != state.refused || cut != state.cut else { return nil }
            defer { state = State(refused: refused, cut: cut, next: now + StreamLimits.reportMilliseconds) }
            return StreamReport(open: open, refused: refused - state.refused, cut: cut - state.cut)
        }
        if let due { report(due) }
    }
}
