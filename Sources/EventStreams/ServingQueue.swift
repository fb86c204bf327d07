/// The readers that can be sent something, each once.
///
/// Those that had everything before go first: what is new for one shall not wait for what another one has to catch up with.
struct ServingQueue {
    private var fresh = Fifo<StreamReader>()
    private var behind = Fifo<StreamReader>()

    var hasFresh: Bool { !fresh.isEmpty }

    var isEmpty: Bool { fresh.isEmpty && behind.isEmpty }

    /// Queues a reader that had everything before, or has just come.
    mutating func addFresh(_ reader: StreamReader) { Self.add(reader, to: &fresh) }

    /// Queues a reader that is behind.
    mutating func addBehind(_ reader: StreamReader) { Self.add(reader, to: &behind) }

    private static func add(_ reader: StreamReader, to queue: inout Fifo<StreamReader>) {
        guard !reader.isQueued else { return }
        reader.isQueued = true
        queue.append(reader)
    }

    /// Takes the next one; nil when there is none.
    mutating func next() -> (reader: StreamReader, isFresh: Bool)? {
        let first = fresh.popFirst()
        guard let reader = first ?? behind.popFirst() else { return nil }
        reader.isQueued = false
        return (reader, first != nil)
    }
}
