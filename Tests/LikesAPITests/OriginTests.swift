import Testing

@testable import LikesAPI

@Suite("Origins of web pages")
struct OriginTests {
    @Test(
        "an origin is brought to the form that browsers send",
        arguments: [
            ("https://a.example", "https://a.example"), ("HTTPS://A.Example", "https://a.example"),
            ("http://localhost:3000", "http://localhost:3000"), ("https://a.example:443", "https://a.example"),
            ("http://a.example:80", "http://a.example"), ("http://a.example:443", "http://a.example:443"),
            ("http://a.example:08080", "http://a.example:8080"), ("http://127.0.0.1:5173", "http://127.0.0.1:5173"),
            ("http://[::1]:8080", "http://[::1]:8080"), ("http://[::1]", "http://[::1]"),
            ("http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000"), ("http://[::]", "http://[::]"),
            ("http://[2001:0DB8::0001:0:0:000a]", "http://[2001:db8::1:0:0:a]"),
            ("http://[1:0:0:2:0:0:0:3]", "http://[1:0:0:2::3]"), ("http://[1:0:0:2:0:0:3:4]", "http://[1::2:0:0:3:4]"),
            ("http://[1::2:3:4:5:6:7]", "http://[1:0:2:3:4:5:6:7]"),
            ("http://[1:2:3:4:5:6:0:0]", "http://[1:2:3:4:5:6::]"),
            ("http://1.a.example", "http://1.a.example"), ("http://a.0xample", "http://a.0xample"),
            ("capacitor://localhost", "capacitor://localhost"), ("*", "*"),
        ])
    func form(text: String, sent: String) {
        #expect(Origin(text)?.text == sent)
    }

    @Test(
        "nothing else is one",
        arguments: [
            "", "null", "a.example", "a.example:80", "https:", "https://", "https:/a.example", "https://a.example/",
            "https://a.example/path", "https://a.example?", "https://u@a.example", "https://*.example", "**",
            "https://a.example:", "https://a.example:0", "https://a.example:65536", "https://a.example:x",
            "https://a.example:+1", "https://a.example:1:2", "://a.example", "1s://a.example", "https://a b",
            " https://a.example", "https://ä.example", "https://[::1", "https://[a.example]", "https://a]:1",
            "http://\u{212A}.example", "http://[:]", "http://[:::]", "http://[1]", "http://[1:2:3:4:5:6:7]",
            "http://[1:2:3:4:5:6:7:8:9]", "http://[1:2:3:4:5:6:7:8::]", "http://[1::2::3]", "http://[::1::]",
            "http://[:1:2:3:4:5:6:7]", "http://[1:2:3:4:5:6:7:]", "http://[::12345]", "http://[::+1]", "http://[::-1]",
            "http://[::g]", "http://[::127.0.0.1]", "http://[]", "http://127.1", "http://127.0.0.01",
            "http://127.0.0.256",
            "http://0x7f000001", "http://2130706433", "http://127.0.0.1.", "http://.",
            "https://a.example\r\nX: y", "https://a.example,https://b.example",
        ])
    func others(text: String) {
        #expect(Origin(text) == nil)
    }
}
