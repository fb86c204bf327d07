/// A recount of everything at one moment: every count with its set, in both directions, and the projections with the
/// journal.
package struct Verification {
    private let state: LikesState
    private let isCancelled: () -> Bool
    private var tally = Tally()

    /// Verifies a frozen copy. It asks `isCancelled` every few thousand steps, and ends when that says so.
    package init(_ frozen: FrozenLikes, isCancelled: @escaping () -> Bool = { false }) {
        state = frozen.state
        self.isCancelled = isCancelled
    }

    /// What can be set right.
    var repairs: Repairs { tally.repairs }

    /// Recounts all likes, entry by entry, and compares every count, chain and order with that.
    package mutating func recount() throws(VerificationStop) {
        let live = try LiveCounts(state, isCancelled: isCancelled)
        var verifier = Verifier(state, live: live, isCancelled: isCancelled)
        var place: Verifier.Place? = Verifier.Place()
        while let next = place { place = try verifier.advance(from: next, steps: .max) }
        tally.add(verifier.tally)
    }

    /// Counts a journal that cannot be read to its end among what is wrong.
    mutating func noteJournal(_ reason: String) { tally.note("the journal", reason) }

    /// Compares the state with one that was made another way of the same events.
    package mutating func compare(with other: LikesState) {
        for difference in StateComparison(other, state, limit: Limits.findings).differences {
            tally.note("the state that was made again", difference)
        }
    }

    /// Compares the state with the events that a journal still keeps, a page at a time.
    ///
    /// Events may be dropped meanwhile: it goes on from the oldest that is left then.
    package mutating func compare(_ kept: KeptEvents) throws(VerificationStop) {
        var comparison = JournalComparison(state)
        guard let first = try read(kept.first), first <= state.position else { return }
        var last = first - 1
        while last < state.position {
            if isCancelled() { throw .cancelled }
            let events = try read { () throws(JournalError) in try kept.events(last, Limits.comparedEvents) }
            guard let newest = events.last else { break }
            for event in events {
                // Dropped meanwhile, and maybe more of them since this was read.
                if !comparison.follows(event), try read(kept.first) ?? 0 >= event.sequence { comparison.forget() }
                Self.take(event, state, &comparison, &tally)
            }
            last = newest.sequence
        }
        finish(comparison)
    }

    private func read<Result>(_ body: () throws(JournalError) -> Result) throws(VerificationStop) -> Result {
        do throws(JournalError) { return try body() } catch { throw .journal(error) }
    }

    private static func take(
        _ event: LikeEvent, _ state: LikesState, _ comparison: inout JournalComparison, _ tally: inout Tally
    ) {
        guard event.sequence <= state.position else { return }
        if !comparison.follows(event) {
            tally.note("the journal before event \(event.sequence)", "events are missing")
            comparison.forget()
        }
        comparison.take(event)
    }

    private mutating func finish(_ comparison: JournalComparison) {
        let position = comparison.position ?? 0
        if position != state.position {
            tally.note("the end of the journal", "it is \(position), and \(state.position) is folded")
        }
        comparison.finish(&tally)
    }

    /// What was found.
    package var report: VerificationReport {
        VerificationReport(
            sequence: state.position, drift: tally.drift, orphans: tally.orphans, news: state.catalog.count,
            users: state.users.knownCount, likes: Int(state.log.count), findings: tally.findings)
    }
}
