internal import Glibc
internal import JSONText
internal import LikesCore

/// A running server: records go over `POST /v1/news` and `POST /v1/likes`.
final class ServerTarget: ImportTarget {
    private let client: HTTPClient

    /// Times that a batch is sent again when the server cannot take it just now, a second apart.
    private static let attempts = 10

    init(url: String) throws(Stop) { client = try HTTPClient(url: url, timeoutSeconds: 60) }

    /// Bytes after which a batch is sent: well below the server's limit for a body, whatever the entries are.
    private static let bytesPerBatch = 4 << 20

    func put(_ news: [NewsDraft]) throws(Stop) -> [ImportOutcome] {
        try put(news, to: "/v1/news") { $0.members(of: $1) }
    }

    func put(_ likes: [ToggleRequest]) throws(Stop) -> [ImportOutcome] {
        try put(likes, to: "/v1/likes") { $0.members(of: $1) }
    }

    func finish() {}

    private func put<Entry>(
        _ entries: [Entry], to path: String, members: (inout JSONWriter, Entry) -> Void
    ) throws(Stop) -> [ImportOutcome] {
        var outcomes: [ImportOutcome] = []
        var json = JSONWriter(capacity: 64 << 10)
        for (index, entry) in entries.enumerated() {
            json.line { members(&$0, entry) }
            if json.bytes.count > Self.bytesPerBatch || index == entries.count - 1 {
                outcomes += try post(path, json.bytes, count: index + 1 - outcomes.count)
                json = JSONWriter(capacity: 64 << 10)
            }
        }
        return outcomes
    }

    private func post(_ path: String, _ body: [UInt8], count: Int) throws(Stop) -> [ImportOutcome] {
        for attempt in 1... {
            let answer: HTTPClient.Answer
            do throws(HTTPClientError) {
                answer = try client.send("POST", path, contentType: "application/x-ndjson", body: body)
            } catch {
                throw Stop(.unavailable, "the server does not answer: \(error.reason)")
            }
            if answer.status == 200, let outcomes = Self.outcomes(answer.body), outcomes.count == count {
                return outcomes
            }
            guard answer.status == 503, attempt < Self.attempts else {
                throw Stop(.unavailable, "the server answered \(answer.status) to POST \(path)")
            }
            sleep(1)
        }
        return []
    }

    private static func outcomes(_ body: [UInt8]) -> [ImportOutcome]? {
        let members = try? JSONDocument(body).root.members
        guard let results = members?.first(where: { $0.key == "results" })?.value.elements else { return nil }
        return results.map { result in
            let members = result.members ?? []
            func member(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }
            if let detail = member("detail")?.string { return .refused(detail) }
            return member("changed")?.boolean == true ? .changed : .unchanged
        }
    }
}

extension JSONWriter {
    /// A line of NDJSON with an object.
    fileprivate mutating func line(_ body: (inout JSONWriter) -> Void) {
        object(body)
        newline()
    }

    fileprivate mutating func member(_ name: StaticString, ifPresent text: String?) {
        if let text { member(name, text) }
    }

    fileprivate mutating func members(of draft: NewsDraft) {
        let news = draft.news
        member("id", news.id.text)
        member("title", news.title)
        member("author", ifPresent: news.author?.text)
        member("url", ifPresent: news.url)
        member("publishedAt", ifPresent: news.publishedAt?.rfc3339)
        if draft.setsBaseLikes { member("baseLikes", news.baseLikes) }
        member("properties", strings: news.properties.map { ($0.key, $0.value) })
    }

    fileprivate mutating func members(of like: ToggleRequest) {
        member("op", like.liked ? "like" : "unlike")
        member("news", like.news.text)
        member("user", like.user.text)
        member("at", ifPresent: like.at?.rfc3339)
    }
}
