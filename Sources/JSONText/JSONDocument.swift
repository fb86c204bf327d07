internal import CJansson

/// A JSON text, read by jansson and kept in its form.
///
/// Refused are: what is not JSON to its last byte, invalid UTF-8, lone surrogates, NUL in a key, a key that comes
/// twice in an object, integers beyond 64 bits, and nesting deeper than jansson's 2,048. Strings may hold NUL.
@safe package final class JSONDocument {
    // Safety: owns one reference to the tree; `JSONValue` keeps this object alive while it points into the tree.
    private let tree: UnsafeMutablePointer<json_t>

    /// Reads a text of up to `maximumValues` values, keys not counted. A value costs up to a hundred times its bytes in
    /// memory, so a text is refused before it is taken apart.
    ///
    /// - Throws: `JSONError` with the place of the first fault.
    package init(_ bytes: [UInt8], maximumValues: Int = .max) throws(JSONError) {
        guard Self.values(in: bytes) <= maximumValues else { throw JSONError(fault: .tooManyValues(maximumValues)) }
        var fault = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
        let tree = unsafe bytes.withUnsafeBytes { buffer in
            unsafe json_loadb(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, flags, &fault)
        }
        guard let tree = unsafe tree else {
            let kind: JSONError.Fault =
                switch unsafe json_error_code(&fault) {
                case json_error_duplicate_key: .duplicateKey(Self.text(in: bytes, endingAt: Int(fault.position)))
                case json_error_null_byte_in_key: .zeroInKey
                default: .malformed
                }
            throw JSONError(fault: kind, line: Int(fault.line), column: Int(fault.column))
        }
        unsafe self.tree = unsafe tree
    }

    /// The string, as it is written, whose closing quotation mark is right before a place; without its end when it is long.
    private static func text(in bytes: [UInt8], endingAt place: Int) -> String {
        let longest = 256
        let end = place - 1
        guard bytes.indices.contains(end), bytes[end] == UInt8(ascii: "\"") else { return "" }
        var start = end
        while start > 0 {
            if bytes[start - 1] == UInt8(ascii: "\"") {
                // Behind an odd number of backslashes the mark belongs to the string.
                let escapes = bytes[..<(start - 1)].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
                if escapes.isMultiple(of: 2) { break }
            }
            start -= 1
        }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest)))
    }

    /// An upper bound of the values in a text: one more than its commas, and one for every opened bracket.
    private static func values(in bytes: [UInt8]) -> Int {
        var (count, isString, isEscaped) = (1, false, false)
        for byte in bytes {
            if isEscaped {
                isEscaped = false
            } else if isString {
                if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isString = true
            } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                count += 1
            }
        }
        return count
    }

    deinit { unsafe json_decref(tree) }

    /// The outermost value.
    package var root: JSONValue { unsafe JSONValue(tree, of: self) }
}

/// Why, and where, a text is refused.
package struct JSONError: Error, Equatable {
    /// What is wrong with the text.
    package let fault: Fault
    /// Counted from 1; 0 when the text as a whole is meant.
    package let line: Int
    /// In characters, counted from 1; 0 when the text as a whole is meant.
    package let column: Int

    init(fault: Fault, line: Int = 0, column: Int = 0) {
        self.fault = fault
        self.line = line
        self.column = column
    }

    /// The kinds of faults.
    package enum Fault: Equatable, Sendable {
        case malformed
        /// A key, as it is written, comes twice in an object.
        case duplicateKey(String)
        /// A key holds U+0000.
        case zeroInKey
        /// More values than so many.
        case tooManyValues(Int)
    }

    /// A sentence for the caller.
    package var reason: String {
        switch fault {
        case .malformed: "the text is not valid JSON (line \(line), column \(column))"
        case .duplicateKey(let key): "\(key): the key comes twice in an object (line \(line), column \(column))"
        case .zeroInKey: "a key holds U+0000 (line \(line), column \(column))"
        case .tooManyValues(let limit): "the text has more than \(limit) values"
        }
    }
}
