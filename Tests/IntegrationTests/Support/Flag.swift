import Synchronization

/// A sign from one task or thread to others, raised once.
final class Flag: Sendable {
    private let raised = Atomic(false)

    /// Whether it is up.
    var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Puts it up.
    func raise() { raised.store(true, ordering: .releasing) }
}
