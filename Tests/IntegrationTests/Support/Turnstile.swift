import Synchronization

/// Lets a few tests at a time start servers: all at once would only take the processor from one another.
final class Turnstile: Sendable {
    /// The one that all tests go through.
    static let shared = Turnstile(places: 3)

    private struct State {
        var places: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(places: Int) { state = Mutex(State(places: places)) }

    /// Waits for a place, first come, first served.
    func enter() async {
        await withCheckedContinuation { continuation in
            let free = state.withLock { state in
                if state.places > 0 {
                    state.places -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if free { continuation.resume() }
        }
    }

    /// Hands the place on.
    func leave() {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.places += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
