/// Memory that grows while bytes are put at its end.
///
/// Whoever puts some in has made room for them before: that is checked once for a whole member, and not byte by byte.
@safe struct JSONOutput: ~Copyable {
    // Safety: `start` has room for `limit` bytes, of which the first `count` are set. `makeRoom` sees to it that the bytes
    // which its caller then puts in fit.
    private var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var limit: Int
    /// Whether the memory is somebody else's, as it was given.
    private(set) var isBorrowed: Bool

    init(capacity: Int) {
        unsafe start = .allocate(capacity: capacity)
        limit = capacity
        isBorrowed = false
    }

    /// Writes into memory of the caller's for as long as there is room in it.
    init(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        guard let base = memory.baseAddress else { preconditionFailure("there is no memory") }
        unsafe start = unsafe base
        limit = memory.count
        isBorrowed = true
    }

    deinit {
        if !isBorrowed { unsafe start.deallocate() }
    }

    /// A copy of what was put in.
    var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: start, count: count)) }

    /// Makes room for so many bytes more.
    @inline(__always)
    mutating func makeRoom(for bytes: Int) {
        if limit - count < bytes { grow(to: count + bytes) }
    }

    @inline(never)
    private mutating func grow(to needed: Int) {
        let capacity = max(needed, 2 * limit)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe larger.initialize(from: start, count: count)
        if !isBorrowed { unsafe start.deallocate() }
        unsafe start = unsafe larger
        limit = capacity
        isBorrowed = false
    }

    private var end: UnsafeMutablePointer<UInt8> { unsafe start + count }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        unsafe end.initialize(to: byte)
        count += 1
    }

    @inline(__always)
    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        unsafe end.initialize(from: source, count: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    mutating func put(_ word: StaticString) {
        unsafe put(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// The decimal digits of a number, 20 at most.
    @inline(__always)
    mutating func put(_ number: UInt64) {
        let count = Self.digitCount(number)
        var rest = number
        for place in stride(from: count - 1, through: 0, by: -1) {
            unsafe (end + place).initialize(to: UInt8(truncatingIfNeeded: 48 + rest % 10))
            rest /= 10
        }
        self.count += count
    }

    private static func digitCount(_ number: UInt64) -> Int {
        var (count, bound) = (1, UInt64(10))
        while number >= bound {
            count += 1
            if count == 20 { return count }
            bound *= 10
        }
        return count
    }

    /// Text with what JSON does not allow in a string written as escapes: `JSONEscapes.longest` bytes a byte at most.
    mutating func putEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        for index in text.indices {
            let byte = unsafe text[index]
            guard JSONEscapes.isNeeded(for: byte) else {
                put(byte)
                continue
            }
            put(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
            case 0x0A: put(UInt8(ascii: "n"))
            case 0x0D: put(UInt8(ascii: "r"))
            case 0x09: put(UInt8(ascii: "t"))
            default:
                put("u00")
                put(JSONEscapes.hexadecimal(byte >> 4))
                put(JSONEscapes.hexadecimal(byte & 15))
            }
        }
    }
}

/// What cannot stand in a JSON string as it is (RFC 8259, 7): quotation marks, backslashes and control characters.
enum JSONEscapes {
    /// Bytes of the longest escape, `\u001f`.
    static let longest = 6

    static func isNeeded(for byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether any byte of a text needs an escape. Looks at eight at once (S. E. Anderson, "Bit Twiddling Hacks", "determine if
    /// a word has a byte less than n").
    static func isNeeded(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let whole = text.count & ~7
        let raw = UnsafeRawBufferPointer(text)
        for offset in stride(from: 0, to: whole, by: 8) {
            let word = unsafe raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            if (less(word, than: 0x20) | less(quotes, than: 1) | less(backslashes, than: 1)) != 0 { return true }
        }
        for offset in whole..<text.count where unsafe isNeeded(for: text[offset]) { return true }
        return false
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Not zero when one of the eight bytes is less than `bound`, which is 128 at most.
    private static func less(_ word: UInt64, than bound: UInt64) -> UInt64 {
        (word &- ones &* bound) & ~word & (ones << 7)
    }

    static func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 48 + digit : 87 + digit }
}
