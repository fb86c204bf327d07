import Testing

/// Where a body ends (RFC 9112, 6 and 7): whoever reads that differently from a proxy lets requests be smuggled in.
@Suite struct FramingTests {
    private typealias Row = HostileRequest

    private static let news = #"{"title":"A title"}"#

    /// A request that would make a news, if it were understood.
    private static func put(_ fields: String, _ body: String = news, version: String = "HTTP/1.1") -> String {
        "PUT /v1/news/x \(version)\r\nHost: localhost\r\nContent-Type: application/json\r\n\(fields)\r\n\r\n\(body)"
    }

    /// The same with a body in chunks.
    private static func chunked(_ body: String) -> String { put("Transfer-Encoding: chunked", body) }

    private static let doubt = Row.Outcome.refused(400, "invalid_request", closes: true)

    private static let lengths = [
        Row("two lengths that differ", doubt, put("Content-Length: 19\r\nContent-Length: 3")),
        Row("two lengths that are equal", doubt, put("Content-Length: 19\r\nContent-Length: 19")),
        Row("a length of letters", .refusedByLibrary(400), put("Content-Length: abc")),
        Row("a length below zero", .refusedByLibrary(400), put("Content-Length: -1")),
        Row("a length with a sign", .refusedByLibrary(400), put("Content-Length: +19")),
        Row("a length and a space", .refusedByLibrary(400), put("Content-Length: 19 ")),
        Row("a list of lengths", .refusedByLibrary(400), put("Content-Length: 19, 19")),
        Row("an empty length", .refusedByLibrary(400), put("Content-Length:")),
        Row("a length in hexadecimal", .refusedByLibrary(400), put("Content-Length: 0x13")),
        Row("a length with a fraction", .refusedByLibrary(400), put("Content-Length: 19.0")),
        Row("a length beyond 64 bits", .refusedByLibrary(413), put("Content-Length: 99999999999999999999999")),
        Row(
            "the largest length of 64 bits", .refused(413, "body_too_large", closes: true),
            put("Content-Length: 18446744073709551615")),
        Row("a length with zeros before it", .answered(404), likeUnknown("Content-Length: 000000000000000000000000")),
        Row("a space before the colon of a length", .refusedByLibrary(400), put("Content-Length : 19")),
        Row("a tab before the colon of a length", .refusedByLibrary(400), put("Content-Length\t: 19")),
        Row("a length on two lines", doubt, put("Content-Length: 1\r\n 9")),
        Row("a length that goes on behind a zero byte", doubt, put("Content-Length: 19\u{0}0")),
        Row("a field that hides a length behind a zero byte", doubt, put("X: a\u{0}\r\nContent-Length: 19")),
        Row("a field that hides a length behind a lone CR", doubt, put("X: a\rContent-Length: 19")),
    ]

    /// A request that nothing comes of, since there is no such news.
    private static func likeUnknown(_ fields: String, _ body: String = "") -> String {
        "PUT /v1/news/unknown/likes/u HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)"
    }

    @Test func `The length of a body is one number, or the request is refused`() async throws {
        try await Row.check(FramingTests.lengths)
    }

    private static let codings = [
        // Of both kinds of report: requests that two programs cut in different places.
        Row(
            "webrick#145: a length and chunks", doubt,
            put("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        Row(
            "openlitespeed#392: chunks and a length", doubt,
            put("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n")),
        Row(
            "a length and a coding that is none", doubt,
            put("Content-Length: 19\r\nTransfer-Encoding: xchunked")),
        Row("chunks over HTTP/1.0", doubt, put("Transfer-Encoding: chunked", "0\r\n\r\n", version: "HTTP/1.0")),
        Row(
            "gzip, then chunked", .refused(501, "not_implemented", closes: true),
            put("Transfer-Encoding: gzip, chunked")),
        Row(
            "gzip, then chunked, in two fields", .refused(501, "not_implemented", closes: true),
            put("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked")),
        Row(
            "chunked and a space", .refused(501, "not_implemented", closes: true),
            put("Transfer-Encoding: chunked ", "0\r\n\r\n")),
        Row("chunked, then gzip", doubt, put("Transfer-Encoding: chunked, gzip", "0\r\n\r\n")),
        Row("chunked twice", doubt, put("Transfer-Encoding: chunked, chunked", "0\r\n\r\n")),
        Row(
            "chunked twice, in two fields", doubt,
            put("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n")),
        Row("identity", doubt, put("Transfer-Encoding: identity")),
        Row("gzip alone", doubt, put("Transfer-Encoding: gzip")),
        Row("no coding", doubt, put("Transfer-Encoding:")),
        Row("a word like chunked", doubt, put("Transfer-Encoding: xchunked", "0\r\n\r\n")),
        Row("chunked with a parameter", doubt, put("Transfer-Encoding: chunked;a=b", "0\r\n\r\n")),
        Row("chunked in quotes", doubt, put("Transfer-Encoding: \"chunked\"", "0\r\n\r\n")),
        Row("chunked on the next line", doubt, put("Transfer-Encoding:\r\n chunked", "0\r\n\r\n")),
        Row("chunked with a vertical tab", doubt, put("Transfer-Encoding: \u{B}chunked", "0\r\n\r\n")),
        Row("chunked behind a zero byte", doubt, put("Transfer-Encoding: chunked\u{0}", "0\r\n\r\n")),
    ]

    @Test func `Of codings, only chunked is understood, alone and over HTTP/1.1`() async throws {
        try await Row.check(FramingTests.codings)
    }

    private static let chunks = [
        Row("a size with 0x", .refusedByLibrary(400), chunked("0x13\r\n\(news)\r\n0\r\n\r\n")),
        Row("a size that is none", .refusedByLibrary(400), chunked("g\r\n\(news)\r\n0\r\n\r\n")),
        Row("an empty size", .refusedByLibrary(400), chunked("\r\n\(news)\r\n0\r\n\r\n")),
        Row("an empty size with an extension", .refusedByLibrary(400), chunked(";a=b\r\n\(news)\r\n0\r\n\r\n")),
        Row("a size below zero", .refusedByLibrary(400), chunked("-13\r\n\(news)\r\n0\r\n\r\n")),
        Row("a size with a sign", .refusedByLibrary(400), chunked("+13\r\n\(news)\r\n0\r\n\r\n")),
        Row("a space before a size", .refusedByLibrary(400), chunked(" 13\r\n\(news)\r\n0\r\n\r\n")),
        Row("a space behind a size", .refusedByLibrary(400), chunked("13 \r\n\(news)\r\n0\r\n\r\n")),
        Row("a lone CR behind a size", .refusedByLibrary(400), chunked("13\r\(news)\r\n0\r\n\r\n")),
        Row("a size beyond 64 bits", .refusedByLibrary(413), chunked("13000000000000000000\r\n\(news)\r\n")),
        Row("data longer than its size", .refusedByLibrary(400), chunked("12\r\n\(news)\r\n0\r\n\r\n")),
        Row("data shorter than its size", .refusedByLibrary(400), chunked("16\r\n\(news)\r\n0\r\n\r\n")),
        Row("no end of line behind the data", .refusedByLibrary(400), chunked("13\r\n\(news)0\r\n\r\n")),
        Row("a trailer without a colon", .refusedByLibrary(400), chunked("13\r\n\(news)\r\n0\r\ntrailer\r\n\r\n")),
        Row(
            "a chunk that is too long to be a news", .refused(413, "body_too_large", closes: true),
            chunked("ffffffff\r\n" + String(repeating: " ", count: 300_000))),
    ]

    @Test func `Chunks that are not well-formed are refused, and what came is not stored`() async throws {
        try await Row.check(FramingTests.chunks)
    }

    @Test func `A trailer without an end is refused`() async throws {
        let endless = String(repeating: "a", count: 100_000)
        try await Row.check([
            Row("a trailer of 100 kB", .refusedByLibrary(431), FramingTests.chunked("0\r\nX: \(endless)"))
        ])
    }

    /// libmicrohttpd runs in circles over it, and would for the 45 s that a connection may be silent.
    @Test func `An extension without an end is closed in a moment, and keeps no processor busy`() async throws {
        try await withServer { server in
            let (port, process) = (server.port, ProcessView(pid: server.child.pid))
            let before = try process.descriptors
            try await offPool {
                // At once, or in two parts: the library takes more interest in a connection that it had to wait for.
                for first in [0, 1_000] {
                    for count in [20_000, 100_000] {
                        let line = FramingTests.chunked("13;" + String(repeating: "a", count: count))
                        let connection = try WireConnection(port: port)
                        try connection.send(String(line.prefix(first)))
                        try connection.send(String(line.dropFirst(first)))
                        #expect(try connection.rest(deadline: .seconds(30)).isEmpty)
                    }
                }
                try process.waitUntil("the descriptors are closed", .seconds(30)) { try $0.descriptors <= before }
                try process.waitUntil("no processor is busy", .seconds(30)) { try $0.rests }
            }
        }
    }

    /// Each makes a news of its own.
    private static let wellFormed = [
        "13\r\n\(news)\r\n0\r\n\r\n", "00000000000000000000013\r\n\(news)\r\n0000\r\n\r\n",
        "13;a=b;c=\"d;e\"\r\n\(news)\r\n0;f\r\n\r\n", "1\r\n{\r\n12\r\n\(news.dropFirst())\r\n0\r\n\r\n",
        "13\r\n\(news)\r\n0\r\nTrailer: a\r\nContent-Length: 3\r\n\r\n", "13\r\n\(news)\r\n0\r\nX: a\r\n b\r\n\r\n",
    ]

    @Test func `Extensions, trailers and sizes in any form are understood, and mean nothing`() async throws {
        try await withServer { server in
            let port = server.port
            let statuses = try await offPool {
                let connection = try WireConnection(port: port)
                return try FramingTests.wellFormed.enumerated().map { index, body in
                    let coding = index.isMultiple(of: 2) ? "chunked" : "CHUNKED"
                    try connection.send(
                        "PUT /v1/news/\(index) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            + "Transfer-Encoding: \(coding)\r\n\r\n\(body)")
                    return try connection.answer()?.status
                }
            }
            #expect(statuses == [201, 201, 201, 201, 201, 201])
            #expect(try await server.api.allNews().sorted() == ["0", "1", "2", "3", "4", "5"])
        }
    }
}
