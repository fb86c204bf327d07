internal import CMicroHTTPD
internal import Glibc

extension Exchange {
    /// Answers, now that the body is there, or that a suspended request was resumed.
    func finish() -> MHD_Result {
        link.owingSince = nil
        link.chunkSince = nil
        worker.calls += 1
        switch phase {
        case .receiving: return worker.isAbandoning ? queue(refusal(.shuttingDown)) : respond()
        case .streaming(let consumer): return finish(consumer)
        case .discarding(let response): return queue(response)
        case .resumed: return queue(render?() ?? refusal(.shuttingDown))
        case .new, .suspended, .answered: return .YES
        }
    }

    private func respond() -> MHD_Result {
        let reply = worker.application.respond(request)
        dropBody()
        return follow(reply)
    }

    /// Answers a request whose body went to a consumer.
    private func finish(_ consumer: any BodyConsumer) -> MHD_Result {
        guard worker.isAbandoning else { return follow(consumer.finish(request)) }
        dropConsumer()
        return queue(refusal(.shuttingDown))
    }

    private func follow(_ reply: Reply) -> MHD_Result {
        switch reply {
        case .now(let response): return queue(response)
        case .later(let publish):
            // The library's rule: suspended first, then known to others. An answer can so never come too early.
            phase = .suspended
            unsafe MHD_suspend_connection(connection)
            worker.suspended(self)
            publish(Responder(exchange: self))
            return .YES
        }
    }

    /// Lets the library go on: with a stream, or by calling `finish` again, with the answer there.
    func resume() {
        if isParked { return unpark() }
        phase = .resumed
        unsafe MHD_resume_connection(connection)
    }

    /// Whether the head of an answer has room behind that of the request, and some of the next one.
    private func hasRoom(for response: Response) -> Bool {
        let fields = response.headers.reduce(0) { $0 + $1.name.utf8CodeUnitCount + $1.value.utf8.count + 4 }
        return head.memory + fields + HTTPLimits.answerMemory <= HTTPLimits.connectionMemory
    }

    /// Hands an answer to the library.
    private func queue(_ plain: Response) -> MHD_Result {
        phase = .answered
        let response = amended(plain)
        if case .socket = response.body { return sendAndClose(response) }
        guard hasRoom(for: response) else { return sendWithoutRoom(response) }
        let showsBody = method != .head && response.mayHaveBody
        guard let handle = unsafe handle(response.body, showsBody) else { return .NO }
        defer { unsafe MHD_destroy_response(handle) }
        for header in response.headers { unsafe add(header.name, header.value, to: handle) }
        if worker.isStopping { unsafe add("Connection", "close", to: handle) }
        observe(response.status)
        let result = unsafe MHD_queue_response(connection, UInt32(clamping: response.status), handle)
        if case .stream(let start) = response.body, result == .YES, showsBody {
            let body = OutgoingBody()
            outgoing = body
            start(BodyStream(body.pipe))
        }
        return result
    }

    /// The answer with what the program adds to all of them.
    private func amended(_ response: Response) -> Response {
        guard let amend = worker.application.amend else { return response }
        var response = response
        amend(&response, request)
        return response
    }

    /// Answers past the library, which would close the connection without a word.
    private func sendWithoutRoom(_ amended: Response) -> MHD_Result {
        guard case .bytes = amended.body else {
            let isTargetLonger = target.count > head.memory / 2
            return answerAndClose(refusal(isTargetLonger ? .uriTooLong : .headTooLarge))
        }
        return sendAndClose(amended)
    }

    /// Gives the connection to the program, with the head of the answer; the library lets its own descriptor go.
    private func handOver(_ response: Response, _ take: @Sendable (TakenSocket) -> Void) -> MHD_Result {
        // There is a way to answer without a descriptor: by the library.
        guard let descriptor = duplicate() else { return queue(refusal(.tooBusy)) }
        observe(response.status)
        take(TakenSocket(descriptor: descriptor, head: LastAnswer.head(response)))
        return .NO
    }

    /// The connection's socket by another descriptor, that outlives the library's; nil when the system gives no more.
    private func duplicate() -> Int32? {
        let descriptor = unsafe fcntl(mhd_shim_connection_descriptor(connection), F_DUPFD_CLOEXEC, 0)
        return descriptor >= 0 ? descriptor : nil
    }

    /// The library's form of an answer with this body.
    private func handle(_ body: Response.Body, _ showsBody: Bool) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            // Safety: the library copies the bytes before it returns.
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream:
            // Chunks are read straight into the connection's memory; only without them is the block used.
            let block = isHTTP11 ? 1 : HTTPLimits.connectionMemory
            // Safety: the library reads for the last time before `endRequest`, which releases the exchange. The length
            // is MHD_SIZE_UNKNOWN, a macro that is not imported.
            let handle = unsafe MHD_create_response_from_callback(
                .max, block, readBody, Unmanaged.passUnretained(self).toOpaque(), nil)
            // Otherwise libmicrohttpd 0.9.75 sends a last chunk even where there is no body, which the client would take
            // for the beginning of the next answer. The connection is closed with this one.
            if let handle = unsafe handle, !showsBody { unsafe mhd_shim_without_chunks(handle) }
            return unsafe handle
        case .socket: preconditionFailure("a body that the program sends has no form in the library")
        }
    }

    private func add(_ name: StaticString, _ value: String, to response: OpaquePointer) {
        // Safety: a header's name is never a single scalar, so the literal has a terminated pointer form.
        let name = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        _ = unsafe value.withCString { unsafe MHD_add_response_header(response, name, $0) }
    }

    /// Answers at once, leaves the rest of the request unread, and has the connection closed.
    ///
    /// The library takes no answer in the middle of a body, and after an early one it closes a socket with unread bytes,
    /// which makes the kernel throw the answer away. So we write it ourselves, on a duplicate of the descriptor that is
    /// then read on for a moment, while the library lets its own go. Nothing else is on its way: a request is only
    /// looked at when the answer before it has left. An answer that is a stream cannot be given so: the connection is just
    /// closed.
    func answerAndClose(_ response: Response) -> MHD_Result {
        phase = .answered
        return sendAndClose(amended(response))
    }

    private func sendAndClose(_ amended: Response) -> MHD_Result {
        if case .socket(let take) = amended.body, method != .head { return handOver(amended, take) }
        guard let bytes = LastAnswer.bytes(amended, withBody: method != .head), let descriptor = duplicate() else {
            return .NO
        }
        observe(amended.status)
        worker.lingering.add(descriptor, bytes)
        return .NO
    }
}
