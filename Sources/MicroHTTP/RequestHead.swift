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
    /// Whether `Expect` asks for something that we do not do.
    private(set) var expectsTheUnknown = false

    private var hosts = 0
    private var hasEmptyHost = false
    private var contentLengths = 0
    private var transferEncodings = 0
    private var hasMalformedField = false

    /// Reads the headers of the request that `connection` is receiving.
    mutating func read(_ connection: OpaquePointer) {
        unsafe withUnsafeMutablePointer(to: &self) { head in
            _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, takeHeaderField, head)
        }
    }

    /// The rule that the headers break, if any.
    func fault(isHTTP11: Bool) -> String? {
        if hasMalformedField { return "a header field is malformed" }
        if hosts > 1 { return "more than one Host header" }
        if isHTTP11 && hosts == 0 { return "the Host header is missing" }
        if isHTTP11 && hasEmptyHost { return "the Host header is empty" }
        if contentLengths > 1 { return "more than one Content-Length header" }
        guard transferEncodings > 0 else { return nil }
        if contentLengths > 0 { return "both Content-Length and Transfer-Encoding" }
        if !isHTTP11 { return "Transfer-Encoding needs HTTP/1.1" }
        return transferEncodings == 1 && isChunked ? nil : "the only transfer encoding understood is chunked"
    }

    /// Takes one header field in. The lengths tell the few names apart that matter.
    fileprivate mutating func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if unsafe !name.allSatisfy(isTokenByte) || !isOneLine(name, value) { hasMalformedField = true }
        switch name.count {
        case 4 where unsafe matches(name, "host"):
            hosts += 1
            if unsafe value.isEmpty { hasEmptyHost = true }
        case 6 where unsafe matches(name, "expect"):
            if unsafe !matches(value, "100-continue") { expectsTheUnknown = true }
        case 14 where unsafe matches(name, "content-length"):
            contentLengths += 1
            unsafe contentLength = number(value)
        case 17 where unsafe matches(name, "transfer-encoding"):
            transferEncodings += 1
            unsafe isChunked = matches(value, "chunked")
        default: break
        }
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

/// Whether a byte may stand in a token (RFC 9110, 5.6.2), the form of methods and header names.
func isTokenByte(_ byte: UInt8) -> Bool {
    // One bit for each of the first 64 and of the next 64 characters.
    if byte < 64 { return UInt64(0x03FF_6CFA_0000_0000) & (1 << UInt64(byte)) != 0 }
    return byte < 128 && UInt64(0x57FF_FFFF_C7FF_FFFE) & (1 << UInt64(byte - 64)) != 0
}
