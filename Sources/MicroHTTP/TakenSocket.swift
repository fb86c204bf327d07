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

    /// Has the connection end with a reset, and the kernel forget what it could not send: it would keep that for a client
    /// which takes nothing until it gives up. What the client has received already, it can still read.
    package func abort() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        // Safety: the value is read before the call returns. It says what the closing shall do.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
}
