internal import CMicroHTTPD
internal import Glibc

/// What the headers of a request say about its framing, gathered in one pass.
///
/// libmicrohttpd 0.9.75 leaves these checks to its caller; each one missing is a way to smuggle a request.
struct RequestHead: Sendable {
    /// The declared length; saturated when it does not fit, which no limit admits.
    private(set) var contentLength: UInt64?
    /// Whether the body comes in chunks.
    private(set) var isChunked = false
    /// Whether the client waits for a word before it sends the body.
    private(set) var expectsContinue = false
    /// Whether `Expect` asks for something that we do not do.
    private(set) var expectsTheUnknown = false
    /// Bytes of the connection's memory that the head takes, the library's notes about it included.
    private(set) var memory = 0

    /// Whether a body was announced: a length above zero, or chunks.
    var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }

    /// One bit for each length that the name of a field has; the last one is for longer ones, too.
    private var nameLengths: UInt64 = 0
    private var hosts = 0
    private var hasBadHost = false
    private var contentLengths = 0
    private var transferEncodings = 0
    private var chunkedCodings = 0
    private var endsInChunks = false
    private var hasMalformedField = false
    /// The address right behind the line read last, without what ends a line.
    private var lineEnd: UInt = 0

    /// Reads the headers of the request that `connection` is receiving, between the version and the end of the head.
    mutating func read(_ connection: OpaquePointer, start: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        let size = unsafe mhd_shim_head_size(connection)
        memory += size
        lineEnd = unsafe UInt(bitPattern: version) + UInt(strlen(version))
        unsafe withUnsafeMutablePointer(to: &self) { head in
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, takeHeaderField, head)
        }
        if unsafe !endsIn(UnsafeRawBufferPointer(start: start, count: size)) { hasMalformedField = true }
    }

    private static func bit(ofNameLength length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

    /// Whether some field has a name of so many bytes.
    func mayHaveField(nameLength: Int) -> Bool { nameLengths & Self.bit(ofNameLength: nameLength) != 0 }

    /// The rule that the headers break, if any.
    func fault(isHTTP11: Bool) -> Refusal? {
        if hasMalformedField { return .badRequest("a header field is malformed") }
        if hosts > 1 { return .badRequest("more than one Host header") }
        if isHTTP11 && hosts == 0 { return .badRequest("the Host header is missing") }
        if hasBadHost { return .badRequest("the Host header is empty or has a forbidden character") }
        if contentLengths > 1 { return .badRequest("more than one Content-Length header") }
        guard transferEncodings > 0 else { return nil }
        if contentLengths > 0 { return .badRequest("both Content-Length and Transfer-Encoding") }
        if !isHTTP11 { return .badRequest("Transfer-Encoding needs HTTP/1.1") }
        if transferEncodings == 1 && isChunked { return nil }
        // RFC 9112, 6.1 and 6.3: an unknown coding is one thing, a body whose end cannot be told another.
        return endsInChunks && chunkedCodings == 1
            ? .notImplemented("the only transfer encoding that is understood is chunked")
            : .badRequest("a transfer encoding has to end with chunked, once")
    }

    /// Takes one header field in. The lengths tell the few names apart that matter.
    fileprivate mutating func take(name: UnsafeRawBufferPointer, value line: UnsafeRawBufferPointer) {
        memory += HTTPLimits.fieldMemory
        if unsafe name.isEmpty || !name.allSatisfy(isTokenByte) || !isOneLine(name, line) || !follows(name)
            || !line.allSatisfy(isFieldByte)
        {
            hasMalformedField = true
        }
        lineEnd = UInt(bitPattern: line.baseAddress) + UInt(line.count)
        nameLengths |= Self.bit(ofNameLength: name.count)
        let value = unsafe UnsafeRawBufferPointer(rebasing: line.prefix(lengthWithoutSpace(line)))
        switch name.count {
        case 4 where unsafe matches(name, "host"):
            hosts += 1
            if unsafe value.isEmpty || !value.allSatisfy(isHostByte) { hasBadHost = true }
        case 6 where unsafe matches(name, "expect"):
            if unsafe matches(value, "100-continue") { expectsContinue = true } else { expectsTheUnknown = true }
        case 6 where unsafe matches(name, "cookie"):
            // The library, which nobody asked to, copies it and takes it apart.
            let cookies = unsafe value.count { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") } + 1
            memory += value.count + cookies * HTTPLimits.fieldMemory
        case 14 where unsafe matches(name, "content-length"):
            contentLengths += 1
            unsafe contentLength = number(value)
        // As it is in the line: with a space behind it, the library takes no chunks apart.
        case 17 where unsafe matches(name, "transfer-encoding"): unsafe takeTransferEncoding(line)
        default: break
        }
    }

    private mutating func takeTransferEncoding(_ value: UnsafeRawBufferPointer) {
        transferEncodings += 1
        unsafe isChunked = matches(value, "chunked")
        let codings = unsafe value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        for index in unsafe codings.indices {
            let trimmed = unsafe codings[index].drop { $0 == 0x20 || $0 == 0x09 }
            let word = unsafe trimmed.prefix { $0 != 0x20 && $0 != 0x09 }
            endsInChunks = unsafe matches(UnsafeRawBufferPointer(rebasing: word), "chunked")
            if endsInChunks { chunkedCodings += 1 }
        }
    }

    /// Whether a line begins right behind the one before.
    ///
    /// The library reads to the first zero byte, and makes zeros of the one or two bytes that end a line. When there are
    /// more, the line before has a part behind a zero of its own.
    private func follows(_ line: UnsafeRawBufferPointer) -> Bool {
        1...2 ~= UInt(bitPattern: line.baseAddress) &- lineEnd
    }

    /// Whether the last line is followed by an empty one, and this by the end of the head.
    private func endsIn(_ head: UnsafeRawBufferPointer) -> Bool {
        let start = UInt(bitPattern: head.baseAddress)
        guard lineEnd >= start, lineEnd - start <= head.count else { return false }
        let rest = unsafe head[Int(lineEnd - start)...]
        return unsafe 2...4 ~= rest.count && rest.allSatisfy { $0 == 0 }
    }
}

/// C callback: one header field of the request.
private func takeHeaderField(
    _ head: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
    _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    // Safety: `head` is the value that `RequestHead.read` lends for the length of the pass.
    guard let head = unsafe head?.assumingMemoryBound(to: RequestHead.self) else { return .NO }
    unsafe head.pointee.take(
        name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize))
    return .YES
}

/// Whether the value stands right behind the name, as it does in one line.
///
/// Of a folded line, libmicrohttpd 0.9.75 appends the second half to the *name*, which it moves away for that.
private func isOneLine(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard let start = name.baseAddress, let end = value.baseAddress else { return true }
    let distance = unsafe end - start
    guard distance > name.count && distance < HTTPLimits.connectionMemory else { return false }
    // Safety: both ends lie in the connection's one block of memory, so all between is readable.
    let gap = unsafe UnsafeRawBufferPointer(start: start + name.count, count: distance - name.count)
    return unsafe gap.allSatisfy { $0 == 0 || $0 == 0x20 || $0 == 0x09 }
}

/// Bytes of a value up to the space at its end, which is not part of it (RFC 9110, 5.5). The library leaves that there.
func lengthWithoutSpace(_ value: UnsafeRawBufferPointer) -> Int {
    unsafe (value.lastIndex { $0 != 0x20 && $0 != 0x09 }).map { $0 + 1 } ?? 0
}

/// Whether a byte may stand in a value (RFC 9110, 5.5): any but the control characters, tab excepted.
private func isFieldByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

/// Whether `bytes` are this word, in any case.
private func matches(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
    // Safety: both sides hold `bytes.count` bytes.
    return unsafe strncasecmp(
        start.assumingMemoryBound(to: CChar.self),
        UnsafeRawPointer(word.utf8Start).assumingMemoryBound(to: CChar.self), bytes.count) == 0
}

/// The number written in `digits`, the largest one if it does not fit. The library has let only digits through.
private func number(_ digits: UnsafeRawBufferPointer) -> UInt64 {
    var number: UInt64 = 0
    for index in digits.indices {
        let digit = unsafe digits[index]
        guard digit >= 48 && digit <= 57 else { continue }
        let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
        let (sum, carry) = tens.addingReportingOverflow(UInt64(digit - 48))
        if overflow || carry { return .max }
        number = sum
    }
    return number
}

/// Whether a byte may stand in an authority without user (RFC 3986, 3.2), the form of `Host`.
func isHostByte(_ byte: UInt8) -> Bool {
    // Letters, digits, and of the rest: ! $ % & ' ( ) * + , - . : ; = [ ] _ ~
    if byte < 64 { return UInt64(0x2FFF_7FF2_0000_0000) & (1 << UInt64(byte)) != 0 }
    return byte < 128 && UInt64(0x47FF_FFFE_AFFF_FFFE) & (1 << UInt64(byte - 64)) != 0
}

/// Whether a byte may stand in a token (RFC 9110, 5.6.2), the form of methods and header names.
func isTokenByte(_ byte: UInt8) -> Bool {
    // One bit for each of the first 64 and of the next 64 characters.
    if byte < 64 { return UInt64(0x03FF_6CFA_0000_0000) & (1 << UInt64(byte)) != 0 }
    return byte < 128 && UInt64(0x57FF_FFFF_C7FF_FFFE) & (1 << UInt64(byte - 64)) != 0
}
