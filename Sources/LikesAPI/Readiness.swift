package import LikesCore

/// What reads wait for: that an event is folded, that a ranking is made.
package struct Readiness: Sendable {
    private let waits: SequenceWaits
    private let rankings: Rankings

    package init(_ waits: SequenceWaits, _ rankings: Rankings) {
        self.waits = waits
        self.rankings = rankings
    }

    /// Calls `done` once, on any thread, when a read can be carried out, or with the reason why it cannot.
    ///
    /// - Parameters:
    ///   - sequence: of the event that is to be folded first; nil for none.
    ///   - ranking: what is to be there then; nil for none.
    func wait(for sequence: UInt64?, _ ranking: RankingName?, done: @escaping @Sendable (Problem?) -> Void) {
        guard let sequence else { return prepare(ranking, done) }
        waits.wait(for: sequence) { outcome in
            if let problem = Problem(outcome) { done(problem) } else { prepare(ranking, done) }
        }
    }

    /// Has a ranking made for those who will ask for it.
    func prepareAhead(_ ranking: RankingName) { rankings.prepareAhead(ranking) }

    private func prepare(_ ranking: RankingName?, _ done: @escaping @Sendable (Problem?) -> Void) {
        guard let ranking else { return done(nil) }
        do throws(Rejection) {
            try rankings.prepare(ranking) { result in
                if case .failure(let rejection) = result { done(Problem(rejection)) } else { done(nil) }
            }
        } catch {
            done(Problem(error))
        }
    }
}
