internal import JSONText
internal import LikesCore
internal import Threading

/// The kinds of bodies that are taken.
enum MediaType {
    case json
    /// One JSON text a line.
    case ndjson

    /// The kind that a `Content-Type` names; parameters such as `charset` do not matter.
    ///
    /// - Throws: `unsupported_media_type`, also when there is none.
    init(_ contentType: String?, allowsLines: Bool) throws(Problem) {
        let name = contentType?.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased()
        switch name {
        case "application/json": self = .json
        case "application/x-ndjson" where allowsLines: self = .ndjson
        default:
            throw Problem(
                .unsupportedMediaType,
                allowsLines
                    ? "the body must be application/json or application/x-ndjson" : "the body must be application/json")
        }
    }

    /// Lets through what can only be lines.
    static func checkLines(_ contentType: String?) throws(Problem) {
        if let type = try? MediaType(contentType, allowsLines: true), type == .ndjson { return }
        throw Problem(.unsupportedMediaType, "the body must be application/x-ndjson")
    }
}

/// Reads bodies into what the domain understands.
struct BodyReader {
    /// Now: what `at` is compared with.
    let now: Timestamp

    init(now: Timestamp) { self.now = now }

    init(_ clock: Clock) { now = Timestamp(milliseconds: clock.now()) }

    // MARK: One news

    /// The news of `PUT /v1/news/{id}`.
    func news(_ body: [UInt8], id: NewsID) throws(Problem) -> NewsDraft {
        var fields = try Fields(document(body).root)
        return try news(&fields, id: id)
    }

    private func news(_ fields: inout Fields, id: NewsID) throws(Problem) -> NewsDraft {
        let title = try fields.text("title", 1...Limits.titleBytes)
        guard let title else { throw Problem(.invalidBody, "title: it is missing") }
        let baseLikes = try fields.integer("baseLikes", 0...Limits.baseLikes)
        let news = News(
            id: id, title: title, author: try fields.id("author"), url: try fields.text("url", 0...Limits.urlBytes),
            publishedAt: try fields.time("publishedAt", Timestamp.storable), baseLikes: baseLikes ?? 0,
            properties: try fields.properties("properties"))
        try fields.finish()
        return NewsDraft(news, setsBaseLikes: baseLikes != nil)
    }

    /// The target of `POST /v1/news/{id}/merge`.
    func mergeTarget(_ body: [UInt8]) throws(Problem) -> NewsID {
        var fields = try Fields(document(body).root)
        guard let target: NewsID = try fields.id("into") else { throw Problem(.invalidBody, "into: it is missing") }
        try fields.finish()
        return target
    }

    // MARK: Many entries

    /// The entries of `POST /v1/news`.
    func manyNews(_ body: [UInt8], _ type: MediaType) throws(Problem) -> [BatchEntry<NewsDraft>] {
        try entries(body, type, listedAs: "news", read: newsEntry)
    }

    /// A news that names its own id.
    func newsEntry(_ fields: inout Fields) throws(Problem) -> NewsDraft {
        guard let id: NewsID = try fields.id("id") else { throw Problem(.invalidBody, "id: it is missing") }
        return try news(&fields, id: id)
    }

    /// The entries of `POST /v1/likes`.
    func manyLikes(_ body: [UInt8], _ type: MediaType) throws(Problem) -> [BatchEntry<ToggleRequest>] {
        if type == .json, let plain = PlainLikes.entries(body) { return plain }
        return try entries(body, type, listedAs: "likes", read: likeEntry)
    }

    /// A like or an unlike.
    func likeEntry(_ fields: inout Fields) throws(Problem) -> ToggleRequest {
        let liked: Bool
        switch try fields.text("op", 0...Limits.titleBytes) {
        case "like": liked = true
        case "unlike": liked = false
        default: throw Problem(.invalidBody, "op: \"like\" and \"unlike\" are allowed")
        }
        guard let news: NewsID = try fields.id("news") else { throw Problem(.invalidBody, "news: it is missing") }
        guard let user: UserID = try fields.id("user") else { throw Problem(.invalidBody, "user: it is missing") }
        let at = try fields.time("at", Timestamp.storable.lowerBound...latestTime)
        try fields.finish()
        return ToggleRequest(liked: liked, news: news, user: user, at: at)
    }

    /// The latest time that a like can claim.
    private var latestTime: Timestamp {
        min(Timestamp(milliseconds: now.milliseconds + Limits.futureMilliseconds), Timestamp.storable.upperBound)
    }

    /// Reads a body with many entries: an array, an object with one under a name, or lines.
    private func entries<Request>(
        _ body: [UInt8], _ type: MediaType, listedAs name: String,
        read: (inout Fields) throws(Problem) -> Request
    ) throws(Problem) -> [BatchEntry<Request>] {
        switch type {
        case .json:
            let root = try document(body).root
            let values: [JSONValue]
            if let elements = root.elements { values = elements } else { values = try listed(root, name) }
            try checkCount(values.count)
            return values.map { entry($0, read) }
        case .ndjson:
            return try lines(body) { line in
                do throws(Problem) { return entry(try document(line).root, read) } catch {
                    return .malformed(code: error.code.rawValue, detail: error.detail)
                }
            }
        }
    }

    /// Reads a body line by line; blank lines do not count.
    private func lines<Entry>(_ body: [UInt8], read: ([UInt8]) -> Entry) throws(Problem) -> [Entry] {
        var entries: [Entry] = []
        var rest = body[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            if line.allSatisfy(isSpace) { continue }
            try checkCount(entries.count + 1)
            entries.append(read(Array(line)))
        }
        return entries
    }

    /// The elements of an object's only member, an array.
    private func listed(_ root: JSONValue, _ name: String) throws(Problem) -> [JSONValue] {
        guard root.members != nil else {
            throw Problem(.invalidBody, "the body must be an array, or an object with the array \"\(name)\"")
        }
        var fields = try Fields(root)
        guard let elements = try fields.elements(name) else { throw Problem(.invalidBody, "\(name): it is missing") }
        try fields.finish()
        return elements
    }

    private func entry<Request>(
        _ value: JSONValue, _ read: (inout Fields) throws(Problem) -> Request
    ) -> BatchEntry<Request> {
        do throws(Problem) {
            var fields = try Fields(value)
            return .request(try read(&fields))
        } catch {
            return .malformed(code: error.code.rawValue, detail: error.detail)
        }
    }

    /// The ids of `{"news": […]}`.
    func listedNews(_ body: [UInt8]) throws(Problem) -> [NewsID] {
        var fields = try Fields(document(body).root)
        guard let ids: [NewsID] = try fields.ids("news") else { throw Problem(.invalidBody, "news: it is missing") }
        try checkCount(ids.count)
        try fields.finish()
        return ids
    }

    /// What `POST /v1/counts` asks for.
    func countsRequest(_ body: [UInt8]) throws(Problem) -> CountsRequest {
        var fields = try Fields(document(body).root)
        guard let news: [NewsID] = try fields.ids("news") else { throw Problem(.invalidBody, "news: it is missing") }
        let request = CountsRequest(news: news, viewer: try fields.id("viewer"), friends: try fields.ids("friends"))
        try fields.finish()
        return try request.checked(.invalidBody)
    }

    private func checkCount(_ count: Int) throws(Problem) {
        guard count <= Limits.batchEntries else {
            throw Problem(.bodyTooLarge, "the body may have up to \(Limits.batchEntries) entries")
        }
    }

    private func document(_ body: [UInt8]) throws(Problem) -> JSONDocument {
        do throws(JSONError) { return try JSONDocument(body, maximumValues: APILimits.jsonValues) } catch {
            if case .tooManyValues = error.fault { throw Problem(.bodyTooLarge, error.reason) }
            throw Problem(.invalidJSON, error.reason)
        }
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

/// What a call for counts asks for.
struct CountsRequest {
    let news: [NewsID]
    let viewer: UserID?
    let friends: [UserID]?

    /// The same, when it does not ask for too much.
    func checked(_ code: Problem.Code) throws(Problem) -> CountsRequest {
        guard news.count <= Limits.countedNews else {
            throw Problem(code, "news: up to \(Limits.countedNews) ids are allowed")
        }
        guard friends?.count ?? 0 <= Limits.friends else {
            throw Problem(code, "friends: up to \(Limits.friends) ids are allowed")
        }
        return self
    }
}
