internal import CMicroHTTPD
internal import Glibc

// The streams of an exchange. Either may be parked: suspended until its other end, on another thread, goes on.

/// A body on its way to the client, as the worker sees it.
struct OutgoingBody {
    let pipe = BodyPipe(limit: HTTPLimits.streamBufferBytes)
    /// The half being sent, and how much of it the library has taken.
    private var bytes: [UInt8] = []
    private var taken = 0
    /// Whether the last byte was handed over, and it is the last one of the whole body.
    private(set) var isFinished = false

    /// Fills `room` bytes at `buffer`, or as many as there are.
    ///
    /// - Returns: how many; 0 if the reader has to wait, or what the library takes for an end.
    mutating func read(into buffer: UnsafeMutableRawPointer, room: Int, reader: Resumption) -> Int {
        if taken == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            taken = 0
            switch pipe.exchange(&bytes, reader: reader) {
            case .bytes: break
            case .nothingYet: return 0
            case .end(let ending):
                isFinished = ending == .finished
                return isFinished ? endOfStream : endWithError
            }
        }
        let count = min(room, bytes.count - taken)
        // Safety: `buffer` has `room` bytes, and `bytes` has `count` behind `taken`.
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe buffer.copyMemory(from: start + taken, byteCount: count)
        }
        taken += count
        return count
    }
}

/// MHD_CONTENT_READER_END_OF_STREAM and _END_WITH_ERROR, macros that are not imported.
private let endOfStream = -1
private let endWithError = -2

extension Exchange {
    /// Hands a piece of the body to the program.
    func feed(_ bytes: UnsafeRawBufferPointer, to consumer: any BodyConsumer) -> MHD_Result {
        if worker.isAbandoning {
            dropConsumer()
            return answerAndClose(refusal(.shuttingDown))
        }
        // The client has moved on: a long body is not a late one.
        link.owingSince = worker.now
        switch unsafe consumer.consume([UInt8](bytes)) {
        case .more: return .YES
        case .answer(let response): return refuse(response)
        case .wait(let publish):
            let resumption = nextResumption
            park()
            link.owingSince = nil
            publish(resumption)
            return .YES
        }
    }

    /// The library wants more of the body that is being sent.
    func read(into buffer: UnsafeMutableRawPointer, room: Int) -> Int {
        guard !worker.isAbandoning else { return endWithError }
        guard let count = unsafe outgoing?.read(into: buffer, room: room, reader: nextResumption) else {
            return endWithError
        }
        if count == 0 { park() }
        return count
    }

    /// What lets the exchange go on when it is parked next.
    private var nextResumption: Resumption { Resumption(exchange: self, number: parkings + 1) }

    private func park() {
        parkings += 1
        isParked = true
        unsafe MHD_suspend_connection(connection)
        worker.suspended(self)
    }

    /// Lets the library go on with a stream.
    func unpark() {
        isParked = false
        if case .streaming = phase { link.owingSince = worker.now }
        unsafe MHD_resume_connection(connection)
    }

    /// Tells the consumer that the rest of its body will not come.
    func dropConsumer() {
        guard case .streaming(let consumer) = phase else { return }
        phase = .answered
        consumer.cancel()
    }

    /// Lets the producer go, if its body is not out.
    func dropOutgoing() {
        guard let body = outgoing else { return }
        outgoing = nil
        body.pipe.cancel()
        guard !body.isFinished, !isHTTP11 else { return }
        // To HTTP/1.0 the end of the connection is that of the body. Only a reset says that this one was not whole.
        var reset = linger(l_onoff: 1, l_linger: 0)
        let descriptor = unsafe mhd_shim_connection_descriptor(connection)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
    }
}
