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
            "https://a.example\r\nX: y", "https://a.example,https://b.example",
        ])
    func others(text: String) {
        #expect(Origin(text) == nil)
    }
}
