package import LikesCore
internal import Threading

/// A state that was brought back, and where from.
package struct Restored {
    /// The state, up to the journal's last event.
    package let shared: SharedLikes
    /// The position of the snapshot that it began with; 0 for none.
    package let snapshot: UInt64
    /// The position of the oldest snapshot that may be needed one day; 0 for none.
    package let oldestSnapshot: UInt64
    /// Events that were replayed after that.
    package let replayed: UInt64
    /// What was wrong with newer snapshots.
    package let warnings: [String]
}

extension SnapshotFolder {
    /// Brings back what a journal and the snapshots beside it add up to: the newest snapshot that can be used, and
    /// the events after it.
    ///
    /// - Throws: `.unusable` when events are missing in between, or when the journal or a snapshot refuses.
    package func restore(_ journal: any Journal) throws(JournalError) -> Restored {
        let kept = try journal.keptEvents()
        let last = kept?.upperBound ?? 0
        var warnings: [String] = []
        let positions = try positions()
        for position in positions {
            let state: LikesState
            do throws(SnapshotError) {
                state = try load(position, of: journal.epoch)
            } catch {
                switch error {
                case .refused(let reason): throw .unusable(reason)
                case .unreadable(let reason):
                    warnings.append(reason)
                    continue
                case .damaged(let reason):
                    warnings.append(reason)
                    noteDamaged(position)
                    continue
                }
            }
            guard position <= last else {
                throw .unusable("the journal ends at event \(last), and a snapshot at event \(position)")
            }
            return try replay(journal, kept, onto: state, oldest: positions.last ?? 0, warnings)
        }
        return try replay(journal, kept, onto: LikesState(dustLimit: dustLimit), oldest: 0, warnings)
    }

    private func replay(
        _ journal: any Journal, _ kept: ClosedRange<UInt64>?, onto state: sending LikesState, oldest: UInt64,
        _ warnings: [String]
    ) throws(JournalError) -> Restored {
        let snapshot = state.position
        if let first = kept?.lowerBound, first > snapshot + 1 {
            let reasons = warnings.isEmpty ? "" : "; " + warnings.joined(separator: "; ")
            throw .unusable("the events \(snapshot + 1) to \(first - 1) are gone, and no snapshot holds them\(reasons)")
        }
        let shared = SharedLikes(state)
        let position = try shared.write { state throws(JournalError) in
            try state.replay(journal)
            return state.position
        }
        return Restored(
            shared: shared, snapshot: snapshot, oldestSnapshot: oldest, replayed: position - snapshot,
            warnings: warnings)
    }

    /// Builds the state once more, on the oldest there is: the first event of all, or the oldest snapshot. It must be
    /// the same as what `restore` gave.
    ///
    /// - Returns: nil when there is nothing older than the newest snapshot.
    package func rebuild(_ journal: any Journal) throws(JournalError) -> LikesState? {
        let positions = try positions()
        let basis: LikesState
        if try journal.keptEvents()?.lowerBound == 1 {
            basis = LikesState()
        } else if positions.count > 1, let oldest = positions.last {
            do throws(SnapshotError) { basis = try load(oldest, of: journal.epoch) } catch {
                throw .unusable(error.reason)
            }
        } else {
            return nil
        }
        try basis.replay(journal)
        return basis
    }
}
