internal import LikesCore

/// The query of a request, taken apart. Parameters that nobody asks for do not matter.
struct Query {
    /// The request target, in which the parameters lie.
    private let uri: [UInt8]
    private var parameters: [Parameter] = []

    /// Where a parameter lies, and whether it has to be decoded.
    fileprivate struct Parameter {
        var name: Range<Int>
        var value: Range<Int>
        var isNameEncoded = false
        var isValueEncoded = false
    }

    /// - Throws: `invalid_parameter` for bad percent-encoding, or a name that is not UTF-8.
    init(uri: [UInt8]) throws(Problem) {
        self.uri = uri
        guard let mark = uri.span.place(of: "?") else { return }
        parameters.reserveCapacity(1 + uri[mark...].count { $0 == UInt8(ascii: "&") })
        var start = mark + 1
        while start < uri.count {
            let parameter = Self.parameter(at: start, of: uri.span)
            if parameter.value.upperBound > start {
                try Self.check(parameter, of: uri.span)
                parameters.append(parameter)
            }
            start = parameter.value.upperBound + 1
        }
    }

    /// The parameter that begins at a place, found in one pass: a query can have hundreds.
    private static func parameter(at start: Int, of uri: Span<UInt8>) -> Parameter {
        var nameEnd: Int?
        var isEncoded = (name: false, value: false)
        var place = start
        while place < uri.count {
            switch uri[place] {
            case UInt8(ascii: "&"):
                return Parameter(start, nameEnd, place, isEncoded)
            case UInt8(ascii: "=") where nameEnd == nil: nameEnd = place
            case UInt8(ascii: "%"), UInt8(ascii: "+"):
                if nameEnd == nil { isEncoded.name = true } else { isEncoded.value = true }
            default: break
            }
            place += 1
        }
        return Parameter(start, nameEnd, place, isEncoded)
    }

    private static func check(_ parameter: Parameter, of uri: Span<UInt8>) throws(Problem) {
        guard !parameter.isValueEncoded || PercentEncoding.isValid(uri.extracting(parameter.value)),
            !parameter.isNameEncoded || decodedName(parameter, of: uri) != nil
        else { throw Problem(.invalidParameter, "the query has bad percent-encoding") }
    }

    private static func decodedName(_ parameter: Parameter, of uri: Span<UInt8>) -> String? {
        PercentEncoding.decode(uri.extracting(parameter.name), plusIsSpace: true)
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func isNamed(_ parameter: Parameter, _ name: StaticString) -> Bool {
        guard parameter.isNameEncoded else { return uri.span.extracting(parameter.name).equals(name) }
        return Self.decodedName(parameter, of: uri.span) == "\(name)"
    }

    /// The one parameter of a name that may come once only.
    private func only(_ name: StaticString) throws(Problem) -> Parameter? {
        guard let first = parameters.firstIndex(where: { isNamed($0, name) }) else { return nil }
        guard !parameters[(first + 1)...].contains(where: { isNamed($0, name) }) else {
            throw Problem(.invalidParameter, "\(name): it may come once only")
        }
        return parameters[first]
    }

    /// The text of a parameter that may come once only.
    func text(_ name: StaticString) throws(Problem) -> String? {
        guard let parameter = try only(name) else { return nil }
        let bytes = PercentEncoding.decode(uri.span.extracting(parameter.value), plusIsSpace: true)
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.invalidParameter, "\(name): it is not valid UTF-8")
        }
        return text
    }

    /// The user who looks, if one is named.
    func viewer() throws(Problem) -> UserID? {
        guard let parameter = try only("viewer") else { return nil }
        return try id(parameter, "viewer")
    }

    /// The ids of a parameter that may come many times.
    func ids<Subject>(_ name: StaticString) throws(Problem) -> [Identifier<Subject>] {
        var ids: [Identifier<Subject>] = []
        if !parameters.isEmpty { ids.reserveCapacity(parameters.count) }
        for parameter in parameters where isNamed(parameter, name) { ids.append(try id(parameter, name)) }
        return ids
    }

    private func id<Subject>(_ parameter: Parameter, _ name: StaticString) throws(Problem) -> Identifier<Subject> {
        let value = uri.span.extracting(parameter.value)
        do throws(IdentifierError) {
            guard parameter.isValueEncoded else { return try Identifier(utf8: value) }
            return try Identifier(utf8: PercentEncoding.decode(value, plusIsSpace: true) ?? [])
        } catch {
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

    /// Whether a list shall say more of its news than their ids.
    func includesNews() throws(Problem) -> Bool {
        switch try text("include") {
        case nil: return false
        case "news": return true
        default: throw Problem(.invalidParameter, "include: news is allowed")
        }
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

extension Query.Parameter {
    /// - Parameter nameEnd: where its `=` stands; nil when it has none, and with that no value.
    fileprivate init(_ start: Int, _ nameEnd: Int?, _ end: Int, _ isEncoded: (name: Bool, value: Bool)) {
        name = start..<(nameEnd ?? end)
        value = (nameEnd.map { $0 + 1 } ?? end)..<end
        (isNameEncoded, isValueEncoded) = isEncoded
    }
}
