internal import LikesCore

/// The query of a request, taken apart. Parameters that nobody asks for do not matter.
struct Query {
    private var parameters: [(name: String, value: [UInt8])] = []

    /// - Throws: `invalid_parameter` for bad percent-encoding, or a name that is not UTF-8.
    init(uri: [UInt8]) throws(Problem) {
        guard let mark = uri.firstIndex(of: UInt8(ascii: "?")) else { return }
        for pair in uri[(mark + 1)...].split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let nameBytes = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let name = String(validating: nameBytes, as: UTF8.self),
                let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : [], plusIsSpace: true)
            else { throw Problem(.invalidParameter, "the query has bad percent-encoding") }
            parameters.append((name, value))
        }
    }

    /// The value of a parameter that may come once only.
    private func value(_ name: String) throws(Problem) -> [UInt8]? {
        guard let first = parameters.firstIndex(where: { $0.name == name }) else { return nil }
        guard !parameters[(first + 1)...].contains(where: { $0.name == name }) else {
            throw Problem(.invalidParameter, "\(name): it may come once only")
        }
        return parameters[first].value
    }

    /// The text of a parameter that may come once only.
    func text(_ name: String) throws(Problem) -> String? {
        guard let value = try value(name) else { return nil }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw Problem(.invalidParameter, "\(name): it is not valid UTF-8")
        }
        return text
    }

    /// The user who looks, if one is named.
    func viewer() throws(Problem) -> UserID? {
        guard let value = try value("viewer") else { return nil }
        return try Self.id(value, "viewer")
    }

    /// The ids of a parameter that may come many times.
    func ids<Subject>(_ name: String) throws(Problem) -> [Identifier<Subject>] {
        var ids: [Identifier<Subject>] = []
        for parameter in parameters where parameter.name == name { ids.append(try Self.id(parameter.value, name)) }
        return ids
    }

    private static func id<Subject>(_ value: [UInt8], _ name: String) throws(Problem) -> Identifier<Subject> {
        do throws(IdentifierError) { return try Identifier(utf8: value) } catch {
            throw Problem(.invalidID, "\(name): \(error.reason)")
        }
    }

    /// What an export is asked for.
    func exportFilter() throws(Problem) -> ExportFilter {
        let (news, users) = try subjects(upTo: Limits.exportFilters)
        return ExportFilter(news: news, users: users)
    }

    /// The news and the users that are asked for by name, up to so many of each.
    func subjects(upTo limit: Int) throws(Problem) -> (news: [NewsID], users: [UserID]) {
        let (news, users): ([NewsID], [UserID]) = (try ids("news"), try ids("user"))
        guard max(news.count, users.count) <= limit else {
            throw Problem(.invalidParameter, "news, user: up to \(limit) ids of each are allowed")
        }
        return (news, users)
    }

    /// How many entries a page has at most.
    func limit() throws(Problem) -> Int {
        guard let text = try text("limit") else { return Limits.pageDefault }
        let isNumber = 1...4 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        guard isNumber, let limit = Int(text), 1...Limits.pageMaximum ~= limit else {
            throw Problem(.invalidParameter, "limit: a number from 1 to \(Limits.pageMaximum) is allowed")
        }
        return limit
    }

    /// Whether what is found wrong shall be set right.
    func fix() throws(Problem) -> Bool {
        switch try text("fix") {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.invalidParameter, "fix: true and false are allowed")
        }
    }

    /// The order of the feed.
    ///
    /// - Parameter halfLife: of `trending`.
    func sort(_ halfLife: HalfLife) throws(Problem) -> FeedSort {
        try FeedSort(sort: text("sort"), window: text("window"), halfLife: halfLife)
    }

    /// Where the page begins, if the list's first page is not meant.
    ///
    /// - Throws: `invalid_cursor` when the cursor is none that this list gave.
    func cursor(of list: Cursor.List) throws(Problem) -> Cursor? {
        guard let text = try text("cursor") else { return nil }
        guard let cursor = Cursor(text, of: list) else {
            throw Problem(.invalidCursor, "the cursor is not one that this list gave")
        }
        return cursor
    }
}
