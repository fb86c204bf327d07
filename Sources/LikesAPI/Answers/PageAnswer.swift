internal import MicroHTTP
internal import WebPage

/// Makes the responses of the web page.
enum PageAnswer {
    /// A file, or 304 for a browser that has it already.
    static func response(_ file: PageFile, _ request: borrowing Request) -> Response {
        let isCompressed =
            request.header("Accept-Encoding").map { codings in
                Preference.all(in: codings).contains { $0.name == "gzip" && $0.isWanted }
            } ?? false
        let content = file.content(isCompressed: isCompressed)
        let isKnown = request.header("If-None-Match").map { Answer.matches($0, content.tag) } ?? false
        var response = Response(
            status: isKnown ? 304 : 200,
            headers: [
                Header("Content-Type", file.mediaType), Header("Cache-Control", "no-cache"),
                Header("ETag", content.tag), Header("Vary", "Accept-Encoding"),
                Header("X-Content-Type-Options", "nosniff"),
            ],
            body: content.bytes)
        if isCompressed { response.headers.append(Header("Content-Encoding", "gzip")) }
        response.headers += headers(of: file)
        return response
    }

    /// What else browsers have to know.
    private static func headers(of file: PageFile) -> [Header] {
        switch file {
        case .page, .demo:
            [
                Header("Content-Security-Policy", policy), Header("X-Frame-Options", "DENY"),
                Header("Referrer-Policy", "same-origin"), Header("Cross-Origin-Opener-Policy", "same-origin"),
            ]
        // It is made for pages of others; all else is not.
        case .likeButton: [Header("Cross-Origin-Resource-Policy", "cross-origin")]
        default: [Header("Cross-Origin-Resource-Policy", "same-origin")]
        }
    }

    /// What the pages may do: load their own files, call their own server, and nothing else. No text can become a script, even
    /// by mistake (Trusted Types), and no other page can show them in a frame.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src data:",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")
}
