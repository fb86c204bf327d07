internal import Synchronization

/// The memory that all bodies being received take together.
final class BodyBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Takes `bytes` out of the budget, or nothing if they are not there.
    func claim(_ bytes: Int) -> Bool {
        if used.add(bytes, ordering: .relaxed).newValue <= limit { return true }
        used.subtract(bytes, ordering: .relaxed)
        return false
    }

    /// Gives claimed bytes back.
    func release(_ bytes: Int) {
        if bytes > 0 { used.subtract(bytes, ordering: .relaxed) }
    }
}
