/// Names and addresses of the machine itself.
enum LoopbackHost {
    /// Whether a `Host` header names this machine by a loopback name or address, with or without a port.
    ///
    /// On bytes: every request passes here, and comparing characters costs more than all the rest of it.
    static func matches(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { unsafe matches(Array($0)) }
    }

    private static func matches(_ bytes: [UInt8]) -> Bool {
        let isBracketed = bytes.first == UInt8(ascii: "[")
        guard let end = isBracketed ? bytes.firstIndex(of: UInt8(ascii: "]")).map({ $0 + 1 }) : colonOrEnd(bytes)
        else { return false }
        let (name, rest) = (bytes[..<end], bytes[end...])
        guard rest.isEmpty || (rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(isDigit)) else {
            return false
        }
        return isBracketed ? name.elementsEqual("[::1]".utf8) : isLocalhost(name) || isLoopbackIPv4(name)
    }

    private static func colonOrEnd(_ bytes: [UInt8]) -> Int {
        bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    }

    private static func isLocalhost(_ name: ArraySlice<UInt8>) -> Bool {
        // Bit 5 makes an ASCII letter small, and none of the other characters a letter of this word.
        name.count == 9 && zip(name, "localhost".utf8).allSatisfy { $0 | 0x20 == $1 }
    }

    /// 127.0.0.0/8: four groups of one to three digits.
    private static func isLoopbackIPv4(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.starts(with: "127.".utf8) else { return false }
        var (groups, digits) = (1, 0)
        for byte in name {
            if byte == UInt8(ascii: "."), digits > 0 {
                groups += 1
                digits = 0
            } else if isDigit(byte), digits < 3 {
                digits += 1
            } else {
                return false
            }
        }
        return groups == 4 && digits > 0
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
