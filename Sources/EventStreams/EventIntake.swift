internal import LikesCore
internal import Threading

/// The events that were folded and are no part of the ring yet.
///
/// While there are no readers nobody takes them, so they are kept as they come: to write their text would be in vain.
final class EventIntake: Sendable {
    fileprivate struct State {
        /// Of consecutive sequences.
        var batches = Fifo<[LikeEvent]>()
        var events = 0
        var size = 0
        /// Whether the loop wants to be woken by the next batch.
        var isAwaited = false
    }

    private let state = Locked(State())

    /// Takes a batch in; the oldest make room.
    ///
    /// - Returns: whether the loop has to be woken.
    func put(_ batch: [LikeEvent]) -> Bool {
        let size = batch.reduce(0) { $0 + $1.size }
        return state.withLock { state in
            state.batches.append(batch)
            state.events += batch.count
            state.size += size
            while state.batches.count > 1,
                state.events > StreamLimits.ringEvents || state.size > StreamLimits.ringBytes
            {
                state.dropFirst()
            }
            defer { state.isAwaited = false }
            return state.isAwaited
        }
    }

    /// Has the loop woken by the next batch, if there is nothing to take now.
    ///
    /// - Returns: whether there is.
    func hasEventsOrWakes() -> Bool {
        state.withLock { state in
            state.isAwaited = state.events == 0
            return !state.isAwaited
        }
    }

    /// Takes everything.
    func take() -> [LikeEvent] {
        let batches = state.withLock { state in
            defer { state = State() }
            return state.batches
        }
        return batches.count == 1 ? batches[0] : Array(batches.joined())
    }
}

extension EventIntake.State {
    fileprivate mutating func dropFirst() {
        guard let batch = batches.popFirst() else { return }
        events -= batch.count
        size -= batch.reduce(0) { $0 + $1.size }
    }
}

extension LikeEvent {
    /// Bytes that it takes, about.
    fileprivate var size: Int {
        switch change {
        case .newsAdded(let change), .newsUpdated(let change): 512 + change.news.size
        default: MemoryLayout<LikeEvent>.stride
        }
    }
}

extension News {
    fileprivate var size: Int {
        title.utf8.count + (url?.utf8.count ?? 0)
            + properties.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + MemoryLayout<Property>.stride }
    }
}
