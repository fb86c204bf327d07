internal import Synchronization
internal import Threading

/// The whole state as it was at one sequence, while the service goes on: for snapshots, exports and verification.
///
/// Made under the read lock in a millisecond or so, since it shares its memory with the living state; what changes
/// there afterwards is copied first. It takes memory for as long as it lives: let it go when it is done with.
package final class FrozenLikes: @unchecked Sendable {
    // Safety: nobody changes the state, and no chunk that it shares is changed by anybody.
    let state: LikesState
    private let copies: FrozenCopies

    /// The sequence of the last event that it holds.
    package var position: UInt64 { state.position }

    /// The number of likes.
    package var likes: Int { Int(state.log.count) }

    /// About how many bytes a snapshot of it takes.
    package var estimatedBytes: Int {
        state.log.ring.byteCount + state.log.indexByteCount + state.users.count * 60 + state.catalog.handleCount * 400
            + 1 << 20
    }

    package init(_ shared: SharedLikes) {
        (state, copies) = shared.read { state in
            state.copies.add()
            return (LikesState(frozen: state), state.copies)
        }
    }

    deinit { copies.remove() }
}

/// How many frozen copies of a state somebody has.
final class FrozenCopies: Sendable {
    private let count = Atomic<Int>(0)

    /// Whether there is any.
    var exist: Bool { count.load(ordering: .relaxed) > 0 }

    func add() { count.wrappingAdd(1, ordering: .relaxed) }
    func remove() { count.wrappingSubtract(1, ordering: .relaxed) }
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
    package static let snapshotFormat: UInt32 = 2

    /// Writes a section.
    package func encode(_ section: SnapshotSection, to encoder: inout SnapshotEncoder) throws(JournalError) {
        switch section {
        case .entries: try state.log.ring.encode(to: &encoder)
        case .rest: try state.encode(to: &encoder)
        }
        try encoder.flush()
    }
}
