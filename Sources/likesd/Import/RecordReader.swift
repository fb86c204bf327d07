internal import LikesAPI
internal import LikesCore

/// Reads the records of an import file: NDJSON when the first line begins with a brace, else CSV with a header.
struct RecordReader {
    private let lines: LineReader
    private let now: Timestamp
    private var layout: CSVLayout?
    /// Lines that were read and belong to nobody yet.
    private var pending: [Line] = []

    /// Lines that one quoted record may reach over; beyond it the quote was never meant to be open.
    private static let linesPerRecord = 100

    private struct Line {
        let bytes: [UInt8]
        let number: Int
    }

    /// What a line holds.
    enum Reading {
        case record(ImportRecord, line: Int)
        case refused(reason: String, line: Int)
    }

    /// - Throws: a stop when the file cannot be read, or is of no form that an import knows.
    init(path: String, now: Timestamp) throws(Stop) {
        lines = try LineReader(path: path)
        self.now = now
        guard let first = try nextLine() else { return }
        if first.bytes.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "{") {
            pending = [first]
            return
        }
        guard let header = CSV.fields(first.bytes), let layout = CSVLayout(header: header) else {
            throw Stop(
                .badData,
                "\(path):1: neither NDJSON nor a header with the columns \"id,title\" or \"user,news\" of a CSV file")
        }
        self.layout = layout
    }

    /// The next record; nil at the end of the file. Blank lines are passed over.
    mutating func next() throws(Stop) -> Reading? {
        while let line = try nextLine() {
            if line.bytes.allSatisfy({ $0 == UInt8(ascii: " ") }) { continue }
            let record = try wholeRecord(from: line)
            do throws(ImportRecordError) {
                return .record(try read(record), line: line.number)
            } catch {
                return .refused(reason: error.reason, line: line.number)
            }
        }
        return nil
    }

    private mutating func nextLine() throws(Stop) -> Line? {
        if !pending.isEmpty { return pending.removeFirst() }
        return try lines.next().map { Line(bytes: $0, number: lines.lineNumber) }
    }

    /// A line with those after it that an open quote takes in. When the quote never closes, they are handed back.
    private mutating func wholeRecord(from first: Line) throws(Stop) -> [UInt8] {
        guard layout != nil, CSV.fields(first.bytes) == nil else { return first.bytes }
        var record = first.bytes
        var taken: [Line] = []
        while taken.count < Self.linesPerRecord, let next = try nextLine() {
            taken.append(next)
            record += [UInt8(ascii: "\n")] + next.bytes
            if CSV.fields(record) != nil { return record }
        }
        pending = taken + pending
        return first.bytes
    }

    private func read(_ record: [UInt8]) throws(ImportRecordError) -> ImportRecord {
        guard let layout else { return try ImportRecord(json: record, now: now) }
        guard String(validating: record, as: UTF8.self) != nil else {
            throw ImportRecordError(reason: "the line is not valid UTF-8")
        }
        guard let fields = CSV.fields(record) else {
            throw ImportRecordError(reason: "a quote is not closed at the end of its field")
        }
        return try layout.record(fields, now: now)
    }
}
