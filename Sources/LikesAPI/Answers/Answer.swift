internal import JSONText
internal import LikesCore
internal import MicroHTTP

/// Makes responses that all answers have in common: media type, token, caching.
struct Answer {
    let epoch: Epoch

    /// A JSON answer under `/v1`.
    ///
    /// - Parameter position: what was folded when it was read, for `Likes-Sequence`.
    func json(_ status: Int, position: UInt64, _ body: (inout JSONWriter) -> Void) -> Response {
        Response(
            status: status,
            headers: [Self.mediaType, Self.revalidated, Header("Likes-Sequence", token(position))],
            body: JSONWriter.bytes(body))
    }

    /// A read's answer.
    func read(position: UInt64, isPrivate: Bool = false, _ body: (inout JSONWriter) -> Void) -> Response {
        var response = json(200, position: position, body)
        if isPrivate { response.headers[1] = Self.privately }
        return response
    }

    /// A read's answer that a client can ask for again with `If-None-Match`: then it is 304 when nothing changed.
    ///
    /// - Parameters:
    ///   - sequence: the last event that changed what is shown; the tag follows it.
    ///   - variant: what else the tag follows.
    func tagged(
        _ request: borrowing Request, sequence: UInt64, position: UInt64, isPrivate: Bool, variant: Int64? = nil,
        _ body: (inout JSONWriter) -> Void
    ) -> Response {
        let tag = weakTag(sequence, variant)
        let isKnown = request.header("If-None-Match").map { Self.matches($0, tag) } ?? false
        return Response(
            status: isKnown ? 304 : 200,
            headers: [
                Self.mediaType, isPrivate ? Self.privately : Self.revalidated,
                Header("Likes-Sequence", token(position)), Header("ETag", tag),
            ],
            body: JSONWriter.bytes(body))
    }

    private static var mediaType: Header { Header("Content-Type", "application/json") }
    private static var revalidated: Header { Header("Cache-Control", "no-cache") }
    private static var privately: Header { Header("Cache-Control", "private, no-cache") }

    /// A tag with the `W/` that says that answers with it may differ in their bytes.
    private func weakTag(_ sequence: UInt64, _ variant: Int64?) -> String {
        let token = Token(epoch: epoch, sequence: sequence)
        guard let variant else { return token.text(between: "W/\"", and: "\"") }
        return token.text(between: "W/\"", and: ".") + "\(variant)\""
    }

    /// Whether a list of tags, or `*`, has this one in it. The comparison is weak (RFC 9110, 8.8.3.2).
    static func matches(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { entry in
            let entry = entry.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return entry == "*" || opaque(entry) == opaque(tag[...])
        }
    }

    /// A tag without what says that it is a weak one.
    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }

    /// A place in the order of everything, as callers see it.
    func token(_ sequence: UInt64) -> String { Token(epoch: epoch, sequence: sequence).text }
}

extension Response {
    /// Adds the address of the next page.
    mutating func link(next cursor: String?, path: String, query: [(String, String)]) {
        guard let cursor else { return }
        var link = "<"
        link.reserveCapacity(path.utf8.count + cursor.utf8.count + 128)
        link += path
        for (index, (name, value)) in (query + [("cursor", cursor)]).enumerated() {
            link += index == 0 ? "?" : "&"
            link += name
            link += "="
            link += PercentEncoding.encode(value)
        }
        link += ">; rel=\"next\""
        headers.append(Header("Link", link))
    }
}
