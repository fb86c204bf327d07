/// The readers that can be sent something, each once.
///
/// Those that had everything before go first: what is new for one shall not wait for what another one has to catch up with.
struct ServingQueue {
    private var fresh: [StreamReader] = []
    private var behind: [StreamReader] = []
    // How many of each have had their turn.
    private var freshServed = 0
    private var behindServed = 0

    var hasFresh: Bool { freshServed < fresh.count }

    var isEmpty: Bool { !hasFresh && behindServed == behind.count }

    /// Queues a reader that had everything before, or has just come.
    mutating func addFresh(_ reader: StreamReader) {
        guard !reader.isQueued else { return }
        reader.isQueued = true
        fresh.append(reader)
    }

    /// Queues a reader that is behind.
    mutating func addBehind(_ reader: StreamReader) {
        guard !reader.isQueued else { return }
        reader.isQueued = true
        behind.append(reader)
    }

    /// Takes the next one; nil when there is none.
    mutating func next() -> (reader: StreamReader, isFresh: Bool)? {
        if let reader = Self.next(of: &fresh, &freshServed) { return (reader, true) }
        return Self.next(of: &behind, &behindServed).map { ($0, false) }
    }

    private static func next(of list: inout [StreamReader], _ served: inout Int) -> StreamReader? {
        guard served < list.count else { return nil }
        let reader = list[served]
        reader.isQueued = false
        served += 1
        // Those that had their turn go now and then, so that each moves the others seldom.
        if served == list.count || served > 1024 {
            list.removeFirst(served)
            served = 0
        }
        return reader
    }
}
