internal import MicroHTTP

/// What browsers are told so that web pages of other origins may call the API (CORS, as the Fetch standard has it).
///
/// Credentials are never allowed: there are none.
package struct CrossOrigin: Sendable {
    /// The origins that may; nil for all.
    private let allowed: Set<String>?

    /// Lets pages of these origins call; there is at least one.
    package init(_ origins: [Origin]) {
        allowed = origins.contains(.any) ? nil : Set(origins.map(\.text))
    }

    /// The headers of an answer that a page may read.
    private static let exposed = "Link, ETag, Likes-Sequence, Location, Retry-After, Allow, Operation-Id"

    /// The headers that a page may send beyond those that it may send anyway.
    private static let accepted = "Content-Type, If-None-Match, Operation-Id, Likes-Min-Sequence, Last-Event-ID"

    /// What the HTTP server adds to every answer.
    var amendment: @Sendable (inout Response, borrowing Request) -> Void {
        { response, request in amend(&response, request) }
    }

    /// Adds to an answer what the origin of its request calls for.
    private func amend(_ response: inout Response, _ request: borrowing Request) {
        let origin: String
        if let allowed {
            // Also of answers to those who may not, and to those who say no origin: a cache must not mix them up.
            response.headers.append(Header("Vary", "Origin"))
            guard let named = request.header("Origin"), allowed.contains(named) else { return }
            origin = named
        } else {
            origin = Origin.any.text
        }
        response.headers.append(Header("Access-Control-Allow-Origin", origin))
        guard isPreflight(request) else {
            response.headers.append(Header("Access-Control-Expose-Headers", Self.exposed))
            return
        }
        // A preflight that failed, of an unknown path say, remains what it is: the browser then makes no request.
        guard let methods = response.headers.first(where: { "\($0.name)" == "Allow" }) else { return }
        response.headers += [
            Header("Access-Control-Allow-Methods", methods.value),
            Header("Access-Control-Allow-Headers", Self.accepted),
            Header("Access-Control-Max-Age", "\(APILimits.preflightSeconds)"),
        ]
        if request.header("Access-Control-Request-Private-Network") == "true" {
            response.headers.append(Header("Access-Control-Allow-Private-Network", "true"))
        }
    }

    /// Whether a browser asks what it may ask.
    private func isPreflight(_ request: borrowing Request) -> Bool {
        request.method == .options && request.header("Origin") != nil
            && request.header("Access-Control-Request-Method") != nil
    }
}

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
        let text = text.lowercased()
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, Self.isScheme(halves[0].utf8), halves[1].hasPrefix("//") else { return nil }
        let authority = halves[1].dropFirst(2)
        let hostEnd =
            authority.lastIndex(of: "]").map { authority.index(after: $0) }
            ?? authority.firstIndex(of: ":") ?? authority.endIndex
        guard Self.isHost(authority[..<hostEnd].utf8), let port = Self.port(authority[hostEnd...]) else { return nil }
        let isImplied = (halves[0] == "http" && port == ":80") || (halves[0] == "https" && port == ":443")
        self.init(trusted: "\(halves[0])://\(authority[..<hostEnd])\(isImplied ? "" : port)")
    }

    private static func isScheme(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || isDigit($0) || [0x2B, 0x2D, 0x2E].contains($0) }
    }

    /// A name of letters, digits, `.`, `-` and `_`, an address of IPv4, or one of IPv6 in brackets.
    private static func isHost(_ bytes: Substring.UTF8View) -> Bool {
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            let address = bytes.dropFirst().dropLast()
            return address.contains(UInt8(ascii: ":"))
                && address.allSatisfy { isDigit($0) || 0x61...0x66 ~= $0 || $0 == 0x3A || $0 == 0x2E }
        }
        return !bytes.isEmpty
            && bytes.allSatisfy { isLetter($0) || isDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    /// The port with its colon, without leading zeros; empty when there is none, nil when it is wrong.
    private static func port(_ text: Substring) -> String? {
        guard let colon = text.first else { return "" }
        let digits = text.dropFirst()
        guard colon == ":", digits.utf8.allSatisfy(isDigit), let port = UInt16(digits), port > 0 else { return nil }
        return ":\(port)"
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
