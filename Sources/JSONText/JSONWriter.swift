/// Writes JSON into a growing array of bytes, front to back, without ever building a tree.
package struct JSONWriter {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameter capacity: the bytes to make room for at once.
    package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// Writes at the end of `bytes`, in their own room.
    package static func append(to bytes: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        var json = JSONWriter(capacity: 0)
        swap(&json.bytes, &bytes)
        body(&json)
        swap(&json.bytes, &bytes)
    }

    /// An object, whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// An array, whose elements `body` writes.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    private mutating func enclose(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(open)
        needsComma = false
        body(&self)
        bytes.append(close)
        needsComma = true
    }

    /// The name of the member whose value comes next. It must need no escaping.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The name of the member whose value comes next, whatever is in it.
    package mutating func name(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A string.
    package mutating func value(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { unsafe escape($0) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// An integer.
    package mutating func value(_ number: Int64) { value(number.magnitude, isNegative: number < 0) }

    /// An integer.
    package mutating func value(_ number: UInt64) { value(number, isNegative: false) }

    /// An integer.
    package mutating func value(_ number: Int) { value(Int64(number)) }

    /// A member with a string.
    package mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        value(text)
    }

    /// A member with an integer.
    package mutating func member(_ name: StaticString, _ number: Int64) {
        self.name(name)
        value(number)
    }

    /// A member with an integer.
    package mutating func member(_ name: StaticString, _ number: UInt64) {
        self.name(name)
        value(number)
    }

    /// A member with a boolean.
    package mutating func member(_ name: StaticString, _ truth: Bool) {
        self.name(name)
        value(truth)
    }

    /// A member with an object of strings; none when there are no strings.
    package mutating func member(_ name: StaticString, strings: [(key: String, value: String)]) {
        guard !strings.isEmpty else { return }
        self.name(name)
        object { json in
            for (key, value) in strings {
                json.name(key)
                json.value(value)
            }
        }
    }

    /// A string that needs no escaping, whose bytes `body` appends.
    package mutating func verbatim(_ body: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        body(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A boolean.
    package mutating func value(_ truth: Bool) { literal(truth ? "true" : "false") }

    /// The value `null`.
    package mutating func null() { literal("null") }

    /// The end of a line, where each line is a value of its own.
    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    // Not generic: a generic form is called through tables from other modules, which shows in every answer.
    private mutating func value(_ magnitude: UInt64, isNegative: Bool) {
        separate()
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for position in start..<digits.count { bytes.append(digits[position]) }
        needsComma = true
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// Copies text, with what JSON does not allow in a string written as escapes. Runs without any are copied whole.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var runStart = 0
        for position in 0..<text.count {
            let byte = unsafe text[position]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            unsafe bytes.append(contentsOf: text[runStart..<position])
            escape(byte)
            runStart = position + 1
        }
        unsafe bytes.append(contentsOf: text[runStart...])
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
}
