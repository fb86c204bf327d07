/// A part of the service that is brought up and down, with the parts that stand on it.
///
/// Starting goes from a part to its children, in order; stopping goes the other way round. A parent owns its
/// children; a child knows its parent weakly, so that neither keeps the other alive.
package final class Coordinator {
    /// What the part is called in messages.
    package let name: String
    /// The part that this one belongs to.
    package private(set) weak var parent: Coordinator?
    /// The parts that stand on this one, in the order in which they start.
    package private(set) var children: [Coordinator] = []
    private var isRunning = false
    private let onStart: () throws -> Void
    private let onStop: () -> Void

    /// A part that does something of its own when it starts and when it stops.
    package init(_ name: String, onStart: @escaping () throws -> Void = {}, onStop: @escaping () -> Void = {}) {
        self.name = name
        self.onStart = onStart
        self.onStop = onStop
    }

    /// Makes `child` a part of this one; it starts after the children before it.
    @discardableResult
    package func add(_ child: Coordinator) -> Coordinator {
        precondition(child.parent == nil, "\(child.name) has a parent already")
        child.parent = self
        children.append(child)
        return child
    }

    /// Starts this part, then its children in order. Starting twice changes nothing.
    ///
    /// - Throws: what the part that failed threw; everything that had started is stopped again.
    package func start() throws {
        guard !isRunning else { return }
        try onStart()
        isRunning = true
        do {
            for child in children { try child.start() }
        } catch {
            stop()
            throw error
        }
    }

    /// Stops the children in reverse order, then this part. What is not running stays as it is.
    package func stop() {
        guard isRunning else { return }
        for child in children.reversed() { child.stop() }
        isRunning = false
        onStop()
    }
}
