/// Takes the body of a request piece by piece. Called on the worker's thread, where it must not block.
///
/// Once it has been handed out with `Admission.stream`, exactly one of these ends it: `finish`, `cancel`, or an answer of
/// its own out of `consume`.
package protocol BodyConsumer: Sendable {
    /// Takes the next piece, of at most `HTTPLimits.connectionMemory` bytes.
    func consume(_ piece: [UInt8]) -> Intake
    /// Answers, now that the body is complete. The request shows no body.
    func finish(_ request: borrowing Request) -> Reply
    /// The rest will not come: the client is gone, or the server stops.
    func cancel()
}

/// What a consumer says to a piece of a body.
package enum Intake: Sendable {
    /// The next one, please.
    case more
    /// Nothing more until the resumption: the client is held up by TCP, for as long as it takes.
    ///
    /// The function gets the resumption; the request is already suspended when it is called.
    case wait(@Sendable (Resumption) -> Void)
    /// No more at all, but this answer, a body of bytes: a small rest is read and thrown away, otherwise the
    /// connection is closed.
    case answer(Response)
}

/// The way to let a suspended stream go on, from any thread. Only the first call does something.
package struct Resumption: Sendable {
    let exchange: Exchange
    /// Which of the exchange's suspensions is meant.
    let number: Int

    /// Lets the stream go on, and wakes the worker.
    package func resume() {
        exchange.worker.resume(self)
        exchange.worker.wakeIfNeeded()
    }
}
