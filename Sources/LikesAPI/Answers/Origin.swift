/// Where a web page comes from, as browsers write it: `scheme://host`, with the port unless it is the scheme's own.
package struct Origin: Sendable, Equatable {
    /// The text that a browser sends.
    package let text: String

    /// All of them.
    package static let any = Origin(trusted: "*")

    /// What `init` takes, in words.
    package static let form = "* or scheme://host[:port]"

    private init(trusted text: String) { self.text = text }

    /// An origin that an operator has written, brought to the form that browsers send; `*` means all.
    ///
    /// Nil when it is none. `null` is none either: every page in a sandbox, and every file, could say that.
    package init?(_ text: String) {
        if text == Self.any.text {
            self = .any
            return
        }
        // Of ASCII only: U+212A would become a "k", and the origin another one.
        let text = String(decoding: text.utf8.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }, as: UTF8.self)
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, Self.isScheme(halves[0].utf8), halves[1].hasPrefix("//") else { return nil }
        let authority = halves[1].dropFirst(2)
        let hostEnd =
            authority.lastIndex(of: "]").map { authority.index(after: $0) }
            ?? authority.firstIndex(of: ":") ?? authority.endIndex
        guard let host = Self.host(authority[..<hostEnd]), let port = Self.port(authority[hostEnd...]) else {
            return nil
        }
        let isImplied = (halves[0] == "http" && port == ":80") || (halves[0] == "https" && port == ":443")
        self.init(trusted: "\(halves[0])://\(host)\(isImplied ? "" : port)")
    }

    private static func isScheme(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || isDigit($0) || [0x2B, 0x2D, 0x2E].contains($0) }
    }

    /// A name of letters, digits, `.`, `-` and `_`, an address of IPv4, or one of IPv6 in brackets; nil for anything else.
    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return IPv6Address(text.dropFirst().dropLast()).map { "[\($0.text)]" }
        }
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.allSatisfy({ isLetter($0) || isDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) }),
            !endsInNumber(bytes) || isIPv4Address(bytes)
        else { return nil }
        return String(text)
    }

    /// Whether browsers take it for an address of IPv4, in one of many spellings (`127.1`, `0x7f000001`).
    private static func endsInNumber(_ bytes: Substring.UTF8View) -> Bool {
        guard let last = bytes.split(separator: UInt8(ascii: ".")).last else { return true }
        let isHexadecimal =
            last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { isDigit($0) || isHexLetter($0) }
        return isHexadecimal || last.allSatisfy(isDigit)
    }

    /// Whether it is an address of IPv4 in the one spelling that browsers send.
    private static func isIPv4Address(_ bytes: Substring.UTF8View) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in UInt8(Substring(part)).map { "\($0)" == Substring(part) } ?? false }
    }

    /// The port with its colon, without leading zeros; empty when there is none, nil when it is wrong.
    private static func port(_ text: Substring) -> String? {
        guard let colon = text.first else { return "" }
        let digits = text.dropFirst()
        guard colon == ":", digits.utf8.allSatisfy(isDigit), let port = UInt16(digits), port > 0 else { return nil }
        return ":\(port)"
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte }

    private static func isHexLetter(_ byte: UInt8) -> Bool { 0x61...0x66 ~= byte }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}

/// An address of IPv6, in lower case, of eight pieces in hexadecimal.
private struct IPv6Address {
    private let pieces: [UInt16]

    /// Nil when it is none. The form that ends in an address of IPv4, which no browser sends, is not taken.
    init?(_ text: Substring) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        // "::" leaves an empty part, at the beginning or the end one more.
        if parts.first == "" {
            guard parts.count > 2, parts[1].isEmpty else { return nil }
            parts.removeFirst()
        }
        if parts.last == "", parts.count > 1 {
            guard parts[parts.count - 2].isEmpty else { return nil }
            parts.removeLast()
        }
        guard parts.count <= 8, parts.count(where: \.isEmpty) <= 1 else { return nil }
        var pieces: [UInt16] = []
        for part in parts {
            if part.isEmpty {
                pieces += repeatElement(0, count: 9 - parts.count)
            } else {
                guard part.utf8.count <= 4, part.first != "+", let piece = UInt16(part, radix: 16) else { return nil }
                pieces.append(piece)
            }
        }
        guard pieces.count == 8 else { return nil }
        self.pieces = pieces
    }

    /// As browsers write it: without leading zeros, and the first of the longest runs of zeros, of two at least, as `::`.
    var text: String {
        let zeros = longestZeros
        let before = pieces[..<zeros.lowerBound].map { String($0, radix: 16) }.joined(separator: ":")
        if zeros.isEmpty { return before }
        return before + "::" + pieces[zeros.upperBound...].map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Where the zeros are that are left out; empty, at the end, when there are none.
    private var longestZeros: Range<Int> {
        var longest = pieces.count..<pieces.count
        var start = 0
        for (index, piece) in pieces.enumerated() {
            if piece != 0 {
                start = index + 1
            } else if index - start >= max(longest.count, 1) {
                longest = start..<index + 1
            }
        }
        return longest
    }
}
