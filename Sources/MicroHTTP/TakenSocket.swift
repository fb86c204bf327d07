internal import Glibc

/// A connection that the program has taken over to send on it by itself, in place of a body.
///
/// libmicrohttpd has let it go: it takes no request any more, and costs nothing of the server's.
package final class TakenSocket: Sendable {
    /// The socket; it does not block. Closed when nobody holds the object.
    package let descriptor: Int32
    /// The head of the answer, which is the first that has to be sent. The body ends with the connection.
    package let head: [UInt8]

    init(descriptor: Int32, head: [UInt8]) {
        self.descriptor = descriptor
        self.head = head
    }

    deinit { close(descriptor) }

    /// Says that nothing more comes; what was sent still arrives.
    package func finish() { LingeringSockets.endWriting(descriptor) }
}
