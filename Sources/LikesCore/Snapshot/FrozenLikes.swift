internal import Threading

/// The whole state as it was at one sequence, while the service goes on: for snapshots, exports and verification.
///
/// Made under the read lock in a millisecond or so, since it shares its memory with the living state; what changes
/// there afterwards is copied first. It takes memory for as long as it lives: let it go when it is done with.
package final class FrozenLikes: @unchecked Sendable {
    // Safety: nobody changes the state, and no chunk that it shares is changed by anybody.
    let state: LikesState

    /// The sequence of the last event that it holds.
    package var position: UInt64 { state.position }

    /// The number of likes.
    package var likes: Int { Int(state.log.count) }

    package init(_ shared: SharedLikes) { state = shared.read { LikesState(frozen: $0) } }
}

/// Sections of a snapshot: they are written one after the other, and read side by side.
package enum SnapshotSection: Int, CaseIterable, Sendable {
    /// The entries of the like log: more than half of everything.
    case entries
    /// All the rest.
    case rest
}

extension FrozenLikes {
    /// The format of what `encode` writes. It goes up with every change to it; older ones stay readable.
    package static let snapshotFormat: UInt32 = 1

    /// Writes a section.
    package func encode(_ section: SnapshotSection, to encoder: inout SnapshotEncoder) throws(JournalError) {
        switch section {
        case .entries: try state.log.ring.encode(to: &encoder)
        case .rest: try state.encode(to: &encoder)
        }
        try encoder.flush()
    }
}
