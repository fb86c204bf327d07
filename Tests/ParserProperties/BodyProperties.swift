internal import JSONText
internal import LikesCore

@testable internal import LikesAPI

/// Some moment, with which the times in bodies are compared.
private let now = Timestamp(milliseconds: 1_800_000_000_000)
private let reader = BodyReader(now: now)
/// What may be wrong with a body.
private let bodyCodes: Set<Problem.Code> = [.invalidJSON, .invalidBody, .invalidID, .bodyTooLarge]

/// A news that is read is within its limits, and the same when it is written and read again.
func checkNews(_ bytes: [UInt8]) throws(Violation) {
    guard let id = try? NewsID("n") else { return }
    guard let draft = try value(bodyCodes, { () throws(Problem) in try reader.news(bytes, id: id) }) else { return }
    try checkNews(draft)
}

private func checkNews(_ draft: NewsDraft) throws(Violation) {
    let news = draft.news
    try require(1...Limits.titleBytes ~= news.title.utf8.count, "a title of \(news.title.utf8.count) bytes")
    try require(news.url?.utf8.count ?? 0 <= Limits.urlBytes, "a url of \(news.url?.utf8.count ?? 0) bytes")
    try require(0...Limits.baseLikes ~= news.baseLikes, "\(news.baseLikes) baseLikes")
    try require(news.publishedAt.map { Timestamp.storable ~= $0 } ?? true, "published at \(news.publishedAt as Any)")
    let keys = news.properties.map { Array($0.key.utf8) }
    try require(keys == keys.sorted { $0.lexicographicallyPrecedes($1) }, "properties without an order")
    try require(Set(keys).count == keys.count && keys.count <= Limits.properties, "properties \(news.properties)")
    let bytes = news.properties.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    try require(bytes <= Limits.propertiesBytes, "\(bytes) bytes of properties")
    var json = JSONWriter()
    json.array { json in json.object { json in json.members(of: news) } }
    let again = try? reader.manyNews(json.bytes, .json)
    guard case .request(let same)? = again?.first, same.news == news else {
        throw Violation("\(news) is written as \(String(decoding: json.bytes, as: UTF8.self))")
    }
}

/// The entries are no more than may be; those that are none say why; the others are within their limits.
private func checkEntries<Request>(
    _ bytes: [UInt8], _ read: ([UInt8], MediaType) throws(Problem) -> [BatchEntry<Request>],
    _ check: (Request) throws(Violation) -> Void
) throws(Violation) {
    for type in [MediaType.json, .ndjson] {
        guard let entries = try value(bodyCodes, { () throws(Problem) in try read(bytes, type) }) else { continue }
        try require(entries.count <= Limits.batchEntries, "\(entries.count) entries")
        for entry in entries {
            switch entry {
            case .request(let request): try check(request)
            case .malformed(let code, let detail):
                guard let code = Problem.Code(rawValue: code) else { throw Violation("the code \(code)") }
                try checkProblem(Problem(code, detail), bodyCodes)
            }
        }
    }
}

func checkManyNews(_ bytes: [UInt8]) throws(Violation) {
    try checkEntries(bytes, { (body, type) throws(Problem) in try reader.manyNews(body, type) }, checkNews)
}

func checkManyLikes(_ bytes: [UInt8]) throws(Violation) {
    try checkEntries(bytes, { (body, type) throws(Problem) in try reader.manyLikes(body, type) }) {
        (like) throws(Violation) in
        let latest = Timestamp(milliseconds: now.milliseconds + Limits.futureMilliseconds)
        try require(like.at.map { Timestamp.storable.lowerBound...latest ~= $0 } ?? true, "a like at \(like.at as Any)")
    }
    try checkPlainLikes(bytes)
}

/// Likes that are read without a tree are the same as those that are read from one, as they are when they are a member.
private func checkPlainLikes(_ bytes: [UInt8]) throws(Violation) {
    guard let plain = PlainLikes.entries(bytes) else { return }
    let wrapped = Array(#"{"likes":"#.utf8) + bytes + [UInt8(ascii: "}")]
    guard let entries = try? reader.manyLikes(wrapped, .json), entries.count == plain.count else {
        throw Violation("\(plain.count) likes that are none")
    }
    for (entry, other) in zip(entries, plain) {
        guard case .request(let like) = entry, case .request(let same) = other,
            (like.liked, like.news, like.user, like.at) == (same.liked, same.news, same.user, same.at)
        else { throw Violation("\(other) is \(entry)") }
    }
}

func checkListedNews(_ bytes: [UInt8]) throws(Violation) {
    guard let news = try value(bodyCodes, { () throws(Problem) in try reader.listedNews(bytes) }) else { return }
    try require(news.count <= Limits.batchEntries, "\(news.count) news")
}

func checkCounts(_ bytes: [UInt8]) throws(Violation) {
    guard let request = try value(bodyCodes, { () throws(Problem) in try reader.countsRequest(bytes) }) else { return }
    try require(request.news.count <= Limits.countedNews, "\(request.news.count) news")
    try require(request.friends?.count ?? 0 <= Limits.friends, "\(request.friends?.count ?? 0) friends")
}

func checkMergeTarget(_ bytes: [UInt8]) throws(Violation) {
    _ = try value(bodyCodes) { () throws(Problem) in try reader.mergeTarget(bytes) }
}

/// Wherever an import is cut into pieces, its lines are the same, each a record or a refusal with a reason.
func checkImportLines(_ bytes: [UInt8]) throws(Violation) {
    guard let first = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    let whole = lines(of: body, pieces: max(body.count, 1))
    let cut = lines(of: body, pieces: max(Int(first), 1))
    try require(whole.description == cut.description, "\(whole.description) but in pieces \(cut.description)")
    let count = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
    let numbers = whole.records.map(\.line) + whole.refusals.map(\.line)
    try require(Set(numbers).count == numbers.count && numbers.allSatisfy { 1...count ~= $0 }, "lines \(numbers)")
    for refusal in whole.refusals {
        guard let code = Problem.Code(rawValue: refusal.code) else { throw Violation("the code \(refusal.code)") }
        try checkProblem(Problem(code, refusal.detail), bodyCodes)
    }
}

private func lines(of body: [UInt8], pieces size: Int) -> ImportLines.Batch {
    var lines = ImportLines()
    for start in stride(from: 0, to: body.count, by: size) {
        lines.take(Array(body[start..<min(start + size, body.count)]), now)
    }
    lines.takeLastLine(now)
    return lines.takeBatch()
}

extension ImportLines.Batch {
    fileprivate var description: String { "\(records) \(refusals) \(lastLine)" }
}
