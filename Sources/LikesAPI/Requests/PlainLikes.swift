internal import LikesCore

/// Reads a batch of likes as programs usually write it, `[{"op":"like","news":"1","user":"ada"}, …]`, without making a tree of it.
///
/// A tree of JSON costs several times what the rest of a batch's reading does. Whatever is written in another way, with escapes,
/// `at` or a fault, is not taken: `BodyReader` reads that from a tree, and says what is wrong. What is taken means the same there.
struct PlainLikes {
    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The entries of a body; nil when it is no such array, or one of more than may be.
    static func entries(_ body: [UInt8]) -> [BatchEntry<ToggleRequest>]? {
        var reader = PlainLikes(body)
        guard reader.takes("[") else { return nil }
        var entries: [BatchEntry<ToggleRequest>] = []
        entries.reserveCapacity(min(body.count / usualBytes, Limits.batchEntries))
        repeat {
            guard entries.count < Limits.batchEntries, let like = reader.like() else { return nil }
            entries.append(.request(like))
        } while reader.takes(",")
        return reader.takes("]") && reader.isAtEnd ? entries : nil
    }

    /// Bytes of an entry with short ids.
    private static let usualBytes = 40

    private mutating func like() -> ToggleRequest? {
        var (liked, news, user): (Bool?, NewsID?, UserID?)
        guard takes("{") else { return nil }
        repeat {
            guard let name = string(), takes(":"), let value = string() else { return nil }
            if liked == nil, isAt(name, "op") {
                guard isAt(value, "like") || isAt(value, "unlike") else { return nil }
                liked = isAt(value, "like")
            } else if news == nil, isAt(name, "news") {
                guard let id: NewsID = id(value) else { return nil }
                news = id
            } else if user == nil, isAt(name, "user") {
                guard let id: UserID = id(value) else { return nil }
                user = id
            } else {
                return nil
            }
        } while takes(",")
        guard takes("}"), let liked, let news, let user else { return nil }
        return ToggleRequest(liked: liked, news: news, user: user)
    }

    private func isAt(_ range: Range<Int>, _ word: StaticString) -> Bool {
        bytes.span.extracting(range).equals(word)
    }

    private func id<Subject>(_ range: Range<Int>) -> Identifier<Subject>? {
        try? Identifier(utf8: bytes.span.extracting(range))
    }

    /// Takes a string of ASCII without escapes: where its text stands.
    private mutating func string() -> Range<Int>? {
        guard takes("\"") else { return nil }
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                return start..<place - 1
            case UInt8(ascii: "\\"), ..<0x20, 0x7F...: return nil
            default: place += 1
            }
        }
        return nil
    }

    /// Takes a character, and the white space before it.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return place == bytes.count
        }
    }

    private mutating func skipSpace() {
        while place < bytes.count {
            switch bytes[place] {
            case 0x20, 0x09, 0x0A, 0x0D: place += 1
            default: return
            }
        }
    }
}
