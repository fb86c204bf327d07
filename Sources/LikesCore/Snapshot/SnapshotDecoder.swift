/// Reads back what a `SnapshotEncoder` wrote.
@safe package struct SnapshotDecoder {
    /// What is said of bytes that no encoder wrote.
    static let damage = JournalError.unusable("the snapshot does not say what a snapshot says")

    // Safety: `frame` is valid until the next call of `next`.
    private let next: () throws(JournalError) -> UnsafeRawBufferPointer
    private var frame: UnsafeRawBufferPointer
    private var offset = 0

    /// - Parameter next: the next frame, valid until the call after it; an empty one behind the last.
    package init(next: @escaping () throws(JournalError) -> UnsafeRawBufferPointer) {
        unsafe self.next = unsafe next
        unsafe frame = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Fills `target` with the bytes that come next.
    mutating func read(into target: UnsafeMutableRawBufferPointer) throws(JournalError) {
        var filled = 0
        while filled < target.count {
            if unsafe offset == frame.count {
                unsafe frame = try next()
                offset = 0
                if unsafe frame.isEmpty { throw Self.damage }
            }
            let count = unsafe min(target.count - filled, frame.count - offset)
            let piece = unsafe UnsafeRawBufferPointer(rebasing: frame[offset..<offset + count])
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled..<filled + count]).copyMemory(from: piece)
            filled += count
            offset += count
        }
    }

    /// A plain value.
    @inline(__always)
    mutating func value<Value: BitwiseCopyable>(_ initial: Value) throws(JournalError) -> Value {
        let size = MemoryLayout<Value>.size
        if unsafe frame.count - offset >= size {
            defer { offset += size }
            return unsafe frame.loadUnaligned(fromByteOffset: offset, as: Value.self)
        }
        return try assembled(initial)
    }

    /// A plain value that lies in two frames.
    private mutating func assembled<Value: BitwiseCopyable>(_ initial: Value) throws(JournalError) -> Value {
        var value = initial
        let result = unsafe withUnsafeMutableBytes(of: &value) { bytes in
            Result { () throws(JournalError) in unsafe try read(into: bytes) }
        }
        try result.get()
        return value
    }

    /// A number.
    @inline(__always)
    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type) throws(JournalError) -> Number {
        try value(Number.zero)
    }

    /// Text, as it was when it was written: checksums have found damage before.
    ///
    /// - Parameter longest: the most bytes that it can have.
    mutating func text(longest: Int) throws(JournalError) -> String {
        let count = Int(try number(UInt32.self))
        guard count <= longest else { throw Self.damage }
        if unsafe frame.count - offset >= count {
            defer { offset += count }
            return unsafe String(
                decoding: UnsafeRawBufferPointer(rebasing: frame[offset..<offset + count]), as: UTF8.self)
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(JournalError) in unsafe try read(into: bytes) }
        }
        try result.get()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Values with their number.
    mutating func values<Value: BitwiseCopyable>(_ initial: Value) throws(JournalError) -> [Value] {
        let count = Int(try number(UInt32.self))
        var values = [Value](repeating: initial, count: count)
        let result = unsafe values.withUnsafeMutableBytes { bytes in
            Result { () throws(JournalError) in unsafe try read(into: bytes) }
        }
        try result.get()
        return values
    }
}
