internal import LikesCore
internal import Threading

/// Which news were merged into which, and when.
///
/// A reader that stays follows a news into the one that it becomes, and further. One that comes back names the news that it began
/// with; what that had become by the time of its place stands here, even when that is gone by now, or is another one again.
final class MergeHistory: Sendable {
    fileprivate struct Merge {
        let sequence: UInt64
        let target: NewsID
    }

    fileprivate struct State {
        /// Of each id, in the order of their sequences: an id can be free again, and merged again.
        var merges: [NewsID: [Merge]] = [:]
        /// The merged ids in the order of all merges.
        var olds: [NewsID] = []
        /// Those at the beginning that are forgotten.
        var forgotten = 0
    }

    private let limit: Int
    private let state = Locked(State())

    /// - Parameter limit: merges that are remembered.
    init(limit: Int = StreamLimits.merges) { self.limit = limit }

    /// Takes in what has happened next; on the mediator's thread.
    func put(_ events: [LikeEvent]) {
        guard events.contains(where: { $0.begunMerge != nil }) else { return }
        state.withLock { state in
            for event in events {
                guard let (old, target) = event.begunMerge else { continue }
                state.add(old, Merge(sequence: event.sequence, target: target))
                if state.olds.count - state.forgotten > limit { state.forgetOldest() }
            }
        }
    }

    /// Everything that a reader follows which has followed these news from the beginning, once it has had an event: they
    /// themselves, and what they had become, in no order.
    func followed(from ids: [NewsID], through sequence: UInt64) -> [NewsID] {
        state.withLock { state in
            guard !state.merges.isEmpty else { return ids }
            // After which event each is followed.
            var starts: [NewsID: UInt64] = [:]
            var found = ids.map { (id: $0, start: UInt64(0)) }
            while let (id, start) = found.popLast() {
                // One that is found again, by a way that led there earlier, has only the merges between to be looked at.
                let end = starts[id] ?? sequence
                guard starts[id].map({ start < $0 }) ?? true else { continue }
                starts[id] = start
                for merge in state.merges[id] ?? [] where start < merge.sequence && merge.sequence <= end {
                    found.append((merge.target, merge.sequence))
                }
            }
            return Array(starts.keys)
        }
    }
}

extension MergeHistory.State {
    fileprivate mutating func add(_ old: NewsID, _ merge: MergeHistory.Merge) {
        merges[old, default: []].append(merge)
        olds.append(old)
    }

    fileprivate mutating func forgetOldest() {
        let old = olds[forgotten]
        merges[old]?.removeFirst()
        if merges[old]?.isEmpty ?? false { merges[old] = nil }
        forgotten += 1
        // Now and then only: moving the rest each time would cost more than what is left lying.
        guard forgotten > olds.count / 2 else { return }
        olds.removeFirst(forgotten)
        forgotten = 0
    }
}
