internal import Glibc
internal import JSONText
internal import LikesAPI
internal import LikesCore

/// A running server: records go to `POST /v1/admin/import`.
final class ServerTarget: ImportTarget {
    private let client: HTTPClient

    /// Times that records are sent again when the server cannot take them just now, a second apart.
    private static let attempts = 10

    /// An answer comes when all is stored, and each merge takes a few commits of its own.
    private static let timeoutSeconds = 300

    init(url: String) throws(Stop) { client = try HTTPClient(url: url, timeoutSeconds: Self.timeoutSeconds) }

    func finish() {}

    func take(_ records: [NumberedRecord]) throws(Stop) -> IntakeResult {
        var json = JSONWriter(capacity: 64 << 10)
        for record in records { json.line { $0.members(of: record.record) } }
        let answer = try post(json.bytes)
        guard var result = IntakeResult(answer: answer) else {
            throw Stop(.unavailable, "the server's answer to POST \(Self.path) says nothing")
        }
        // The server counts the lines of what it was sent.
        result.refusals = result.refusals.compactMap { refusal in
            guard records.indices.contains(refusal.line - 1) else { return nil }
            return .init(line: records[refusal.line - 1].line, code: refusal.code, detail: refusal.detail)
        }
        return result
    }

    private static let path = "/v1/admin/import"

    private func post(_ body: [UInt8]) throws(Stop) -> [UInt8] {
        for attempt in 1... {
            let answer: HTTPClient.Answer
            do throws(HTTPClientError) {
                answer = try client.send("POST", Self.path, contentType: "application/x-ndjson", body: body)
            } catch {
                throw Stop(.unavailable, "the server does not answer: \(error.reason)")
            }
            if answer.status == 200 { return answer.body }
            guard answer.status == 503, attempt < Self.attempts else {
                throw Stop(
                    .unavailable, "the server answered \(answer.status) to POST \(Self.path)\(answer.explanation)")
            }
            sleep(1)
        }
        return []
    }
}

extension IntakeResult {
    /// What the answer of a server says.
    fileprivate init?(answer: [UInt8]) {
        self.init()
        guard let root = try? JSONDocument(answer).root, let news = root.count("news"),
            let merges = root.count("merges"), let likes = root.count("likes"),
            let refusals = root.member("refusals")?.elements
        else { return nil }
        self.news = news
        self.merges = merges
        self.likes = likes
        self.refusals = refusals.map { refusal in
            Refusal(
                line: Int(refusal.member("line")?.integer ?? 0), code: refusal.member("code")?.string ?? "",
                detail: refusal.member("detail")?.string ?? "")
        }
    }
}

extension JSONValue {
    fileprivate func member(_ name: String) -> JSONValue? { members?.first { $0.key == name }?.value }

    fileprivate func count(_ name: String) -> IntakeResult.Count? {
        guard let count = member(name), let taken = count.member("taken")?.integer,
            let changed = count.member("changed")?.integer
        else { return nil }
        var result = IntakeResult.Count()
        result.taken = Int(taken)
        result.changed = Int(changed)
        return result
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

    fileprivate mutating func members(of record: ImportRecord) {
        switch record {
        case .news(let draft): members(of: draft)
        case .merge(let old, let target):
            member("merged", old.text)
            member("into", target.text)
        case .like(let request): members(of: request)
        }
    }

    private mutating func members(of draft: NewsDraft) {
        let news = draft.news
        member("id", news.id.text)
        member("title", news.title)
        member("author", ifPresent: news.author?.text)
        member("url", ifPresent: news.url)
        member("publishedAt", ifPresent: news.publishedAt?.rfc3339)
        if draft.setsBaseLikes { member("baseLikes", news.baseLikes) }
        member("properties", strings: news.properties.map { ($0.key, $0.value) })
        member("createdAt", ifPresent: draft.createdAt?.rfc3339)
    }

    private mutating func members(of like: ToggleRequest) {
        member("op", like.liked ? "like" : "unlike")
        member("news", like.news.text)
        member("user", like.user.text)
        member("at", ifPresent: like.at?.rfc3339)
    }
}
