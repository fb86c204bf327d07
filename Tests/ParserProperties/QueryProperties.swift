internal import LikesCore

@testable internal import LikesAPI

/// Each parameter that is understood is within its limits, and says the same when it is written anew.
func checkQuery(_ bytes: [UInt8]) throws(Violation) {
    let query: Query
    do throws(Problem) { query = try Query(uri: Array("/?".utf8) + bytes) } catch {
        return try checkProblem(error, [.invalidParameter])
    }
    if let limit = try value([.invalidParameter], query.limit) {
        try require(1...Limits.pageMaximum ~= limit, "the limit is \(limit)")
    }
    _ = try value([.invalidParameter], query.fix)
    if let viewer = try value([.invalidID, .invalidParameter], query.viewer) ?? nil {
        try require(
            try reread("viewer", viewer.text, { query throws(Problem) in try query.viewer() }) == viewer, "viewer")
    }
    if let news: [NewsID] = try value([.invalidID], { () throws(Problem) in try query.ids("news") }) {
        for id in news {
            let again: [NewsID]? = try reread("news", id.text) { query throws(Problem) in try query.ids("news") }
            try require(again == [id], "the id \(id.text) is read back as \(again ?? [])")
        }
    }
    if let filter = try value([.invalidID, .invalidParameter], query.exportFilter) {
        try require(
            max(filter.news.count, filter.users.count) <= Limits.exportFilters,
            "an export of \(filter.news.count) news")
        let again = try? Query(uri: Array("/\(filter.query)".utf8)).exportFilter()
        try require(again?.news == filter.news && again?.users == filter.users, "the filter \(filter.query)")
    }
    if let sort = try value([.invalidParameter], { () throws(Problem) in try query.sort(.standard) }) {
        let text = sort.parameters.map { "\($0)=\($1)" }.joined(separator: "&")
        let again = try? Query(uri: Array("/?\(text)".utf8)).sort(.standard)
        try require(again == sort, "the order \(sort) is read back as \(String(describing: again))")
    }
    for list in lists() {
        _ = try value([.invalidCursor, .invalidParameter]) { () throws(Problem) in try query.cursor(of: list) }
    }
}

/// What a parser made of its input; nil when it refused it, with one of these codes.
func value<Value>(
    _ codes: Set<Problem.Code>, _ read: () throws(Problem) -> Value
) throws(Violation) -> Value? {
    do throws(Problem) { return try read() } catch {
        try checkProblem(error, codes)
        return nil
    }
}

/// What is read of a query with one parameter.
private func reread<Value>(
    _ name: String, _ text: String, _ read: (Query) throws(Problem) -> Value
) throws(Violation) -> Value? {
    let uri = Array("/?\(name)=\(PercentEncoding.encode(text))".utf8)
    do throws(Problem) { return try read(try Query(uri: uri)) } catch {
        throw Violation("\(name)=\(text) is refused when it is read again: \(error.detail)")
    }
}

/// A list of each kind.
private func lists() -> [Cursor.List] {
    guard let news = try? NewsID("n"), let user = try? UserID("n") else { return [] }
    let orders: [FeedSort] = [.newest, .top, .topOf(.day), .topOf(.week), .topOf(.month), .trending(.standard)]
    return orders.map { .feed($0) } + [.likers(news), .likes(by: user)]
}

/// A cursor that a list understands is one that it gives out: in exactly one spelling, and for one list.
func checkCursorText(_ bytes: [UInt8]) throws(Violation) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let decoded = Base64URL.decode(text) {
        try require(Base64URL.encode(decoded) == text, "\(text) is a second spelling of something")
    }
    try require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "\(bytes) are not read back from base64url")
    for list in lists() {
        guard let cursor = Cursor(text, of: list) else { continue }
        try require(cursor.text(of: list) == text, "\(text) is a second spelling of a cursor")
    }
}

/// The list that gives a cursor out understands it; no other does.
func checkCursorPlace(_ bytes: [UInt8]) throws(Violation) {
    guard bytes.count > 16, let id = try? NewsID(utf8: Array(bytes[16...])) else { return }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    let (weight, time) = (Int64(bitPattern: number(bytes[..<8])), Int64(bitPattern: number(bytes[8..<16])))
    let key = FeedKey(weight: weight, sortTime: Timestamp(milliseconds: time), id: id)
    for (index, list) in lists().enumerated() {
        let cursor: Cursor
        if case .feed = list { cursor = .feed(key) } else { cursor = .likes(before: UInt64(bitPattern: weight)) }
        let text = cursor.text(of: list)
        try require(text.utf8.allSatisfy { PercentEncoding.encode("\(Unicode.Scalar($0))").utf8.count == 1 }, text)
        for (otherIndex, other) in lists().enumerated() {
            let read = Cursor(text, of: other)
            try require(
                read == (index == otherIndex ? cursor : nil), "\(text) of \(list) is \(read as Any) of \(other)")
        }
    }
}
