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

    /// What a read has found.
    enum Supply { case some(Int), nothingYet, end(BodyPipe.Ending) }

    /// Fills `room` bytes at `buffer`, or as many as there are.
    ///
    /// - Parameter reader: is resumed when the answer is `nothingYet` and that changes.
    mutating func read(into buffer: UnsafeMutableRawPointer, room: Int, reader: Resumption) -> Supply {
        if taken == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            taken = 0
            switch pipe.exchange(&bytes, reader: reader) {
            case .bytes: break
            case .nothingYet: return .nothingYet
            case .end(let ending):
                isFinished = ending == .finished
                return .end(ending)
            }
        }
        let count = min(room, bytes.count - taken)
        // Safety: `buffer` has `room` bytes, and `bytes` has `count` behind `taken`.
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe buffer.copyMemory(from: start + taken, byteCount: count)
        }
        taken += count
        return .some(count)
    }
}

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
            link.chunkSince = nil
            publish(resumption)
            return .YES
        }
    }

    /// The library wants more of the body that is being sent.
    func read(into buffer: UnsafeMutableRawPointer, room: Int) -> Int {
        worker.calls += 1
        guard !worker.isAbandoning,
            let supply = unsafe outgoing?.read(into: buffer, room: room, reader: nextResumption)
        else { return unsafe close(buffer) }
        switch supply {
        case .some(let count): return count
        case .nothingYet:
            park()
            return 0
        // MHD_CONTENT_READER_END_OF_STREAM, a macro that is not imported: the last chunk, and the connection is kept.
        case .end(.finished) where isHTTP11: return -1
        case .end: return unsafe close(buffer)
        }
    }

    /// Ends a body together with its connection.
    ///
    /// libmicrohttpd 0.9.75, told here of an end, closes a connection only when it has been silent for longer than all
    /// others. So we end it ourselves, and give the library a byte that can no longer be sent: that, it sees at once.
    private func close(_ buffer: UnsafeMutableRawPointer) -> Int {
        if isHTTP11 || outgoing?.isFinished == true {
            LingeringSockets.endWriting(unsafe mhd_shim_connection_descriptor(connection))
        } else {
            reset()
        }
        unsafe buffer.storeBytes(of: 0, as: UInt8.self)
        return 1
    }

    /// To HTTP/1.0, the end of the connection is that of the body. Only a reset says that it was not whole.
    private func reset() {
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let length = socklen_t(MemoryLayout<sockaddr>.size)
        _ = unsafe connect(mhd_shim_connection_descriptor(connection), &nowhere, length)
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
        if case .streaming = phase {
            link.owingSince = worker.now
            if head.isChunked { link.chunkSince = worker.now }
        }
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
        if !body.isFinished && !isHTTP11 { reset() }
    }
}
