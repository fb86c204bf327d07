import Testing

@testable import LikesAPI

@Suite("Hosts and encodings")
struct HostAndEncodingTests {
    @Test(
        "names and addresses of the machine itself are loopback",
        arguments: [
            "localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8080",
            "localhost:",
        ])
    func loopback(host: String) {
        let matches = LoopbackHost.matches(host.utf8.span)
        #expect(matches)
    }

    @Test(
        "all others are not",
        arguments: [
            "", "a.example", "a.example:8080", "localhost.a.example", "127.0.0.1.a.example", "127.0.0", "127.0.0.1.1",
            "128.0.0.1", "[::2]", "[::1", "[::1]x", "localhost:x", "127..0.1", "127.0.0.1234", "localhos", ":8080",
        ])
    func others(host: String) {
        let matches = LoopbackHost.matches(host.utf8.span)
        #expect(!matches)
    }

    @Test("base64url round-trips every length, and refuses what it would not write")
    func base64() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + length) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        // RFC 4648, section 10, in the URL alphabet and without padding.
        #expect(Base64URL.encode(Array("foobar".utf8)) == "Zm9vYmFy")
        #expect(Base64URL.encode(Array("fooba".utf8)) == "Zm9vYmE")
        for text in ["Zm9vYmE=", "Zm9vYmF", "Z", "Zm 9", "Zm+9", "Zm/9"] { #expect(Base64URL.decode(text) == nil) }
    }

    @Test("percent-encoding leaves only unreserved characters alone")
    func percent() {
        #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
        #expect(PercentEncoding.encode("a/b c?✨") == "a%2Fb%20c%3F%E2%9C%A8")
        #expect(decoded("a%2fb+c", plusIsSpace: true) == Array("a/b c".utf8))
        #expect(decoded("a+c", plusIsSpace: false) == Array("a+c".utf8))
        for bad in ["%", "%2", "%2g", "a%"] {
            #expect(decoded(bad, plusIsSpace: false) == nil)
            let isValid = PercentEncoding.isValid(bad.utf8.span)
            #expect(!isValid)
        }
    }

    private func decoded(_ text: String, plusIsSpace: Bool) -> [UInt8]? {
        PercentEncoding.decode(text.utf8.span, plusIsSpace: plusIsSpace)
    }
}
