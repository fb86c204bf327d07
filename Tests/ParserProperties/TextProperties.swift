internal import LikesCore

@testable internal import LikesAPI

/// What counts as this machine is one of three things, whatever its case and its port.
func checkHost(_ bytes: [UInt8]) throws(Violation) {
    // As the header's value comes: repaired.
    let host = String(decoding: bytes, as: UTF8.self)
    var name = host.utf8[...]
    if let colon = name.lastIndex(of: UInt8(ascii: ":")), name[colon...].dropFirst().allSatisfy({ 48...57 ~= $0 }),
        !name[..<colon].contains(UInt8(ascii: ":")) || name[..<colon].last == UInt8(ascii: "]")
    {
        name = name[..<colon]
    }
    let groups = String(decoding: name, as: UTF8.self).utf8.split(
        separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isAddress =
        groups.count == 4 && groups[0].elementsEqual("127".utf8)
        && groups.allSatisfy { 1...3 ~= $0.count && $0.allSatisfy { 48...57 ~= $0 } }
    let small = name.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
    let expected = isAddress || small == Array("localhost".utf8) || small == Array("[::1]".utf8)
    try require(LoopbackHost.matches(host.utf8.span) == expected, "\(host) is \(expected ? "" : "not ")this machine")
}

/// A time that is printed is read as the same time.
func checkTimestamp(_ bytes: [UInt8]) throws(Violation) {
    guard let time = Timestamp(rfc3339: String(decoding: bytes, as: UTF8.self)) else { return }
    // What a four-digit year can say: an offset may lead out of it.
    guard -62_167_219_200_000...253_402_300_799_999 ~= time.milliseconds else { return }
    let text = time.rfc3339
    try require(
        text.utf8.count == 24 && text.utf8.allSatisfy { $0 < 0x80 }, "\(time.milliseconds) is printed as \(text)")
    try require(Timestamp(rfc3339: text) == time, "\(time.milliseconds) is printed as \(text)")
}

/// A token has exactly one spelling.
func checkToken(_ bytes: [UInt8]) throws(Violation) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let token = Token(text) else { return }
    try require(Array(token.text.utf8) == Array(text.utf8), "\(text) is a second spelling of \(token.text)")
}

/// An origin is kept in the form that browsers send, which is one itself.
func checkOrigin(_ bytes: [UInt8]) throws(Violation) {
    guard let origin = Origin(String(decoding: bytes, as: UTF8.self)) else { return }
    try require(origin.text.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "the origin \(origin.text)")
    try require(Origin(origin.text) == origin, "the origin \(origin.text) is none")
}
