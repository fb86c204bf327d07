/// What has to hold of a parser, whatever bytes it is given: fuzzing looks for bytes of which it does not hold, and the
/// tests try those that were found.
///
/// The raw value is the first byte of an input, which so says whose it is: `r/v1/feed` is a path.
package enum ParserProperty: UInt8, CaseIterable {
    /// A request target, as it stands in a request line.
    case target = 0x75  // u
    /// The path of a request.
    case route = 0x72  // r
    /// The query of a request, without its question mark.
    case query = 0x71  // q
    /// The text of a cursor.
    case cursorText = 0x63  // c
    /// 16 bytes of two numbers and an id: a place in a list.
    case cursorPlace = 0x43  // C
    /// A percent-encoded text.
    case percentEncoding = 0x70  // p
    /// The `Host` of a request.
    case host = 0x68  // h
    /// A time.
    case timestamp = 0x74  // t
    /// A token, as `Likes-Sequence` has it.
    case token = 0x73  // s
    /// An origin, as an operator writes it.
    case origin = 0x6F  // o
    /// A JSON text.
    case json = 0x6A  // j
    /// A body that describes a news.
    case news = 0x6E  // n
    /// A body with many news, as JSON and as lines.
    case manyNews = 0x4E  // N
    /// A body with many likes, as JSON and as lines.
    case manyLikes = 0x4C  // L
    /// A body that lists news.
    case listedNews = 0x6C  // l
    /// A body that asks for counts.
    case counts = 0x6B  // k
    /// A body that names the target of a merge.
    case mergeTarget = 0x6D  // m
    /// The size of a piece in one byte, and the body of an import, which comes in such pieces.
    case importLines = 0x49  // I

    /// Checks an input: the byte that names the property, and what the parser is given.
    ///
    /// - Returns: whether there is such a property.
    /// - Throws: `Violation` when the property does not hold.
    @discardableResult package static func check(_ input: [UInt8]) throws(Violation) -> Bool {
        guard let property = input.first.flatMap({ ParserProperty(rawValue: $0) }) else { return false }
        try property.check(Array(input.dropFirst()))
        return true
    }

    private func check(_ bytes: [UInt8]) throws(Violation) {
        switch self {
        case .target: try checkTarget(bytes)
        case .route: try checkRoute(bytes)
        case .query: try checkQuery(bytes)
        case .cursorText: try checkCursorText(bytes)
        case .cursorPlace: try checkCursorPlace(bytes)
        case .percentEncoding: try checkPercentEncoding(bytes)
        case .host: try checkHost(bytes)
        case .timestamp: try checkTimestamp(bytes)
        case .token: try checkToken(bytes)
        case .origin: try checkOrigin(bytes)
        case .json: try checkJSON(bytes)
        case .news: try checkNews(bytes)
        case .manyNews: try checkManyNews(bytes)
        case .manyLikes: try checkManyLikes(bytes)
        case .listedNews: try checkListedNews(bytes)
        case .counts: try checkCounts(bytes)
        case .mergeTarget: try checkMergeTarget(bytes)
        case .importLines: try checkImportLines(bytes)
        }
    }
}

/// A property that does not hold.
package struct Violation: Error, CustomStringConvertible {
    /// What was expected, and what there was.
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Says what does not hold, unless it does.
func require(_ condition: Bool, _ description: @autoclosure () -> String) throws(Violation) {
    guard condition else { throw Violation(description()) }
}
