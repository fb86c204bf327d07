internal import JSONText
internal import LikesCore
internal import MicroHTTP

/// Leads a request about a news that was merged away to the same thing of the other news.
struct Redirection {
    /// The news that the request names.
    let news: NewsID
    /// The request's target, as it came.
    let uri: [UInt8]

    /// 308: the method and the body stay what they are.
    func response(to target: NewsID) -> Response {
        let body = JSONWriter.object { json in
            json.member("news", news.text)
            json.member("mergedInto", target.text)
        }
        return Response(
            status: 308,
            headers: [
                Header("Location", location(of: target)), Header("Content-Type", "application/json"),
                Header("Cache-Control", "no-cache"),
            ],
            body: body)
    }

    /// The same path and query with the other id: the third segment, behind `/v1/news/`.
    private func location(of target: NewsID) -> String {
        let path = uri.prefix { $0 != UInt8(ascii: "?") }
        var segments = path.split(separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
        if segments.count > 3 { segments[3] = Array(PercentEncoding.encode(target.text).utf8)[...] }
        let query = uri[path.endIndex...]
        return String(decoding: Array(segments.joined(separator: [UInt8(ascii: "/")])) + query, as: UTF8.self)
    }
}
