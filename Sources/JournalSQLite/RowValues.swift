internal import CSQLite
internal import LikesCore

/// The values of rows that are about to be written, one behind the other, as their checksums take them.
///
/// Texts are lent to SQLite from here, so that it need not copy them: they lie still while the rows are written.
@safe struct RowValues: ~Copyable {
    // Safety: `memory` is owned, and has room for all that lies below `end`.
    private var memory: UnsafeMutableRawBufferPointer
    private var end = 0
    private var rowBegin = 0
    private var values: ContiguousArray<Value> = []

    private struct Value {
        let kind: Int32
        let number: Int64
        /// Where a text lies.
        let place: Int
    }

    init() { unsafe memory = .allocate(byteCount: 4_096, alignment: 8) }

    deinit { unsafe memory.deallocate() }

    /// Begins with the first row again.
    mutating func removeAll() {
        (end, rowBegin) = (0, 0)
        values.removeAll(keepingCapacity: true)
    }

    mutating func append(_ integer: Int64?) {
        guard let integer else { return put(SQLITE_NULL, 0) }
        put(SQLITE_INTEGER, integer)
    }

    mutating func append(_ text: String?) {
        guard var text else { return put(SQLITE_NULL, 0) }
        text.withUTF8 { bytes in
            put(SQLITE_TEXT, Int64(bytes.count), room: bytes.count)
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(
                from: UnsafeRawBufferPointer(bytes))
            end += bytes.count
        }
    }

    /// Ends the row with its checksum, which is a value, too.
    mutating func endRow() {
        let checksum = unsafe RowChecksum.value(of: UnsafeRawBufferPointer(rebasing: memory[rowBegin..<end]))
        values.append(Value(kind: SQLITE_INTEGER, number: checksum, place: 0))
        rowBegin = end
    }

    private mutating func put(_ kind: Int32, _ number: Int64, room: Int = 0) {
        let needed = end + RowChecksum.headBytes + room
        if unsafe needed > memory.count { grow(to: needed) }
        unsafe RowChecksum.putHead(kind, UInt64(bitPattern: number), at: memory, end)
        end += RowChecksum.headBytes
        values.append(Value(kind: kind, number: number, place: end))
    }

    private mutating func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: unsafe max(needed, memory.count * 2), alignment: 8)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
        unsafe memory.deallocate()
        unsafe memory = unsafe larger
    }

    /// Runs a statement whose parameters are these values, in their order.
    func insert(by statement: Statement) throws(JournalError) {
        for (index, value) in values.enumerated() {
            switch value.kind {
            case SQLITE_INTEGER: statement.bind(Int32(index + 1), value.number)
            case SQLITE_TEXT:
                let text = unsafe UnsafeRawBufferPointer(memory)[value.place..<value.place + Int(value.number)]
                unsafe statement.lend(Int32(index + 1), UnsafeRawBufferPointer(rebasing: text))
            default: statement.bind(Int32(index + 1), Int64?.none)
            }
        }
        try statement.run()
    }
}
