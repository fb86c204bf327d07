internal import LikesCore
internal import Threading

/// Which news became which, when, and until when they were that.
///
/// A reader that stays follows a news into the one that it becomes, and further. One that comes back names the news that it began
/// with; what that was at the time of its place stands here, even when that is gone by now, or is another one again.
final class MergeHistory: Sendable {
    /// What happened to a news.
    fileprivate struct Step {
        let sequence: UInt64
        /// What it becomes from then on; nil when it is gone.
        let target: NewsID?
    }

    fileprivate struct State {
        /// Of each id, in the order of their sequences: an id can be free again, and merged again.
        var steps: [NewsID: [Step]] = [:]
        /// How many of the merges lead to a news. The ends of others concern nobody.
        var leading: [NewsID: Int] = [:]
        /// The ids of all steps, in their order.
        var ids = Fifo<NewsID>()
    }

    private let limit: Int
    private let state = Locked(State())

    /// - Parameter limit: merges and ends that are remembered.
    init(limit: Int = StreamLimits.merges) { self.limit = limit }

    /// Takes in what has happened next; on the mediator's thread.
    func put(_ events: [LikeEvent]) {
        guard events.contains(where: \.endsNews) else { return }
        state.withLock { state in
            for event in events {
                state.put(event)
                if state.ids.count > limit { state.forgetOldest() }
            }
        }
    }

    /// Everything that a reader follows which has followed these news from the beginning, once it has had an event: they
    /// themselves, and what they are by then, in no order.
    func followed(from ids: [NewsID], through sequence: UInt64) -> [NewsID] {
        state.withLock { state in
            var followed = Set(ids)
            var seen: Set<UInt64> = []
            var merges = ids.flatMap { id in state.steps[id, default: []].filter { $0.sequence <= sequence } }
            while let merge = merges.popLast() {
                guard let target = merge.target, seen.insert(merge.sequence).inserted else { continue }
                let life = state.steps(of: target, after: merge.sequence, through: sequence)
                merges += life
                // What comes after its end under this id is another news.
                if life.last.map({ $0.target != nil }) ?? true { followed.insert(target) }
            }
            return Array(followed)
        }
    }
}

extension MergeHistory.State {
    fileprivate mutating func put(_ event: LikeEvent) {
        switch event.change {
        case .newsMergeStarted(let old, let target):
            add(old, MergeHistory.Step(sequence: event.sequence, target: target))
            leading[target, default: 0] += 1
        case .newsMerged(let id, _), .newsRemoved(let id):
            guard leading[id] != nil else { return }
            add(id, MergeHistory.Step(sequence: event.sequence, target: nil))
        default: break
        }
    }

    private mutating func add(_ id: NewsID, _ step: MergeHistory.Step) {
        steps[id, default: []].append(step)
        ids.append(id)
    }

    /// What happened to a news after an event, up to its end.
    fileprivate func steps(of id: NewsID, after first: UInt64, through last: UInt64) -> [MergeHistory.Step] {
        var life: [MergeHistory.Step] = []
        for step in steps[id, default: []] where first < step.sequence && step.sequence <= last {
            life.append(step)
            if step.target == nil { break }
        }
        return life
    }

    fileprivate mutating func forgetOldest() {
        guard let id = ids.popFirst() else { return }
        if let target = steps[id]?.removeFirst().target {
            let left = (leading[target] ?? 1) - 1
            leading[target] = left == 0 ? nil : left
        }
        if steps[id]?.isEmpty ?? false { steps[id] = nil }
    }
}
