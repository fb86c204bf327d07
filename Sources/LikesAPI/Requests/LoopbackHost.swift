/// Names and addresses of the machine itself.
enum LoopbackHost {
    /// Whether a `Host` header names this machine by a loopback name or address, with or without a port.
    ///
    /// On bytes: every request passes here, and comparing characters costs more than all the rest of it.
    static func matches(_ host: Span<UInt8>) -> Bool {
        let isBracketed = !host.isEmpty && host[0] == UInt8(ascii: "[")
        guard let end = isBracketed ? host.place(of: "]").map({ $0 + 1 }) : host.place(of: ":") ?? host.count else {
            return false
        }
        let name = host.extracting(..<end)
        return isPort(host.extracting(end...))
            && (isBracketed ? name.equals("[::1]") : isLocalhost(name) || isLoopbackIPv4(name))
    }

    /// Nothing, or a colon and digits.
    private static func isPort(_ text: Span<UInt8>) -> Bool {
        if text.isEmpty { return true }
        guard text[0] == UInt8(ascii: ":") else { return false }
        for index in 1..<text.count where !isDigit(text[index]) { return false }
        return true
    }

    private static func isLocalhost(_ name: Span<UInt8>) -> Bool {
        let word: StaticString = "localhost"
        guard name.count == word.utf8CodeUnitCount else { return false }
        // Bit 5 makes an ASCII letter small, and none of the other characters a letter of this word.
        for index in name.indices where unsafe name[index] | 0x20 != word.utf8Start[index] { return false }
        return true
    }

    /// 127.0.0.0/8: four groups of one to three digits.
    private static func isLoopbackIPv4(_ name: Span<UInt8>) -> Bool {
        guard name.count > 4, name.extracting(..<4).equals("127.") else { return false }
        var (groups, digits) = (1, 0)
        for index in name.indices {
            if name[index] == UInt8(ascii: "."), digits > 0 {
                groups += 1
                digits = 0
            } else if isDigit(name[index]), digits < 3 {
                digits += 1
            } else {
                return false
            }
        }
        return groups == 4 && digits > 0
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
