internal import Threading

/// What lies between the producer of a body, which may block, and the worker, which may not.
///
/// Two halves: the producer fills one while the worker sends the other, and they are exchanged when the worker's is
/// empty. So the two threads meet, and wake each other, once per half instead of once per write.
final class BodyPipe: Sendable {
    /// How a body ends.
    enum Ending { case finished, failed }

    /// What the worker finds.
    enum Supply { case bytes, nothingYet, end(Ending) }

    private struct State {
        /// The half that the producer fills.
        var filling: [UInt8] = []
        /// Bytes of the half that the worker sends.
        var sending = 0
        var ending: Ending?
        /// Whether nobody reads any more.
        var isCancelled = false
        /// The worker's connection, while it is suspended for want of bytes.
        var reader: Resumption?

        var isOver: Bool { isCancelled || ending != nil }

        mutating func takeReader() -> Resumption? {
            defer { reader = nil }
            return reader
        }
    }

    private let half: Int
    private let state = Monitor(State())

    init(limit: Int) { half = max(limit / 2, 1) }

    var waitingBytes: Int { state.withLock { $0.filling.count + $0.sending } }

    // MARK: called by the producer

    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while true {
            let (isOpen, reader) = state.wait(until: { $0.isOver || $0.filling.count < half }) { state in
                guard !state.isOver else { return (false, Resumption?.none) }
                let piece = rest.prefix(half - state.filling.count)
                rest = rest[piece.endIndex...]
                fill(&state.filling, piece)
                return (true, piece.isEmpty ? nil : state.takeReader())
            }
            reader?.resume()
            if !isOpen || rest.isEmpty { return isOpen }
        }
    }

    /// Appends. The array's own growth would go beyond the half.
    private func fill(_ bytes: inout [UInt8], _ piece: ArraySlice<UInt8>) {
        let needed = bytes.count + piece.count
        if needed > bytes.capacity { bytes.reserveCapacity(min(max(needed, 2 * bytes.capacity), half)) }
        bytes += piece
    }

    /// Ends the body, unless it has ended.
    func end(_ ending: Ending) {
        let reader = state.withLock { state in
            guard !state.isOver else { return Resumption?.none }
            state.ending = ending
            return state.takeReader()
        }
        reader?.resume()
    }

    // MARK: called by the worker

    /// Gives the half that has been filled for the one that has been sent.
    ///
    /// - Parameter bytes: empty, and filled afterwards if there was something.
    /// - Parameter reader: is resumed when the answer is `nothingYet` and that changes.
    func exchange(_ bytes: inout [UInt8], reader: Resumption) -> Supply {
        let supply = state.withLock { state in
            swap(&bytes, &state.filling)
            state.sending = bytes.count
            guard bytes.isEmpty else { return Supply.bytes }
            if let ending = state.ending { return .end(ending) }
            state.reader = reader
            return .nothingYet
        }
        if case .bytes = supply { state.signal() }
        return supply
    }

    /// Lets the producer know that nobody reads.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.filling = []
            state.sending = 0
            state.reader = nil
        }
        state.broadcast()
    }
}
