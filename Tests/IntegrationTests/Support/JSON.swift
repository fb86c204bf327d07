import Foundation

/// A JSON value; `.absent` is what is not there, so that members can be followed without unwrapping.
///
/// Strings are equal when their bytes are: an `é` of one character is not an `e` with an accent after it.
enum JSON: Sendable {
    case absent
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The value in a text, or nil when the text is not JSON.
    init?(text: Data) {
        guard let value = try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed) else { return nil }
        self.init(value)
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let elements as [Any]: self = .array(elements.map { JSON($0) })
        case let members as [String: Any]: self = .object(members.mapValues { JSON($0) })
        case let number as NSNumber:
            switch UInt8(unsafe number.objCType.pointee) {
            case UInt8(ascii: "c"): self = .bool(number.boolValue)
            case UInt8(ascii: "d"): self = .double(number.doubleValue)
            default: self = .integer(number.int64Value)
            }
        default: self = .null
        }
    }

    /// The member with this name.
    subscript(name: String) -> JSON {
        guard case .object(let members) = self else { return .absent }
        return members[name] ?? .absent
    }

    /// The element at this place.
    subscript(index: Int) -> JSON {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return .absent }
        return elements[index]
    }

    /// The elements of an array; none of anything else.
    var elements: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The names of an object's members.
    var names: Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.keys)
    }

    /// The text of a string.
    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value of a whole number.
    var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// What is sent.
    var text: String {
        switch self {
        case .absent, .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): JSON.quoted(text)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSON.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSON: Equatable {
    static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.absent, .absent), (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSON: CustomStringConvertible {
    var description: String { self == .absent ? "absent" : text }
}
