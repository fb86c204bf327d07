internal import CSQLite
internal import LikesCore

/// A statement that writes rows, and the values of those that it is about to write, as their checksums take them.
///
/// Values are bound to the parameters in their order. Texts are lent to SQLite from here, so that it need not copy them: they lie
/// still until the statement has run.
@safe final class RowInsertion {
    private let statement: Statement
    // Safety: `memory` is owned, and has room for all that lies below `end`; so are those of `full`, whose texts are lent.
    private var memory: UnsafeMutableRawBufferPointer
    private var end = 0
    private var rowBegin = 0
    /// The parameters that are bound.
    private var parameters: Int32 = 0
    /// Memory that had no room for all rows.
    private var full: [UnsafeMutableRawBufferPointer] = unsafe []

    init(_ statement: Statement) {
        self.statement = statement
        unsafe memory = .allocate(byteCount: Self.usualBytes, alignment: 8)
    }

    deinit {
        unsafe memory.deallocate()
        freeFull()
    }

    /// What the rows of likes take, with the longest ids.
    private static let usualBytes = 16 << 10

    func append(_ integer: Int64?) {
        put(integer == nil ? SQLITE_NULL : SQLITE_INTEGER, integer ?? 0)
        statement.bind(parameters, integer)
    }

    func append(_ text: String?) {
        guard var text else { return append(Int64?.none) }
        text.withUTF8 { bytes in
            put(SQLITE_TEXT, Int64(bytes.count), room: bytes.count)
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + bytes.count])
            unsafe place.copyMemory(from: UnsafeRawBufferPointer(bytes))
            end += bytes.count
            unsafe statement.lend(parameters, UnsafeRawBufferPointer(place))
        }
    }

    /// Ends the row with its checksum, which is a value, too.
    func endRow() {
        let row = unsafe UnsafeRawBufferPointer(rebasing: memory[rowBegin..<end])
        parameters += 1
        statement.bind(parameters, unsafe RowChecksum.value(of: row))
        rowBegin = end
    }

    private func put(_ kind: Int32, _ number: Int64, room: Int = 0) {
        let needed = RowChecksum.headBytes + room
        if unsafe end + needed > memory.count { takeNewMemory(for: needed) }
        unsafe RowChecksum.putHead(kind, UInt64(bitPattern: number), at: memory, end)
        end += RowChecksum.headBytes
        parameters += 1
    }

    /// Goes on in new memory, with the row that is not at its end.
    private func takeNewMemory(for needed: Int) {
        let begun = unsafe UnsafeRawBufferPointer(rebasing: memory[rowBegin..<end])
        let size = max(Self.usualBytes, (begun.count + needed) * 2)
        let new = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        unsafe new.copyMemory(from: begun)
        unsafe full.append(memory)
        (rowBegin, end) = (0, begun.count)
        unsafe memory = unsafe new
    }

    /// Writes the rows, and begins anew.
    func run() throws(JournalError) {
        defer { removeAll() }
        try statement.run()
    }

    private func removeAll() {
        freeFull()
        (end, rowBegin, parameters) = (0, 0, 0)
    }

    private func freeFull() {
        while let memory = unsafe full.popLast() { unsafe memory.deallocate() }
    }
}
