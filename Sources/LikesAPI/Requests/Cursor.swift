internal import LikesCore

/// Where a page of a list ends and the next begins, as opaque text: base64url of a check sum and a place.
///
/// It names a place in the list's order, not an entry, so it holds when the entry is gone and after a restart.
enum Cursor: Equatable {
    /// The key of the last entry of a page of the feed.
    case feed(FeedKey)
    /// The sequence of the last like of a page of a chain of likes.
    case likes(before: UInt64)

    /// A list: a cursor of one is none of another.
    enum List {
        case feed(FeedSort)
        case likers(NewsID)
        case likes(by: UserID)

        /// What tells the lists apart in the check sum.
        fileprivate var name: [UInt8] {
            switch self {
            case .feed(.newest): [0]
            case .feed(.top), .feed(.topOfAllTime): [1]
            case .feed(.topOf(.day)): [4]
            case .feed(.topOf(.week)): [5]
            case .feed(.topOf(.month)): [6]
            // The scores of one half-life say nothing about those of another.
            case .feed(.trending(let halfLife)): [7] + Cursor.bytes(UInt64(halfLife.milliseconds))
            case .likers(let news): [2] + news.text.utf8
            case .likes(let user): [3] + user.text.utf8
            }
        }
    }

    /// The place that a text names in a list; nil when the list never gave it out.
    init?(_ text: String, of list: List) {
        guard let bytes = Base64URL.decode(text), bytes.count > 4 else { return nil }
        let place = Array(bytes[4...])
        guard Array(bytes[..<4]) == Self.checkSum(list.name + place) else { return nil }
        switch list {
        case .likers, .likes:
            guard place.count == 8 else { return nil }
            self = .likes(before: Self.number(place[...]))
        case .feed:
            guard place.count > 16, let id = try? NewsID(utf8: Array(place[16...])) else { return nil }
            self = .feed(
                FeedKey(
                    weight: Int64(bitPattern: Self.number(place[..<8])),
                    sortTime: Timestamp(milliseconds: Int64(bitPattern: Self.number(place[8..<16]))), id: id))
        }
    }

    /// The text that names this place in a list.
    func text(of list: List) -> String {
        let place: [UInt8]
        switch self {
        case .likes(let before): place = Self.bytes(before)
        case .feed(let key):
            place =
                Self.bytes(UInt64(bitPattern: key.weight))
                + Self.bytes(UInt64(bitPattern: key.sortTime.milliseconds)) + key.id.text.utf8
        }
        return Base64URL.encode(Self.checkSum(list.name + place) + place)
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// FNV-1a, 32 bits: against accidents. Whoever forges a cursor gets another place of the same list.
    private static func checkSum(_ bytes: [UInt8]) -> [UInt8] {
        let sum = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32($0))) }
    }
}

/// Base64 in the alphabet of URLs, without padding (RFC 4648, section 5).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0...group.count { text.append(alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; nil when it is not what `encode` gives for any.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        let digits = Array(text.utf8)
        for start in stride(from: 0, to: digits.count, by: 4) {
            let group = digits[start..<min(start + 4, digits.count)]
            guard group.count > 1 else { return nil }
            var bits: UInt32 = 0
            for digit in group {
                guard let value = value(of: digit) else { return nil }
                bits = bits << 6 | value
            }
            bits <<= UInt32(6 * (4 - group.count))
            for index in 0..<(group.count - 1) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * UInt32(index))))
            }
        }
        return encode(bytes) == text ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case 0x41...0x5A: UInt32(digit - 0x41)
        case 0x61...0x7A: UInt32(digit - 0x61 + 26)
        case 0x30...0x39: UInt32(digit - 0x30 + 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
