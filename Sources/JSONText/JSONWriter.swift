/// Writes JSON into growing memory, front to back, without ever building a tree.
///
/// Every answer passes here. A member is written in one go, into room that is made once for the most that it can take.
package struct JSONWriter: ~Copyable {
    private var output: JSONOutput
    private var needsComma = false

    private init(_ output: consuming JSONOutput) { self.output = output }

    /// - Parameter capacity: the bytes to make room for at once.
    package init(capacity: Int = 256) { self.init(JSONOutput(capacity: capacity)) }

    /// A copy of what was written so far.
    package var bytes: [UInt8] { output.bytes }

    /// The number of bytes that were written so far.
    package var count: Int { output.count }

    /// Enough for most answers.
    package static let usualCapacity = 512

    /// What `body` writes. It is written right into the array when `capacity` bytes are room enough for all.
    package static func bytes(capacity: Int = usualCapacity, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(capacity)
        append(to: &bytes, room: capacity, body)
        return bytes
    }

    /// The object whose members `body` writes.
    package static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] { bytes { $0.object(body) } }

    /// Writes at the end of `bytes`, where it makes room for `room` more of them.
    package static func append(to bytes: inout [UInt8], room: Int = usualCapacity, _ body: (inout JSONWriter) -> Void) {
        var rest: [UInt8]?
        bytes.append(addingCapacity: room) { span in
            unsafe span.withUnsafeMutableBufferPointer { buffer, written in
                var json = unsafe JSONWriter(JSONOutput(buffer))
                body(&json)
                if json.output.isBorrowed { written = json.count } else { rest = json.bytes }
            }
        }
        if let rest { bytes += rest }
    }

    // MARK: Objects and arrays

    /// An object, whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// An array, whose elements `body` writes.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    private mutating func enclose(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
        write(nil, atMost: 1) { $0.put(open) }
        needsComma = false
        body(&self)
        output.makeRoom(for: 1)
        output.put(close)
        needsComma = true
    }

    /// The name of the member whose value comes next. It must need no escaping.
    package mutating func name(_ name: StaticString) {
        write(name, atMost: 0) { _ in }
        needsComma = false
    }

    /// The name of the member whose value comes next, whatever is in it.
    package mutating func name(_ name: String) {
        value(name)
        output.makeRoom(for: 1)
        output.put(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    /// A string.
    package mutating func value(_ text: String) { string(nil, text) }

    /// An integer.
    package mutating func value(_ number: Int64) { self.number(nil, number.magnitude, isNegative: number < 0) }

    /// An integer.
    package mutating func value(_ number: UInt64) { self.number(nil, number, isNegative: false) }

    /// An integer.
    package mutating func value(_ number: Int) { value(Int64(number)) }

    /// A boolean.
    package mutating func value(_ truth: Bool) { literal(nil, truth ? "true" : "false") }

    /// The value `null`.
    package mutating func null() { literal(nil, "null") }

    // MARK: Members

    /// A member with a string.
    package mutating func member(_ name: StaticString, _ text: String) { string(name, text) }

    /// A member with an integer.
    package mutating func member(_ name: StaticString, _ number: Int64) {
        self.number(name, number.magnitude, isNegative: number < 0)
    }

    /// A member with an integer.
    package mutating func member(_ name: StaticString, _ number: UInt64) {
        self.number(name, number, isNegative: false)
    }

    /// A member with a boolean.
    package mutating func member(_ name: StaticString, _ truth: Bool) { literal(name, truth ? "true" : "false") }

    /// A member with a boolean, or with `null`.
    package mutating func member(_ name: StaticString, _ truth: Bool?) {
        literal(name, truth.map { $0 ? "true" : "false" } ?? "null")
    }

    /// A member with a string of 24 bytes that needs no escaping: a time.
    package mutating func member(_ name: StaticString, verbatim text: InlineArray<24, UInt8>) {
        write(name, atMost: text.count + 2) { output in
            output.put(Self.quote)
            unsafe text.span.withUnsafeBufferPointer { unsafe output.put($0) }
            output.put(Self.quote)
        }
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

    /// The end of a line, where each line is a value of its own.
    package mutating func newline() {
        output.makeRoom(for: 1)
        output.put(UInt8(ascii: "\n"))
        needsComma = false
    }

    // MARK: Writing

    private static let quote = UInt8(ascii: "\"")

    /// Writes a comma if one is due, the name of a member if there is one, and then what `body` writes.
    ///
    /// - Parameter count: the most bytes that `body` writes.
    @inline(__always)
    private mutating func write(_ name: StaticString?, atMost count: Int, _ body: (inout JSONOutput) -> Void) {
        output.makeRoom(for: count + (name?.utf8CodeUnitCount ?? 0) + 4)
        if needsComma { output.put(UInt8(ascii: ",")) }
        if let name {
            output.put(Self.quote)
            output.put(name)
            output.put(Self.quote)
            output.put(UInt8(ascii: ":"))
        }
        body(&output)
        needsComma = true
    }

    private mutating func string(_ name: StaticString?, _ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            let escaped = unsafe JSONEscapes.isNeeded(in: utf8)
            write(name, atMost: utf8.count * (escaped ? JSONEscapes.longest : 1) + 2) { output in
                output.put(Self.quote)
                if escaped { unsafe output.putEscaped(utf8) } else { unsafe output.put(utf8) }
                output.put(Self.quote)
            }
        }
    }

    private mutating func number(_ name: StaticString?, _ magnitude: UInt64, isNegative: Bool) {
        write(name, atMost: 21) { output in
            if isNegative { output.put(UInt8(ascii: "-")) }
            output.put(magnitude)
        }
    }

    private mutating func literal(_ name: StaticString?, _ word: StaticString) {
        write(name, atMost: word.utf8CodeUnitCount) { $0.put(word) }
    }
}
