internal import LikesCore

/// Takes the body of an import apart into lines, as it comes, and reads their records.
struct ImportLines {
    /// What was read since the batch before.
    struct Batch {
        fileprivate(set) var records: [NumberedRecord] = []
        /// Lines that are no records.
        fileprivate(set) var refusals: [IntakeResult.Refusal] = []
        /// The number of the last line.
        fileprivate(set) var lastLine = 0
        /// Bytes of its lines.
        fileprivate var bytes = 0
    }

    private var batch = Batch()
    /// The beginning of a line whose end has not come yet.
    private var line: [UInt8] = []
    /// Whether the line that comes next is longer than a line may be. Then nothing more is read.
    private(set) var isTooLong = false

    /// The number of the line that comes next.
    var nextLine: Int { batch.lastLine + 1 }

    /// Whether what has gathered should be taken in before more is read.
    var isFull: Bool {
        isTooLong || batch.records.count + batch.refusals.count >= APILimits.importBatch
            || batch.bytes >= APILimits.importBatchBytes
    }

    /// Takes the lines in a piece.
    mutating func take(_ piece: [UInt8], _ now: Timestamp) {
        var rest = piece[...]
        while !isTooLong {
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = rest[..<(end ?? rest.endIndex)]
            guard line.count + part.count <= APILimits.importLine else {
                isTooLong = true
                line = []
                return
            }
            line += part
            guard let end else { return }
            endLine(now)
            rest = rest[(end + 1)...]
        }
    }

    /// Takes what is behind the last line end: a line like any other.
    mutating func takeLastLine(_ now: Timestamp) { if !line.isEmpty { endLine(now) } }

    /// Hands out what has gathered.
    mutating func takeBatch() -> Batch {
        let full = batch
        batch = Batch()
        batch.lastLine = full.lastLine
        return full
    }

    private mutating func endLine(_ now: Timestamp) {
        batch.lastLine += 1
        batch.bytes += line.count
        defer { line.removeAll(keepingCapacity: true) }
        // Some editors begin a file with it.
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if batch.lastLine == 1, line.starts(with: byteOrderMark) { line.removeFirst(byteOrderMark.count) }
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
        do throws(ImportRecordError) {
            let record = try ImportRecord(json: line, now: now)
            batch.records.append(NumberedRecord(line: batch.lastLine, record: record))
        } catch {
            batch.refusals.append(.init(line: batch.lastLine, code: error.code, detail: error.reason))
        }
    }
}
