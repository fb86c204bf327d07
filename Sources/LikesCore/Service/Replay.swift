package import Threading

/// The state that the mediator changes and everybody reads.
package typealias SharedLikes = Shared<LikesState>

/// Folds all that a journal keeps into a new state.
///
/// - Throws: `.unusable` when an event cannot follow those before it.
package func replay(_ journal: any Journal) throws(JournalError) -> SharedLikes {
    let shared = SharedLikes(LikesState())
    try shared.write { state throws(JournalError) in try state.replay(journal) }
    return shared
}

extension LikesState {
    /// Folds all that a journal keeps behind the position.
    ///
    /// - Throws: `.unusable` when an event cannot follow those before it.
    package func replay(_ journal: any Journal) throws(JournalError) {
        try journal.replay(after: position) { event throws(JournalError) in
            do throws(FoldError) {
                try fold(event)
            } catch {
                throw .unusable("event \(error.sequence) does not fit: \(error.reason.rawValue)")
            }
        }
    }
}
