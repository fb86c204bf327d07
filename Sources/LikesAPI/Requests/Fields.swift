internal import JSONText
internal import LikesCore

/// The members of an object in a body, taken one by one; each problem names its member.
struct Fields {
    private var members: [(key: String, value: JSONValue)]

    /// - Throws: `invalid_body` when the value is no object.
    init(_ value: JSONValue) throws(Problem) {
        guard let members = value.members else { throw Problem(.invalidBody, "an object is expected") }
        self.members = members
    }

    private mutating func take(_ name: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.key == name }) else { return nil }
        return members.remove(at: index).value
    }

    /// Whether a member is there and not taken yet.
    func has(_ name: String) -> Bool { members.contains { $0.key == name } }

    /// Ends the reading: what was not taken is unknown.
    func finish() throws(Problem) {
        guard let member = members.first else { return }
        // Of an endless name its beginning will do: an import keeps many such texts.
        let name = String(String.UnicodeScalarView(member.key.unicodeScalars.prefix(Limits.propertyKeyBytes)))
        throw Problem(.invalidBody, "\(name): there is no such member")
    }

    /// A string of so many bytes; nil when it is absent.
    mutating func text(_ name: String, _ length: ClosedRange<Int>) throws(Problem) -> String? {
        guard let value = take(name) else { return nil }
        return try Self.text(value, name, length)
    }

    private static func text(_ value: JSONValue, _ name: String, _ length: ClosedRange<Int>) throws(Problem) -> String {
        guard let text = value.string else { throw Problem(.invalidBody, "\(name): a string is expected") }
        guard length ~= text.utf8.count else {
            throw Problem(.invalidBody, "\(name): \(length.lowerBound) to \(length.upperBound) bytes are allowed")
        }
        guard !text.utf8.contains(0) else { throw Problem(.invalidBody, "\(name): U+0000 is not allowed") }
        return text
    }

    /// An id; nil when it is absent.
    mutating func id<Subject>(_ name: String) throws(Problem) -> Identifier<Subject>? {
        guard let value = take(name) else { return nil }
        return try Self.id(value, name)
    }

    /// An array; nil when it is absent.
    mutating func elements(_ name: String) throws(Problem) -> [JSONValue]? {
        guard let value = take(name) else { return nil }
        guard let elements = value.elements else { throw Problem(.invalidBody, "\(name): an array is expected") }
        return elements
    }

    /// An array of ids; nil when it is absent. A problem names the element by its place, from 0.
    mutating func ids<Subject>(_ name: String) throws(Problem) -> [Identifier<Subject>]? {
        guard let elements = try elements(name) else { return nil }
        var ids: [Identifier<Subject>] = []
        ids.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() { ids.append(try Self.id(element, "\(name)[\(index)]")) }
        return ids
    }

    /// A value as an id.
    ///
    /// - Parameter name: what a problem calls it; made only then.
    private static func id<Subject>(
        _ value: JSONValue, _ name: @autoclosure () -> String
    ) throws(Problem) -> Identifier<Subject> {
        guard let text = value.string else { throw Problem(.invalidBody, "\(name()): a string is expected") }
        do throws(IdentifierError) { return try Identifier(text) } catch {
            throw Problem(.invalidID, "\(name()): \(error.reason)")
        }
    }

    /// An integer in a range; nil when it is absent.
    mutating func integer(_ name: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let value = take(name) else { return nil }
        guard let integer = value.integer, range ~= integer else {
            throw Problem(
                .invalidBody, "\(name): an integer from \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return integer
    }

    /// A time in a range; nil when it is absent.
    mutating func time(_ name: String, _ range: ClosedRange<Timestamp>) throws(Problem) -> Timestamp? {
        guard let value = take(name) else { return nil }
        guard let time = value.string.flatMap({ Timestamp(rfc3339: $0) }) else {
            throw Problem(.invalidBody, "\(name): an RFC 3339 time is expected")
        }
        guard range ~= time else {
            throw Problem(
                .invalidBody,
                "\(name): a time from \(range.lowerBound.rfc3339) to \(range.upperBound.rfc3339) is allowed")
        }
        return time
    }

    /// A flat object of strings, sorted by key; empty when it is absent.
    mutating func properties(_ name: String) throws(Problem) -> [News.Property] {
        guard let value = take(name) else { return [] }
        guard let members = value.members else { throw Problem(.invalidBody, "\(name): an object is expected") }
        guard members.count <= Limits.properties else {
            throw Problem(.invalidBody, "\(name): up to \(Limits.properties) members are allowed")
        }
        var properties: [News.Property] = []
        for member in members {
            guard 1...Limits.propertyKeyBytes ~= member.key.utf8.count else {
                throw Problem(.invalidBody, "\(name): keys have 1 to \(Limits.propertyKeyBytes) bytes")
            }
            let text = try Self.text(member.value, "\(name).\(member.key)", 0...Limits.propertyValueBytes)
            properties.append(News.Property(key: member.key, value: text))
        }
        let bytes = properties.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= Limits.propertiesBytes else {
            throw Problem(.invalidBody, "\(name): all together have up to \(Limits.propertiesBytes) bytes")
        }
        return properties.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
