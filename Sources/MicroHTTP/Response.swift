/// A header field of a response.
package struct Header: Sendable {
    /// The field's name, known when the program is written. `Content-Length` and `Date` are added by the server.
    package let name: StaticString
    /// The field's value. One with a line break is left out of the response.
    package let value: String

    /// A field in the order it is written.
    package init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A complete answer to a request.
package struct Response: Sendable {
    /// The status code, 200...599. With another one the connection is closed without an answer.
    package var status: Int
    /// The header fields, sent in this order after the server's own.
    package var headers: [Header]
    /// The body. It is not sent in answer to HEAD, nor with 204 and 304.
    ///
    /// To HEAD and with 304 its length is told all the same: give the body that GET and 200 would have.
    package var body: Body

    /// An answer; without anything else, one with an empty body.
    package init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = .bytes(body)
    }

    /// An answer whose body is written while it is sent.
    package init(status: Int, headers: [Header] = [], stream: @escaping @Sendable (BodyStream) -> Void) {
        self.status = status
        self.headers = headers
        self.body = .stream(stream)
    }

    /// An answer whose body the program sends by itself, on the connection.
    package static func handingOver(
        status: Int, headers: [Header] = [], to taker: @escaping @Sendable (TakenSocket) -> Void
    ) -> Response {
        var response = Response(status: status, headers: headers)
        response.body = .socket(taker)
        return response
    }

    /// The body of an answer.
    package enum Body: Sendable {
        /// All of it.
        case bytes([UInt8])
        /// One of unknown length, sent in chunks; to HTTP/1.0, until the connection closes. HEAD closes it too.
        ///
        /// The function starts the producer. It is called on the worker's thread, at most once, when the answer is on its
        /// way, and must not block: it hands the stream to a thread. It is not called when there is no one to read: for
        /// HEAD, with 204 and 304, or when the answer came too late. So keep what has to be given back, such as a place
        /// among the exports that may run at once, in an object that the function captures and that does it in `deinit`.
        case stream(@Sendable (BodyStream) -> Void)
        /// One that the program sends, and that ends with the connection.
        ///
        /// The function gets the connection, and the head of the answer to send before. It is called on the worker's
        /// thread, at most once, and must not block. As with a stream, it is not called when there is no one to read.
        case socket(@Sendable (TakenSocket) -> Void)
    }

    /// Whether the status allows a body.
    var mayHaveBody: Bool { status != 204 && status != 304 }
}
