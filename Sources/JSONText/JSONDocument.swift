internal import CJansson

/// A JSON text, read by jansson and kept in its form.
///
/// Refused are: what is not JSON to its last byte, invalid UTF-8, lone surrogates, NUL in a key, a key that comes
/// twice in an object, integers beyond 64 bits, and nesting deeper than jansson's 2,048. Strings may hold NUL.
@safe package final class JSONDocument {
    // Safety: owns one reference to the tree; `JSONValue` keeps this object alive while it points into the tree.
    private let tree: UnsafeMutablePointer<json_t>

    /// Reads a text.
    ///
    /// - Throws: `JSONError` with the place of the first fault.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        var fault = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
        let tree = unsafe bytes.withUnsafeBytes { buffer in
            unsafe json_loadb(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, flags, &fault)
        }
        guard let tree = unsafe tree else {
            throw unsafe JSONError(
                isDuplicate: json_error_code(&fault) == json_error_duplicate_key, line: Int(fault.line),
                column: Int(fault.column))
        }
        unsafe self.tree = unsafe tree
    }

    deinit { unsafe json_decref(tree) }

    /// The outermost value.
    package var root: JSONValue { unsafe JSONValue(tree, of: self) }
}

/// Where a text stops being JSON.
package struct JSONError: Error, Equatable {
    /// Whether the fault is a key that comes twice.
    package let isDuplicate: Bool
    /// Counted from 1.
    package let line: Int
    /// In characters, counted from 1.
    package let column: Int

    /// A sentence for the caller.
    package var reason: String {
        let fault = isDuplicate ? "a key comes twice in an object" : "the text is not valid JSON"
        return "\(fault) (line \(line), column \(column))"
    }
}
