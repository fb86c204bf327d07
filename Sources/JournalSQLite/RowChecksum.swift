internal import CSQLite
internal import Checksum

/// The checksum of a row's values: for rows that are read a function of SQL, so that no value is copied out of SQLite for it;
/// rows that are written are put together by `RowInsertion` in the same form.
enum RowChecksum {
    /// What it is called in SQL.
    static let function = "row_checksum"

    /// A kind of value and, in 8 bytes, the value itself or its length.
    static let headBytes = 9

    /// Makes it known to a connection. No schema may use it: the file must be readable without this program.
    static func register(on connection: OpaquePointer) -> Int32 {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        return unsafe sqlite3_create_function_v2(
            connection, function, -1, flags, nil,
            { context, count, values in
                let arguments = unsafe UnsafeBufferPointer(start: values, count: Int(count))
                unsafe sqlite3_result_int64(context, RowChecksum.checksum(arguments))
            }, nil, nil, nil)
    }

    /// Every value with its kind and length before it, so that no two rows look alike.
    private static func checksum(_ values: UnsafeBufferPointer<OpaquePointer?>) -> Int64 {
        var size = 0
        for index in values.indices {
            let hasBytes = unsafe isSequence(sqlite3_value_type(values[index]))
            unsafe size += headBytes + (hasBytes ? Int(sqlite3_value_bytes(values[index])) : 0)
        }
        return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { encoded in
            var end = 0
            for index in values.indices { unsafe append(values[index], to: encoded, at: &end) }
            return unsafe value(of: UnsafeRawBufferPointer(encoded))
        }
    }

    /// The checksum of a row in this form.
    static func value(of encoded: UnsafeRawBufferPointer) -> Int64 {
        // As a signed number it takes 4 bytes of the row, without a sign it would often take 6.
        Int64(Int32(truncatingIfNeeded: unsafe Checksum.of(encoded)))
    }

    /// Writes the kind of a value, and the value itself or its length.
    static func putHead(_ kind: Int32, _ number: UInt64, at encoded: UnsafeMutableRawBufferPointer, _ place: Int) {
        unsafe encoded[place] = UInt8(truncatingIfNeeded: kind)
        unsafe encoded.storeBytes(of: number.littleEndian, toByteOffset: place + 1, as: UInt64.self)
    }

    private static func isSequence(_ kind: Int32) -> Bool { kind == SQLITE_TEXT || kind == SQLITE_BLOB }

    private static func append(_ value: OpaquePointer?, to encoded: UnsafeMutableRawBufferPointer, at end: inout Int) {
        let kind = unsafe sqlite3_value_type(value)
        var bytes: UnsafeRawBufferPointer?
        var number: UInt64 = 0
        if isSequence(kind) {
            // Asked for as a blob, a text comes as it is; as a text it might be copied, to end in a zero.
            let start = unsafe sqlite3_value_blob(value)
            let count = unsafe Int(sqlite3_value_bytes(value))
            unsafe bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
            number = UInt64(count)
        } else if kind == SQLITE_FLOAT {
            number = unsafe sqlite3_value_double(value).bitPattern
        } else if kind == SQLITE_INTEGER {
            number = UInt64(bitPattern: unsafe sqlite3_value_int64(value))
        }
        unsafe putHead(kind, number, at: encoded, end)
        end += headBytes
        if let bytes = unsafe bytes, unsafe !bytes.isEmpty {
            unsafe UnsafeMutableRawBufferPointer(rebasing: encoded[end...]).copyMemory(from: bytes)
            end += bytes.count
        }
    }
}
