import Testing

/// A row of a table of hostile requests: bytes as they go over the wire, and what has to come back.
struct HostileRequest: Sendable {
    /// How the server has to deal with it.
    enum Outcome: Sendable {
        /// A problem+json of this status and code. Where the framing is in doubt the connection has to be closed.
        case refused(Int, String, closes: Bool)
        /// An answer of this status, after which the connection goes on.
        case answered(Int)
        /// An answer by libmicrohttpd itself, in its own words, after which it closes the connection.
        case refusedByLibrary(Int)
        /// Closed without an answer.
        case closed
    }

    /// What it is about, and the public report that it comes from, if there is one.
    let name: String
    let bytes: [UInt8]
    let outcome: Outcome

    init(_ name: String, _ outcome: Outcome, _ text: String) {
        self.init(name, outcome, bytes: Array(text.utf8))
    }

    init(_ name: String, _ outcome: Outcome, bytes: [UInt8]) {
        self.name = name
        self.outcome = outcome
        self.bytes = bytes
    }

    /// A request behind the hostile one: an answer to it would show that the server took the end of one for the other.
    private static let smuggled = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Sends it, expects its outcome, and that the server then answers a good request: on the same connection if that
    /// stays open, and on a new one.
    func check(port: UInt16) throws {
        let connection = try WireConnection(port: port)
        switch outcome {
        case .answered(let status):
            try connection.send(bytes)
            #expect(try connection.answer()?.status == status, "\(name)")
            try expectService(on: connection)
        case .refused(let status, let code, closes: false):
            try connection.send(bytes)
            let answer = try #require(try connection.answer(), "\(name)")
            expectProblem(answer, status, code, "\(name)")
            #expect(answer.headers["connection"] == nil, "\(name)")
            try expectService(on: connection)
        case .refused(let status, let code, closes: true):
            try connection.send(bytes + Array(HostileRequest.smuggled.utf8))
            let answer = try #require(try connection.answer(), "\(name)")
            expectProblem(answer, status, code, "\(name)")
            #expect(answer.headers["connection"] == "close", "\(name)")
            #expect(try connection.rest().isEmpty, "\(name)")
        case .refusedByLibrary(let status):
            try connection.send(bytes + Array(HostileRequest.smuggled.utf8))
            let rest = try connection.rest()
            #expect(rest.hasPrefix("HTTP/1.1 \(status) "), "\(name): \(rest)")
            #expect(rest.contains("\r\nConnection: close\r\n") && !rest.contains("HTTP/1.1 200"), "\(name): \(rest)")
        case .closed:
            try connection.send(bytes + Array(HostileRequest.smuggled.utf8))
            #expect(try connection.rest().isEmpty, "\(name)")
        }
        try expectService(on: WireConnection(port: port))
    }

    private func expectService(on connection: WireConnection) throws {
        try connection.send(HostileRequest.smuggled)
        let answer = try connection.answer()
        #expect(answer?.status == 200 && answer?.json["status"] == "ok", "after \(name)")
    }

    /// Checks all rows of a table with one server, which has the news `n` that `u` likes and has no others after it.
    static func check(_ table: [HostileRequest], _ flags: [String] = []) async throws {
        try await withServer(.memory, flags) { server in
            try await server.api.make("n")
            try await server.api.like("n", by: "u").succeeded()
            let port = server.port
            try await offPool { for row in table { try row.check(port: port) } }
            #expect(try await server.api.allNews() == ["n"])
            #expect(try await server.api.allLikers("n") == ["u"])
        }
    }
}
