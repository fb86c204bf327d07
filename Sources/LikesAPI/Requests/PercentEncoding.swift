/// Percent-encoding as RFC 3986 has it, decoded exactly once.
enum PercentEncoding {
    /// The bytes that a text stands for; nil when a `%` is not followed by two hexadecimal digits.
    ///
    /// - Parameter plusIsSpace: true in a query, where forms write a space as `+`.
    static func decode(_ text: Span<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "%") {
                guard position + 2 < text.count, let high = digit(text[position + 1]),
                    let low = digit(text[position + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                position += 3
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                position += 1
            }
        }
        return bytes
    }

    /// Whether a text stands for itself, byte for byte: it has nothing to decode.
    static func isPlain(_ text: Span<UInt8>, plusIsSpace: Bool) -> Bool {
        for position in text.indices {
            let byte = text[position]
            if byte == UInt8(ascii: "%") || plusIsSpace && byte == UInt8(ascii: "+") { return false }
        }
        return true
    }

    /// Whether two hexadecimal digits follow every `%`.
    static func isValid(_ text: Span<UInt8>) -> Bool {
        for position in text.indices where text[position] == UInt8(ascii: "%") {
            guard position + 2 < text.count, digit(text[position + 1]) != nil, digit(text[position + 2]) != nil else {
                return false
            }
        }
        return true
    }

    /// A text in which only what every part of a URL may contain stands for itself.
    static func encode(_ text: String) -> String {
        // Most texts are ids and numbers.
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * text.utf8.count)
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default:
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "~")
        }
    }
}
