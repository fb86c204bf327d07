/// The way to write a streamed body, from one thread that may block: the producer's end of a bounded pipe.
///
/// A producer that lets go of it without `finish` has failed: half a body never looks like a whole one.
package final class BodyStream: Sendable {
    private let pipe: BodyPipe

    init(_ pipe: BodyPipe) { self.pipe = pipe }

    deinit { pipe.end(.failed) }

    /// Hands bytes to the client; blocks while `HTTPLimits.streamBufferBytes` wait to be sent.
    ///
    /// - Returns: false when nobody reads any more, because the client is gone or the server stops. Then end.
    package func write(_ bytes: [UInt8]) -> Bool { pipe.write(bytes) }

    /// Ends the body; what was written is still sent. Nothing can be written afterwards.
    package func finish() { pipe.end(.finished) }

    /// Gives the body up: behind what was written, the connection is cut, so that the client notices.
    package func fail() { pipe.end(.failed) }

    /// Bytes that wait to be sent; never more than `HTTPLimits.streamBufferBytes`.
    package var waitingBytes: Int { pipe.waitingBytes }
}
