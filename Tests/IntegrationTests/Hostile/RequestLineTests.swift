import Testing

/// The first line of a request (RFC 9112, 3): method, target and version.
@Suite struct RequestLineTests {
    private typealias Row = HostileRequest

    /// A request of this line.
    private static func line(_ line: String, _ fields: String = "Host: localhost") -> String {
        "\(line)\r\n\(fields)\r\n\r\n"
    }

    private static let broken = Row.Outcome.refused(400, "invalid_request", closes: true)

    private static let lines = [
        Row("a word", .closed, "garbage\r\n"),
        Row("empty lines before", .answered(200), "\r\n\r\n\n" + line("GET /healthz HTTP/1.1")),
        Row("two spaces before the target", broken, line("GET  /v1/feed HTTP/1.1")),
        Row("two spaces before the version", broken, line("GET /v1/feed  HTTP/1.1")),
        Row("a space at the end", .refusedByLibrary(400), line("GET /v1/feed HTTP/1.1 ")),
        Row("a space at the beginning", .closed, line(" GET /v1/feed HTTP/1.1")),
        Row("tabs", .closed, line("GET\t/v1/feed\tHTTP/1.1")),
        Row("a tab before the version", .refusedByLibrary(400), line("GET /v1/feed\tHTTP/1.1")),
        Row("no target", .refusedByLibrary(400), line("GET HTTP/1.1")),
        Row("lone CRs", .refusedByLibrary(400), "GET /v1/feed HTTP/1.1\rHost: localhost\r\r\n"),
        Row("lone LFs, which RFC 9112 lets pass", .answered(200), "GET /v1/feed HTTP/1.1\nHost: localhost\n\n"),
        Row(
            "TLS", .closed,
            bytes: [0x16, 0x03, 0x01, 0x00, 0x0B, 0x01, 0x00, 0x00, 0x07, 0x03, 0x03, 0x0A, 0x0A, 0x00, 0x01, 0x02]),
    ]

    @Test func `Lines that are not a method, a target and a version`() async throws {
        try await Row.check(RequestLineTests.lines)
    }

    private static let versions = [
        Row("HTTP/0.9", .refusedByLibrary(400), "GET /v1/feed\r\n"),
        Row("HTTP/0.9 by name", .refusedByLibrary(505), line("GET /v1/feed HTTP/0.9")),
        Row("HTTP/1.2", .answered(200), line("GET /v1/feed HTTP/1.2")),
        Row("HTTP/2.0", .refusedByLibrary(505), line("GET /v1/feed HTTP/2.0")),
        Row("the preface of HTTP/2", .refusedByLibrary(505), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Row("small letters", .refusedByLibrary(400), line("GET /v1/feed http/1.1")),
        Row("no dot", .refusedByLibrary(400), line("GET /v1/feed HTTP/1")),
        Row("two digits", .refusedByLibrary(400), line("GET /v1/feed HTTP/1.10")),
        Row("another protocol", .refusedByLibrary(400), line("GET /v1/feed ICAP/1.0")),
        Row("a zero byte", .refusedByLibrary(400), line("GET /v1/feed HTTP/1.1\u{0}")),
    ]

    @Test func `Versions other than 1.0 and 1.1`() async throws {
        try await Row.check(RequestLineTests.versions)
    }

    private static let unknown = Row.Outcome.refused(501, "not_implemented", closes: false)

    private static let methods = [
        Row("a method that nobody knows", unknown, line("BREW /v1/feed HTTP/1.1")),
        Row("the same on a path that is not there", unknown, line("BREW /nothing HTTP/1.1")),
        Row(
            "the same with a body", unknown,
            line("BREW /v1/feed HTTP/1.1", "Host: localhost\r\nContent-Length: 3") + "abc"),
        Row("small letters", unknown, line("get /v1/feed HTTP/1.1")),
        Row("a method of WebDAV", unknown, line("PROPFIND /v1/feed HTTP/1.1")),
        Row("a long method", unknown, line(String(repeating: "A", count: 4_000) + " /v1/feed HTTP/1.1")),
        Row("TRACE", .refused(405, "method_not_allowed", closes: false), line("TRACE /v1/feed HTTP/1.1")),
        // 405 lists what the path has, also when the path came by another way.
        Row(
            "axum#731, ong#339: DELETE", .refused(405, "method_not_allowed", closes: false),
            line("DELETE /v1/feed HTTP/1.1")),
        Row("CONNECT", .refused(501, "not_implemented", closes: true), line("CONNECT localhost:80 HTTP/1.1")),
        Row("CONNECT to a path", .refused(501, "not_implemented", closes: true), line("CONNECT /v1/feed HTTP/1.1")),
        Row("OPTIONS of the server as a whole", .answered(204), line("OPTIONS * HTTP/1.1")),
        Row("not a token", broken, line("G(T /v1/feed HTTP/1.1")),
        Row("a zero byte", broken, line("GET\u{0}X /v1/feed HTTP/1.1")),
        Row("a zero byte at the end", broken, line("GET\u{0} /v1/feed HTTP/1.1")),
        Row("a control character", broken, line("GE\u{1}T /v1/feed HTTP/1.1")),
        Row("a letter beyond ASCII", broken, line("GÉT /v1/feed HTTP/1.1")),
    ]

    @Test func `Methods that there are not`() async throws {
        try await Row.check(RequestLineTests.methods)
    }

    @Test func `A method that the server does not know is told from one that the path does not have`() async throws {
        try await withServer { server in
            let port = server.port
            let answers = try await offPool {
                let connection = try WireConnection(port: port)
                return try ["BREW", "TRACE", "DELETE", "PATCH"].map { method in
                    try connection.send(RequestLineTests.line("\(method) /v1/feed HTTP/1.1"))
                    return try connection.answer()
                }
            }
            #expect(answers.map { $0?.status } == [501, 405, 405, 405])
            #expect(answers.map { $0?.headers["allow"] } == [nil] + Array(repeating: "GET, HEAD, OPTIONS", count: 3))
        }
    }

    private static let targets = [
        Row("a space", broken, line("GET /v1/feed now HTTP/1.1")),
        Row("a fragment", broken, line("GET /v1/feed#top HTTP/1.1")),
        Row("a zero byte", broken, line("GET /v1/feed\u{0}/x HTTP/1.1")),
        Row("a zero byte at the end", broken, line("GET /v1/feed\u{0} HTTP/1.1")),
        Row("a zero byte in the query", broken, line("GET /v1/feed?limit=1\u{0}0 HTTP/1.1")),
        Row("a zero byte, then a query", broken, line("GET /v1/feed\u{0}?limit=1 HTTP/1.1")),
        Row("a zero byte behind the question mark", broken, line("GET /v1/feed?\u{0}limit=0 HTTP/1.1")),
        Row("a control character", broken, line("GET /v1/feed\u{1} HTTP/1.1")),
        Row("DEL", broken, line("GET /v1/feed\u{7F} HTTP/1.1")),
        Row("a letter beyond ASCII", broken, line("GET /v1/news/ä HTTP/1.1")),
        Row("a tab", broken, line("GET /v1/feed\t HTTP/1.1")),
        Row("a CR", broken, line("GET /v1/feed\r HTTP/1.1")),
        Row(
            "a backslash, which is a character of a path", .refused(404, "not_found", closes: false),
            line("GET /v1\\feed HTTP/1.1")),
        Row("no slash before it", broken, line("GET v1/feed HTTP/1.1")),
        Row("a star", broken, line("GET * HTTP/1.1")),
        Row(
            "a zero byte in percent-encoding", .refused(400, "invalid_id", closes: false),
            line("GET /v1/news/a%00 HTTP/1.1")),
        Row("half a percent-encoding", .refused(400, "invalid_id", closes: false), line("GET /v1/news/a%4 HTTP/1.1")),
        Row("dot segments", .refused(404, "not_found", closes: false), line("GET /v1/./feed HTTP/1.1")),
        Row("dot segments upwards", .refused(404, "not_found", closes: false), line("GET /v1/news/../feed HTTP/1.1")),
        Row(
            "dot segments out of the root", .refused(404, "not_found", closes: false), line("GET /../v1/feed HTTP/1.1")),
        Row("dots as an id", .refused(400, "invalid_id", closes: false), line("GET /v1/news/.. HTTP/1.1")),
        Row("dots as an id, encoded", .refused(400, "invalid_id", closes: false), line("GET /v1/news/%2E%2e HTTP/1.1")),
        Row("two slashes", .refused(404, "not_found", closes: false), line("GET //v1/feed HTTP/1.1")),
        Row("two slashes in the middle", .refused(404, "not_found", closes: false), line("GET /v1//feed HTTP/1.1")),
        Row("a slash at the end", .refused(404, "not_found", closes: false), line("GET /v1/feed/ HTTP/1.1")),
    ]

    @Test func `Targets that are no path, and paths that are not there`() async throws {
        try await Row.check(RequestLineTests.targets)
    }

    private static let foreign = Row.Outcome.refused(421, "misdirected_request", closes: false)

    private static let absoluteForms = [
        Row("with the path and a query", .answered(200), line("GET http://localhost/v1/feed?limit=1 HTTP/1.1")),
        Row("large letters and a port", .answered(200), line("GET HTTP://LOCALHOST:80/v1/feed HTTP/1.1")),
        Row("without a path, which is the page", .answered(200), line("GET http://localhost HTTP/1.1")),
        Row("without a path, about the server", .answered(204), line("OPTIONS http://localhost HTTP/1.1")),
        Row(
            "without a path, but a query", .refused(405, "method_not_allowed", closes: false),
            line("DELETE http://localhost?a HTTP/1.1")),
        Row("that is for another server, whatever Host says", foreign, line("GET http://a.example/v1/feed HTTP/1.1")),
        Row("that overrules Host", .answered(200), line("GET http://localhost/v1/feed HTTP/1.1", "Host: a.example")),
        Row("with a user", broken, line("GET http://u@localhost/v1/feed HTTP/1.1")),
        Row("without an authority", broken, line("GET http:///v1/feed HTTP/1.1")),
        Row("of another scheme", broken, line("GET ftp://localhost/v1/feed HTTP/1.1")),
        Row("without Host", broken, line("GET http://localhost/v1/feed HTTP/1.1", "X: a")),
    ]

    @Test func `Targets in absolute form, which are for proxies`() async throws {
        try await Row.check(RequestLineTests.absoluteForms)
    }

    @Test func `Ids are decoded exactly once`() async throws {
        // jersey#1439, bottle#450, Slim#3374; aspnetcore#2655
        let ids = ["a%2Fb": "a/b", "a%252Fb": "a%2Fb", "a+b": "a+b", "a%2Bb": "a+b", "a%20b": "a b", "a%2525": "a%25"]
        try await withServer { server in
            for id in Set(ids.values) { try await server.api.make(id) }
            for (segment, id) in ids {
                let answer = try await WireClient.send(
                    WireRequest("GET", "/v1/news/\(segment)?viewer=\(segment)"), port: server.port)
                #expect(answer.json["id"] == .string(id), "\(segment)")
            }
        }
    }

    private static func longTarget(_ bytes: Int) -> String {
        "/v1/feed?x=" + String(repeating: "x", count: bytes - 11)
    }

    @Test func `A target of 8 KiB is read, a longer one is 414`() async throws {
        let tooLong = { (closes: Bool) in Row.Outcome.refused(414, "uri_too_long", closes: closes) }
        try await Row.check([
            Row("8 KiB", .answered(200), RequestLineTests.line("GET \(RequestLineTests.longTarget(8_192)) HTTP/1.1")),
            Row(
                "a byte more", tooLong(false),
                RequestLineTests.line("GET \(RequestLineTests.longTarget(8_193)) HTTP/1.1")),
            Row("13 kB", tooLong(false), RequestLineTests.line("GET \(RequestLineTests.longTarget(13_000)) HTTP/1.1")),
            Row("15 kB", tooLong(true), RequestLineTests.line("GET \(RequestLineTests.longTarget(15_000)) HTTP/1.1")),
            Row(
                "100 kB", .refusedByLibrary(414),
                RequestLineTests.line("GET \(RequestLineTests.longTarget(100_000)) HTTP/1.1")),
        ])
    }

    @Test func `A query may have as many parameters as fit the target`() async throws {
        let many = String(repeating: "a&", count: 4_080)
        try await Row.check([
            Row("names only", .answered(200), RequestLineTests.line("GET /v1/feed?\(many) HTTP/1.1")),
            Row(
                "nothing but separators", .answered(200),
                RequestLineTests.line("GET /v1/feed?\(String(repeating: "&", count: 8_000)) HTTP/1.1")),
            Row(
                "of a write", .answered(404),
                RequestLineTests.line("PUT /v1/news/x/likes/u?\(many) HTTP/1.1", "Host: localhost\r\nContent-Length: 0")
            ),
            Row(
                "in absolute form", .answered(200),
                RequestLineTests.line("GET http://localhost/v1/feed?\(many) HTTP/1.1")),
            Row("nothing behind the question mark", .answered(200), RequestLineTests.line("GET /v1/feed? HTTP/1.1")),
            Row("question marks", .answered(200), RequestLineTests.line("GET /v1/feed??a?b=?c HTTP/1.1")),
        ])
    }

    @Test func `A thousand news with short ids can be counted by GET, and one more is refused`() async throws {
        try await withServer { server in
            try await server.api.make("11", "zz")
            let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
            let ids = digits.flatMap { first in digits.map { "\(first)\($0)" } }.prefix(999) + ["zz"]
            let target = "/v1/counts?" + ids.map { "news=\($0)" }.joined(separator: "&")
            let answer = try await WireClient.send(WireRequest("GET", target), port: server.port)
            #expect(answer.status == 200)
            let counts = answer.json["counts"].elements
            #expect(counts.map { $0["news"].string } == Array(ids))
            #expect(counts.filter { $0["known"] == true }.map { $0["news"].string } == ["11", "zz"])
            let more = try await WireClient.send(WireRequest("GET", target + "&news=a"), port: server.port)
            expectProblem(more, 400, "invalid_parameter")
        }
    }
}
