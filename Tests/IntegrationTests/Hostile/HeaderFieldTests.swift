import Testing

/// Header fields (RFC 9110, 5; RFC 9112, 5).
@Suite struct HeaderFieldTests {
    private typealias Row = HostileRequest

    /// A request with these fields.
    private static func get(_ fields: String, version: String = "HTTP/1.1") -> String {
        "GET /v1/feed \(version)\r\n\(fields)\r\n\r\n"
    }

    /// A request with this field beside Host.
    private static func with(_ field: String) -> String { get("Host: localhost\r\n\(field)") }

    private static let broken = Row.Outcome.refused(400, "invalid_request", closes: true)
    private static let foreign = Row.Outcome.refused(421, "misdirected_request", closes: false)

    private static let hosts = [
        Row("none", broken, get("Accept: */*")),
        Row(
            "none over HTTP/1.0, which does not ask for it", .answered(200),
            get("Connection: keep-alive", version: "HTTP/1.0")),
        Row("empty", broken, get("Host:")),
        Row("spaces", broken, get("Host: \t ")),
        Row("two", broken, get("Host: localhost\r\nHost: localhost")),
        Row("two that differ", broken, get("Host: localhost\r\nHost: a.example")),
        Row("two over HTTP/1.0", broken, get("Host: localhost\r\nHost: localhost", version: "HTTP/1.0")),
        Row("a space in it", broken, get("Host: local host")),
        Row("a URL", broken, get("Host: http://localhost/")),
        Row("a path", broken, get("Host: localhost/v1")),
        Row("a user", broken, get("Host: u@localhost")),
        Row("a letter beyond ASCII", broken, get("Host: löcalhost")),
        Row("a zero byte", broken, get("Host: localhost\u{0}.a.example")),
        Row("another name", foreign, get("Host: a.example")),
        Row("a list", foreign, get("Host: localhost,a.example")),
    ]

    @Test func `Host is one name or address, with or without a port`() async throws {
        try await Row.check(HeaderFieldTests.hosts)
    }

    private static let lines = [
        Row("no colon", .refusedByLibrary(400), with("X")),
        Row("no colon in the first line", .refusedByLibrary(400), get("X\r\nHost: localhost")),
        Row("no name", broken, with(": a")),
        Row("no name in the first line", broken, get(": a\r\nHost: localhost")),
        Row("a space before the colon", .refusedByLibrary(400), with("X : a")),
        Row("a space in a name", .refusedByLibrary(400), with("X Y: a")),
        Row("a space before the first line", .refusedByLibrary(400), get(" X: a\r\nHost: localhost")),
        Row("a bracket in a name", broken, with("X(Y: a")),
        Row("a letter beyond ASCII in a name", broken, with("Ä: a")),
        Row("a control character in a name", broken, with("X\u{1}: a")),
        Row("a control character in a value", broken, with("X: a\u{1}b")),
        Row("a control character at the end of a value", broken, with("X: a\u{1F}")),
        Row("DEL in a value", broken, with("X: \u{7F}a")),
        Row("a lone CR in a name", broken, with("X\rY: a")),
        Row("a lone CR in a value", broken, with("X: a\rb")),
        Row("a lone CR before the end of a line", broken, with("X: a\r")),
        Row("a lone CR that looks like a line", broken, with("X: a\rHost: a.example")),
        Row("a zero byte in a name", .refusedByLibrary(400), with("X\u{0}Y: a")),
        Row("a zero byte in a value", broken, with("X: a\u{0}b")),
        Row("a zero byte at the end of a value", broken, with("X: a\u{0}")),
        Row("a zero byte as a value", broken, with("X: \u{0}")),
        Row("a zero byte in a value in the middle", broken, get("X: a\u{0}b\r\nHost: localhost")),
        Row("a line that begins with a zero byte", broken, with("\u{0}X: a")),
        Row("a zero byte alone in a line", broken, with("\u{0}")),
        Row("a folded line", broken, with("X: a\r\n b")),
        Row("a folded line with nothing on it", broken, with("X: a\r\n ")),
        Row("lines folded with tabs", broken, with("X: a\r\n\tb\r\n\tc\r\nY: d")),
        Row("a folded Host", broken, get("Host:\r\n localhost")),
    ]

    @Test func `Lines that are not a name, a colon and a value`() async throws {
        try await Row.check(HeaderFieldTests.lines)
    }

    private static let wellFormed = [
        Row("ulfius#152: nothing but Host", .answered(200), get("Host: localhost")),
        Row("an empty value", .answered(200), with("User-Agent:")),
        Row("spaces around a value", .answered(200), with("X: \t a \t ")),
        Row("a tab in a value", .answered(200), with("X: a\tb")),
        Row("spaces around Host", .answered(200), get("Host: \tlocalhost \t")),
        Row("a space behind what is expected", .answered(200), with("Expect: 100-continue ")),
        Row("letters beyond ASCII in a value", .answered(200), with("User-Agent: ä✨")),
        Row(
            "bytes that are not UTF-8 in a value", .answered(200),
            bytes: Array("GET /v1/feed HTTP/1.1\r\nHost: localhost\r\nX: ".utf8) + [
                0xC3, 0x28, 0xFF, 0x0D, 0x0A, 0x0D, 0x0A,
            ]),
        Row("every mark that a name may have", .answered(200), with("!#$%&'*+-.^_`|~: a")),
        Row("small and large letters", .answered(200), get("hOST: LOCALHOST")),
        Row("the same field twice", .answered(200), with("X: a\r\nX: b")),
        Row("lines that end in different ways", .answered(200), "GET /v1/feed HTTP/1.1\nHost: localhost\r\nX: a\n\r\n"),
        Row(
            "an upgrade that is not wanted", .answered(200),
            with("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA")),
        Row("100 cookies", .answered(200), with("Cookie: " + (0..<100).map { "c\($0)=v" }.joined(separator: "; "))),
        Row("120 small fields", .answered(200), with((0..<120).map { "X\($0): a" }.joined(separator: "\r\n"))),
        Row("a field of 8 kB", .answered(200), with("X: " + String(repeating: "a", count: 8_000))),
        Row(
            "an expectation that is not met", .refused(417, "expectation_failed", closes: false),
            with("Expect: wonders")),
    ]

    @Test func `Fields that are unusual and right`() async throws {
        try await Row.check(HeaderFieldTests.wellFormed)
    }

    @Test func `Space behind a value is not part of it`() async throws {
        try await withServer(.memory, ["--cors-origin", "https://a.example"]) { server in
            try await server.api.make("n")
            let fields = ["Origin": "https://a.example ", "Operation-Id": "abc\t "]
            let answer = try await WireClient.send(
                WireRequest("PUT", "/v1/news/n/likes/u", host: "localhost ", headers: fields),
                port: server.port)
            #expect(answer.status == 201)
            #expect(answer.json["operationId"] == "abc")
            #expect(answer.headers["access-control-allow-origin"] == "https://a.example")
        }
    }

    private static let tooLarge = Row.Outcome.refused(431, "headers_too_large", closes: true)

    private static let large = [
        Row("a field of 14 kB", tooLarge, with("X: " + String(repeating: "a", count: 14_500))),
        Row("200 small fields", tooLarge, with((0..<200).map { "X\($0): a" }.joined(separator: "\r\n"))),
        Row(
            "a cookie of 7 kB, of which the library makes a copy", tooLarge,
            with("Cookie: a=" + String(repeating: "a", count: 7_100))),
        Row("185 cookies", tooLarge, with("Cookie: " + (0..<185).map { "c\($0)=v" }.joined(separator: "; "))),
        Row("a field of 17 kB", .refusedByLibrary(431), with("X: " + String(repeating: "a", count: 17_000))),
        Row("a field of 1 MB", .refusedByLibrary(431), with("X: " + String(repeating: "a", count: 1_000_000))),
        Row(
            "2,000 small fields", .refusedByLibrary(431),
            with((0..<2_000).map { "X\($0): a" }.joined(separator: "\r\n"))),
        Row("20,000 empty fields", .refusedByLibrary(431), with(String(repeating: "X:\r\n", count: 20_000))),
    ]

    @Test func `A head that is too large is 431`() async throws {
        try await Row.check(HeaderFieldTests.large)
    }

    /// The target of a request that is led elsewhere comes back in `Location`: both do not fit the connection's memory.
    @Test func `An answer whose head finds no room behind that of the request still comes`() async throws {
        try await withServer { server in
            try await server.api.make("old", "new")
            try await server.api.post("/v1/news/old/merge", ["into": "new"]).succeeded()
            let target = "/v1/news/old?x=" + String(repeating: "x", count: 8_100)
            let answer = try await WireClient.send(WireRequest("GET", target), port: server.port)
            #expect(answer.status == 308)
            #expect(answer.headers["location"] == target.replacing("old", with: "new"))
        }
    }

    /// At every size around the limits there is an answer, and never two.
    @Test func `A head of any size is answered`() async throws {
        try await withServer { server in
            let port = server.port
            let statuses = try await offPool {
                try stride(from: 13_000, to: 18_000, by: 97).map { size in
                    let connection = try WireConnection(port: port)
                    try connection.send(
                        "GET /v1/feed HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "
                            + String(repeating: "a", count: size) + "\r\n\r\n")
                    let text = try connection.rest()
                    #expect(text.hasPrefix("HTTP/1.1 "), "\(size)")
                    return text.dropFirst(9).prefix(3)
                }
            }
            #expect(Set(statuses) == ["200", "431"])
        }
    }
}
