import TestSupport

/// A random write with an Operation-Id of its own.
struct LiveWrite: Sendable {
    enum Kind: Sendable {
        /// At most one event, and exactly one when it is answered with `changed: true`.
        case toggle
        /// As many likes and unlikes as the answer counts in `changed`.
        case bulk
        /// Something of which the answer does not count the events.
        case other
        /// What is refused, and so leaves no event.
        case refused
    }

    let kind: Kind
    let operation: String
    let request: WireRequest
}

/// Makes random writes for few news and users, so that they often meet.
struct LiveWriteMaker {
    static let news = (0..<16).map { "n\($0)" }
    private static let users = (0..<24).map { "u\($0)" }

    private var random: SeededRandom
    private let prefix: String
    private var number = 0

    /// - Parameter prefix: of the Operation-Ids, which no other maker may have.
    init(seed: UInt64, prefix: String) {
        random = SeededRandom(seed: seed)
        self.prefix = prefix
    }

    mutating func next() -> LiveWrite {
        let (news, user) = (random.one(of: Self.news), random.one(of: Self.users))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<42: return write(.toggle, "PUT", API.like(news, user))
        case 42..<68: return write(.toggle, "DELETE", API.like(news, user))
        case 68..<76:
            let base = random.once(in: 3) ? #","baseLikes":\#(Int.random(in: 0...9, using: &random))"# : ""
            return write(.other, "PUT", API.news(news), #"{"title":"title \#(number)"\#(base)}"#)
        case 76..<79: return write(.other, "DELETE", API.news(news))
        case 79..<81:
            return write(.other, "POST", API.news(news) + "/merge", #"{"into":"\#(random.one(of: Self.news))"}"#)
        case 81..<87: return write(.bulk, "POST", "/v1/likes", batch(30))
        case 87..<89: return write(.bulk, "PUT", API.likes(of: user))
        case 89..<91: return write(.bulk, "DELETE", API.likes(of: user))
        case 91..<92: return write(.other, "DELETE", API.profile(user))
        case 92..<94: return importing(news)
        case 94..<96: return write(.refused, "PUT", API.like("nobody-made-this", user))
        case 96..<97: return write(.refused, "PUT", API.news(news), #"{"title":7}"#)
        default: return write(.refused, "DELETE", API.like("nobody-made-this", user))
        }
    }

    private mutating func write(
        _ kind: LiveWrite.Kind, _ method: String, _ target: String, _ body: String? = nil,
        type: String = "application/json"
    ) -> LiveWrite {
        number += 1
        let operation = "\(prefix)-\(number)"
        let headers = ["Operation-Id": operation]
        return LiveWrite(
            kind: kind, operation: operation,
            request: WireRequest(method, target, headers: headers, body: body, type: type))
    }

    private mutating func batch(_ count: Int) -> String {
        let entries = (0..<count).map { _ in
            let op = random.once(in: 3) ? "unlike" : "like"
            return #"{"op":"\#(op)","news":"\#(random.one(of: Self.news))","user":"\#(random.one(of: Self.users))"}"#
        }
        return "[" + entries.joined(separator: ",") + "]"
    }

    private mutating func importing(_ news: String) -> LiveWrite {
        let likes = (0..<8).map { _ in
            #"{"op":"like","news":"\#(news)","user":"\#(random.one(of: Self.users))","at":"2020-01-01T00:00:00Z"}"#
                + "\n"
        }
        let lines = #"{"id":"\#(news)","title":"imported"}"# + "\n" + likes.joined()
        return write(.other, "POST", "/v1/admin/import", lines, type: API.lines)
    }
}

/// What became of writes, to be compared with the events that readers saw.
struct LiveWrites: Sendable {
    private var answered: [(write: LiveWrite, answer: Answer)] = []
    private var sent: Set<String> = []
    /// Statuses other than success, refusal and redirection, with the requests.
    private(set) var faults: [String] = []

    var count: Int { answered.count }

    mutating func note(_ log: WireClient.Log, of writes: [LiveWrite]) {
        for (exchange, write) in zip(log.exchanges, writes) { answered.append((write, exchange.answer)) }
        for write in writes.prefix(log.exchanges.count + 1) { sent.insert(write.operation) }
    }

    /// What was answered and did not come, or came and was not asked for.
    func faults(in events: [LiveEvent]) -> [String] {
        var faults: [String] = []
        let named = events.filter { $0.data["operationId"].string != nil }
        let byOperation = Dictionary(grouping: named) { $0.data["operationId"].string ?? "" }
        for operation in byOperation.keys where !sent.contains(operation) {
            faults.append("an event of an operation that nobody sent: \(operation)")
        }
        for (write, answer) in answered {
            let caused = byOperation[write.operation] ?? []
            if let what = Self.fault(write, answer, caused) {
                faults.append("\(write.request.method) \(write.request.target): \(what); \(answer)\n\(caused)")
            }
        }
        return Array(faults.prefix(20))
    }

    private static func fault(_ write: LiveWrite, _ answer: Answer, _ events: [LiveEvent]) -> String? {
        // Not known to be stored: there may be an event.
        if answer.status == 503 { return nil }
        if answer.status >= 500 { return "a failure" }
        if answer.status >= 300 { return events.isEmpty ? nil : "an event of a refused request" }
        let likes = events.filter { $0.kind == "likeAdded" || $0.kind == "likeRemoved" }
        switch write.kind {
        case .other: return nil
        case .refused: return events.isEmpty ? nil : "an event of a request that changes nothing"
        case .bulk:
            return answer.json["changed"] == .integer(Int64(likes.count)) ? nil : "another number of events"
        case .toggle:
            guard answer.json["changed"] == true else { return events.isEmpty ? nil : "an event of no change" }
            guard let event = events.first, events.count == 1 else { return "not one event" }
            for name in ["sequence", "news", "user", "likesCount", "operationId"]
            where event.data[name] != answer.json[name] {
                return "another \(name)"
            }
            let kind = answer.json["liked"] == true ? "likeAdded" : "likeRemoved"
            return event.kind == kind ? nil : "another kind"
        }
    }
}
