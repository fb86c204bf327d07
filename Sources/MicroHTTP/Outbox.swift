/// What other threads have for a worker. Lives in a lock of the worker.
struct Outbox {
    /// Exchanges whose answer is there.
    private(set) var completed: [Exchange] = []
    /// Streams that can go on.
    private(set) var resumptions: [Resumption] = []
    /// Whether the worker has been woken since it last looked.
    private var isWoken = false
    /// When the worker has to be gone, once it shall stop; monotonic milliseconds.
    private(set) var stopDeadline: Int64?
    /// Whether the worker is gone.
    private var isClosed = false

    /// Files an answer.
    mutating func complete(_ exchange: Exchange, _ render: @escaping @Sendable () -> Response) {
        switch exchange.fate {
        case .waiting:
            exchange.fate = .completed
            exchange.render = render
            completed.append(exchange)
        case .abandoned:
            // The server has answered for the program; a second answer after this one is an error again.
            exchange.fate = .completed
        case .completed: preconditionFailure("a request was answered twice")
        }
    }

    /// Files a stream that can go on. One that nobody would take is dropped: it would keep the worker alive, and that it.
    mutating func resume(_ stream: Resumption) {
        if !isClosed { resumptions.append(stream) }
    }

    /// Takes no more streams.
    mutating func close() {
        isClosed = true
        resumptions = []
    }

    /// Whether the worker needs to be woken now. The caller then does it.
    mutating func takeWake() -> Bool {
        guard !isWoken, !completed.isEmpty || !resumptions.isEmpty || stopDeadline != nil else { return false }
        isWoken = true
        return true
    }

    /// Moves everything into the two lists, which must be empty.
    mutating func take(answers: inout [Exchange], streams: inout [Resumption]) {
        swap(&completed, &answers)
        swap(&resumptions, &streams)
        isWoken = false
    }

    /// Takes the answers away from the program, except those that it has given.
    mutating func abandon(_ exchanges: [Exchange]) -> [Exchange] {
        let waiting = exchanges.filter { $0.fate == .waiting }
        for exchange in waiting { exchange.fate = .abandoned }
        return waiting
    }

    /// Makes the worker stop. The first deadline counts.
    mutating func stop(deadline: Int64) { stopDeadline = stopDeadline ?? deadline }
}
