/// Turns the parts of a state into bytes, handed on in frames.
///
/// Numbers lie as this machine keeps them: a snapshot is for the machine that wrote it, and for others of its kind.
@safe package struct SnapshotEncoder {
    /// The most bytes of a frame.
    package static let frameBytes = 256 << 10

    // Safety: a frame is handed on only for the time of the call.
    private let emit: (UnsafeRawBufferPointer) throws(JournalError) -> Void
    private var frame: [UInt8] = []

    /// - Parameter emit: takes a frame, which is gone when it returns.
    package init(emit: @escaping (UnsafeRawBufferPointer) throws(JournalError) -> Void) {
        unsafe self.emit = unsafe emit
        frame.reserveCapacity(Self.frameBytes)
    }

    /// Writes bytes as they are.
    mutating func put(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let count = unsafe min(rest.count, Self.frameBytes - frame.count)
            unsafe frame.append(contentsOf: rest.prefix(count))
            unsafe rest = rest.dropFirst(count)
            if frame.count == Self.frameBytes { try flush() }
        }
    }

    /// Writes a plain value.
    mutating func put<Value: BitwiseCopyable>(_ value: Value) throws(JournalError) {
        var value = value
        // Typed throws do not pass through the standard library's `withUnsafeBytes`.
        let result = unsafe withUnsafeBytes(of: &value) { bytes in
            Result { () throws(JournalError) in unsafe try put(bytes) }
        }
        try result.get()
    }

    /// Writes text with its length.
    mutating func put(_ text: String) throws(JournalError) {
        var text = text
        try put(UInt32(text.utf8.count))
        let result = text.withUTF8 { bytes in
            Result { () throws(JournalError) in unsafe try put(UnsafeRawBufferPointer(bytes)) }
        }
        try result.get()
    }

    /// Writes values with their number.
    mutating func put<Value: BitwiseCopyable>(_ values: [Value]) throws(JournalError) {
        try put(UInt32(values.count))
        let result = unsafe values.withUnsafeBytes { bytes in
            Result { () throws(JournalError) in unsafe try put(bytes) }
        }
        try result.get()
    }

    /// Hands on what has gathered; call it at the end.
    mutating func flush() throws(JournalError) {
        guard !frame.isEmpty else { return }
        let result = unsafe frame.withUnsafeBytes { bytes in
            Result { () throws(JournalError) in unsafe try emit(bytes) }
        }
        try result.get()
        frame.removeAll(keepingCapacity: true)
    }
}
