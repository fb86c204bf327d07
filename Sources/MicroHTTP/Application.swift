/// What the server asks of the program behind it: a few functions, called on the workers' threads.
///
/// None may block: a worker serves all its connections from one thread. What takes long is answered with `Reply.later`.
package struct Application: Sendable {
    /// Decides on the headers, before the body is received; `body` is empty then.
    package let admit: @Sendable (borrowing Request) -> Admission
    /// Answers an admitted request whose body has arrived in full.
    package let respond: @Sendable (borrowing Request) -> Reply
    /// Makes the answer to a request that the server itself turns away.
    package let refuse: @Sendable (Refusal) -> Response
    /// Adds to every answer, from wherever it comes, what depends on the request alone; nil for nothing.
    ///
    /// Called once for each answer, right before it leaves; one that then finds no room behind the head of the request is
    /// given up, and another one takes its place. The request's body may be gone by then; of a request that breaks the
    /// rules of HTTP, the target is as it came.
    package let amend: (@Sendable (inout Response, borrowing Request) -> Void)?
    /// Hears of every request whose head was read, once: right before its answer leaves, or when the client is gone before there
    /// is one; nil when nobody wants to hear. The function gives the request as `amend` sees it, and is good during the call.
    package let observe: (@Sendable (Observation, _ request: () -> Request) -> Void)?

    /// A program of these functions.
    package init(
        admit: @escaping @Sendable (borrowing Request) -> Admission,
        respond: @escaping @Sendable (borrowing Request) -> Reply,
        refuse: @escaping @Sendable (Refusal) -> Response,
        amend: (@Sendable (inout Response, borrowing Request) -> Void)? = nil,
        observe: (@Sendable (Observation, _ request: () -> Request) -> Void)? = nil
    ) {
        self.admit = admit
        self.respond = respond
        self.refuse = refuse
        self.amend = amend
        self.observe = observe
    }
}

/// What the program says to the headers of a request.
package enum Admission: Sendable {
    /// Receive a body of up to so many bytes, then call `respond`. A longer one is `Refusal.bodyTooLarge`.
    case accept(maximumBody: Int)
    /// Hand the body to this as it comes, of any length, instead of gathering it; `respond` is not called.
    case stream(any BodyConsumer)
    /// Answer this; `respond` is not called.
    case refuse(Response)
}

/// How the program answers a request.
package enum Reply: Sendable {
    /// The answer is here.
    case now(Response)
    /// The answer comes through the responder. The request is already suspended when the function is called.
    case later(@Sendable (Responder) -> Void)
}

/// Why the server itself turns a request away.
package enum Refusal: Sendable, Equatable {
    /// The request asks for something of HTTP that the server does not do; the reason is safe to show.
    case notImplemented(String)
    /// The request breaks the rules of HTTP; the reason is safe to show.
    case badRequest(String)
    /// The body is longer than the admitted number of bytes.
    case bodyTooLarge(limit: Int)
    /// The request target is longer than `HTTPLimits.target`.
    case uriTooLong
    /// The request head is larger than `HTTPLimits.headMemory`.
    case headTooLarge
    /// `Expect` asks for something other than `100-continue`.
    case expectationFailed
    /// The bodies being received take all the memory they may.
    case tooBusy
    /// The server stops, and the answer did not come before the deadline.
    case shuttingDown
}
