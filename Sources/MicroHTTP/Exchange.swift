internal import CMicroHTTPD
internal import Glibc
internal import Threading

/// One request and its answer, from the request line to the last byte sent.
///
/// Everything happens on the worker's thread, in the order of libmicrohttpd's calls: `begin` with the headers, `receive`
/// with each piece of the body, `finish` at its end and again when a suspended request was resumed, `end`. An answer is
/// never queued in `begin`, since the library closes the connection after it.
@safe final class Exchange: @unchecked Sendable {
    // Safety: other threads touch only `fate`, `render` and `worker`, `fate` under the lock of the worker's outbox and
    // `render` before the exchange goes through that lock to the worker. `connection` is valid until `end`.

    /// How far a request has come.
    enum Phase {
        case new
        /// The body is gathered for the program.
        case receiving
        /// The body goes to the program as it comes.
        case streaming(any BodyConsumer)
        /// The body is thrown away, then this is answered.
        case discarding(Response)
        /// The library leaves the connection alone until the answer is there.
        case suspended
        /// The answer is `render`'s.
        case resumed
        case answered
    }

    /// Who answers a suspended request. Under the lock of the worker's outbox.
    enum Fate { case waiting, completed, abandoned }

    let worker: Worker
    let link: Connection
    let connection: OpaquePointer
    var phase = Phase.new
    var fate = Fate.waiting
    var render: (@Sendable () -> Response)?
    /// The place in the worker's list of suspended exchanges.
    var slot = -1

    /// The target as it came, until `begin` brings it to origin form.
    private(set) var target: [UInt8]
    /// The authority of a target in absolute form.
    private var authority: String?
    /// Where the target stood in the library's buffer.
    private let targetStart: UnsafePointer<CChar>
    private(set) var method = Method.get
    private(set) var isHTTP11 = true
    private(set) var head: RequestHead

    var body: [UInt8] = []
    /// Bytes of the body seen, whether kept or not.
    var received = 0
    /// Bytes of the body seen after it was refused.
    var discarded = 0
    /// Bytes claimed from the budget for `body`.
    var claimed = 0
    private(set) var maximumBody = 0
    /// The body being sent, if it is a stream.
    var outgoing: OutgoingBody?
    /// When the head was read, in monotonic microseconds; nil once the request was observed.
    private var unobservedSince: Int64?
    /// What the program has noted of the request.
    var mark: Int?
    /// Whether the exchange is suspended in the middle of a stream, and how often it has been.
    var isParked = false
    var parkings = 0

    init(worker: Worker, link: Connection, connection: OpaquePointer, target: UnsafePointer<CChar>) {
        self.worker = worker
        self.link = link
        unsafe self.connection = unsafe connection
        unsafe targetStart = unsafe target
        unsafe self.target = [UInt8](UnsafeRawBufferPointer(start: target, count: strlen(target)))
        head = RequestHead()
    }

    /// Whether the headers have been seen.
    var isBegun: Bool { if case .new = phase { false } else { true } }

    /// Judges the headers.
    func begin(method name: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?) -> MHD_Result {
        phase = .receiving
        worker.activeExchanges += 1
        worker.calls += 1
        unobservedSince = MonotonicClock.microseconds()
        method = unsafe name.map { unsafe Method(name: $0) } ?? .get
        isHTTP11 = unsafe version.map { unsafe strcmp($0, "HTTP/1.0") != 0 } ?? true
        if let fault = unsafe fault(method: name, version: version) { return answerAndClose(refusal(fault)) }
        if head.isChunked { link.chunkSince = worker.now }
        // Behind a head of this size, the library may have no room for an answer of its own.
        let isLarge = head.memory > HTTPLimits.headMemory
        if target.count > HTTPLimits.target {
            return isLarge ? answerAndClose(refusal(.uriTooLong)) : refuse(refusal(.uriTooLong))
        }
        if isLarge { return answerAndClose(refusal(.headTooLarge)) }
        if head.expectsTheUnknown { return refuse(refusal(.expectationFailed)) }
        switch worker.application.admit(request) {
        case .refuse(let response): return refuse(response)
        case .accept(let maximum): return admit(maximum)
        case .stream(let consumer):
            phase = .streaming(consumer)
            return .YES
        }
    }

    private func admit(_ maximum: Int) -> MHD_Result {
        maximumBody = maximum
        if let length = head.contentLength, length > UInt64(max(maximum, 0)) {
            return refuse(refusal(.bodyTooLarge(limit: maximum)))
        }
        return .YES
    }

    /// The rule of HTTP that the request breaks; otherwise the target is in origin form afterwards.
    private func fault(method name: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?) -> Refusal? {
        guard let name = unsafe name, let version = unsafe version, unsafe isWholeLine(name, version) else {
            return .badRequest("the request line is not a method, a target and a version with one space between each")
        }
        if case .other(let name) = method {
            guard name.utf8.allSatisfy(isTokenByte) else { return .badRequest("the method is not a token") }
            // Its target is no path, so that nobody else could say this.
            if name == "CONNECT" { return .notImplemented("this server is no proxy") }
        }
        unsafe head.read(connection, start: name, version: version)
        if let fault = head.fault(isHTTP11: isHTTP11) { return fault }
        switch RequestTarget.parse(target, method: method) {
        case .failure(let fault): return .badRequest(fault.reason)
        case .success(let parsed): (target, authority) = (parsed.originForm, parsed.authority)
        }
        return nil
    }

    /// Whether the request line is what its three words say.
    ///
    /// The library makes a zero of the space behind a word, and skips further ones. It takes a zero that was there before
    /// for the end of the word. Whatever it so hides, from us too, lies between two words.
    private func isWholeLine(_ name: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>) -> Bool {
        unsafe targetStart - name == strlen(name) + 1 && version - targetStart == target.count + 1
    }

    /// The request as the program sees it now.
    var request: Request {
        unsafe Request(
            connection: connection, exchange: self, head: head, method: method, uri: target, authority: authority,
            body: body,
            isHTTP11: isHTTP11)
    }

    /// The program's answer to something that the server turns away.
    func refusal(_ reason: Refusal) -> Response { worker.application.refuse(reason) }

    /// Tells the program how the request went, if it has not heard of that yet.
    func observe(_ status: Int?) {
        guard let observe = worker.application.observe, let begun = unobservedSince else { return }
        unobservedSince = nil
        let observation = Observation(
            method: method, mark: mark, status: status, microseconds: MonotonicClock.microseconds() - begun,
            worker: worker.number)
        observe(observation) { request }
    }

    /// The request is over.
    func end() {
        // The library reads before it asks for the answer that a resumed request now has, and when the client has closed
        // its half of the connection meanwhile, it asks no more.
        if case .resumed = phase, let render { _ = answerAndClose(render()) }
        observe(nil)
        dropBody()
        dropOutgoing()
        dropConsumer()
        render = nil
        link.owingSince = worker.now
        link.chunkSince = nil
        if isBegun { worker.activeExchanges -= 1 }
    }
}
