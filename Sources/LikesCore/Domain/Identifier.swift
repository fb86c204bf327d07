/// An opaque id: 1 to 256 bytes of UTF-8 that come back byte for byte.
///
/// Two ids are equal when their bytes are. Swift's own string comparison would call the two spellings of "é" equal.
/// `Subject` only keeps ids of news and of users apart.
package struct Identifier<Subject>: Sendable {
    /// The id as text; its UTF-8 bytes are the id.
    package let text: String

    /// An id from bytes.
    ///
    /// - Throws: `IdentifierError` with the rule that the bytes break.
    package init(utf8 bytes: [UInt8]) throws(IdentifierError) { try self.init(utf8: bytes.span) }

    /// An id from bytes.
    ///
    /// - Throws: `IdentifierError` with the rule that the bytes break.
    package init(utf8 bytes: Span<UInt8>) throws(IdentifierError) {
        if bytes.isEmpty { throw .empty }
        if bytes.count > Limits.identifierBytes { throw .tooLong }
        // Repairing and comparing is several times faster than `String(validating:)`.
        let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        // Most ids are made of nothing but these, and break no other rule.
        if Self.isPlain(bytes) {
            self.init(stored: text)
            return
        }
        let isUnchanged = unsafe bytes.withUnsafeBufferPointer { unsafe text.utf8.elementsEqual($0) }
        guard isUnchanged else { throw .notUTF8 }
        try self.init(checking: text)
    }

    /// Whether there is nothing but letters, digits, `-` and `_`.
    private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): continue
            default: return false
            }
        }
        return true
    }

    /// An id from text.
    ///
    /// - Throws: `IdentifierError` with the rule that the text breaks.
    package init(_ text: String) throws(IdentifierError) {
        if text.isEmpty { throw .empty }
        if text.utf8.count > Limits.identifierBytes { throw .tooLong }
        try self.init(checking: text)
    }

    /// An id that was checked before it was stored.
    init(stored bytes: UnsafeRawBufferPointer) { unsafe text = String(decoding: bytes, as: UTF8.self) }

    /// An id that was checked before it was stored.
    init(stored text: String) { self.text = text }

    private init(checking text: String) throws(IdentifierError) {
        if text == "." || text == ".." { throw .dots }
        // Unicode Cc is U+0000-001F, U+007F and U+0080-009F; the last ones are C2 80 to C2 9F in UTF-8.
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { throw .controlCharacter }
            previous = byte
        }
        self.text = text
    }
}

extension Identifier: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        unsafe left.withBytes { left in unsafe right.withBytes { right in unsafe left.equals(right) } }
    }

    package func hash(into hasher: inout Hasher) {
        unsafe withBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    }

    /// Lends out the bytes of the id.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var copy = text
        return copy.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
    }
}

extension Identifier: Comparable {
    /// The order of the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        unsafe left.withBytes { left in unsafe right.withBytes { right in unsafe left.precedes(right) } }
    }
}

/// What an id of news is about.
package enum NewsSubject {}
/// What an id of a user is about.
package enum UserSubject {}

/// The id of a news.
package typealias NewsID = Identifier<NewsSubject>
/// The id of a user: whoever likes, or writes news.
package typealias UserID = Identifier<UserSubject>

/// The rule that an id breaks.
package enum IdentifierError: Error, Equatable {
    case empty, tooLong, notUTF8, controlCharacter, dots

    /// A sentence for the caller.
    package var reason: String {
        switch self {
        case .empty: "an id must not be empty"
        case .tooLong: "an id has at most \(Limits.identifierBytes) bytes"
        case .notUTF8: "an id must be valid UTF-8"
        case .controlCharacter: "an id must not contain control characters"
        case .dots: "\".\" and \"..\" cannot be ids, since clients and proxies rewrite such paths"
        }
    }
}
