internal import CJansson

/// A value in a JSON document. Wrong guesses at its kind answer nil.
@safe package struct JSONValue {
    // Safety: `value` belongs to the tree of `document`, which is never changed and lives as long as this does.
    private let value: UnsafeMutablePointer<json_t>
    private let document: JSONDocument

    init(_ value: UnsafeMutablePointer<json_t>, of document: JSONDocument) {
        unsafe self.value = unsafe value
        self.document = document
    }

    /// The kinds of values.
    package enum Kind: String { case object, array, string, integer, number, boolean, null }

    /// The kind of the value.
    package var kind: Kind {
        switch unsafe value.pointee.type {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .array
        case JSON_STRING: .string
        case JSON_INTEGER: .integer
        case JSON_REAL: .number
        case JSON_TRUE, JSON_FALSE: .boolean
        default: .null
        }
    }

    /// The text of a string.
    package var string: String? {
        guard kind == .string, let start = unsafe json_string_value(value) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: json_string_length(value))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// The number of an integer, or of another number that is whole: JSON does not tell `12` from `12.0` or `1.2e1`.
    package var integer: Int64? {
        switch kind {
        case .integer: unsafe json_integer_value(value)
        case .number: unsafe Int64(exactly: json_real_value(value))
        default: nil
        }
    }

    /// The truth of a boolean.
    package var boolean: Bool? { kind == .boolean ? unsafe value.pointee.type == JSON_TRUE : nil }

    /// The elements of an array.
    package var elements: [JSONValue]? {
        guard kind == .array else { return nil }
        return unsafe (0..<json_array_size(value)).compactMap { index in
            guard let element = unsafe json_array_get(value, index) else { return nil }
            return unsafe JSONValue(element, of: document)
        }
    }

    /// The members of an object, in the order of the text.
    package var members: [(key: String, value: JSONValue)]? {
        guard kind == .object else { return nil }
        var members: [(key: String, value: JSONValue)] = []
        var iterator = unsafe json_object_iter(value)
        while let current = unsafe iterator {
            if let key = unsafe json_object_iter_key(current), let member = unsafe json_object_iter_value(current) {
                unsafe members.append((String(cString: key), JSONValue(member, of: document)))
            }
            unsafe iterator = unsafe json_object_iter_next(value, current)
        }
        return members
    }
}
