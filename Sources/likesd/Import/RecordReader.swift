internal import LikesAPI
internal import LikesCore

/// Reads the records of an import file: NDJSON when the first line begins with a brace, else CSV with a header.
struct RecordReader {
    private let lines: LineReader
    private let now: Timestamp
    private var layout: CSVLayout?
    private var firstLine: [UInt8]?

    /// Lines that one quoted record may reach over; beyond it the quote was never meant to be open.
    private static let linesPerRecord = 100

    /// What a line holds.
    enum Reading {
        case record(ImportRecord, line: Int)
        case refused(reason: String, line: Int)
    }

    /// - Throws: a stop when the file cannot be read, or is of no form that an import knows.
    init(path: String, now: Timestamp) throws(Stop) {
        lines = try LineReader(path: path)
        self.now = now
        guard let first = try lines.next() else { return }
        if first.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "{") {
            firstLine = first
            return
        }
        guard let header = CSV.fields(first), let layout = CSVLayout(header: header) else {
            throw Stop(
                .badData,
                "\(path):1: neither NDJSON nor a header with the columns \"id,title\" or \"user,news\" of a CSV file")
        }
        self.layout = layout
    }

    /// The next record; nil at the end of the file. Blank lines are passed over.
    mutating func next() throws(Stop) -> Reading? {
        while true {
            guard let bytes = try nextLine() else { return nil }
            if bytes.allSatisfy({ $0 == UInt8(ascii: " ") }) { continue }
            let line = lines.lineNumber
            do throws(ImportRecordError) {
                guard let layout else { return .record(try ImportRecord(json: bytes, now: now), line: line) }
                switch try fields(from: bytes) {
                case let fields?: return .record(try layout.record(fields, now: now), line: line)
                case nil: return .refused(reason: "a quote is not closed", line: line)
                }
            } catch {
                return .refused(reason: error.reason, line: line)
            }
        }
    }

    private mutating func nextLine() throws(Stop) -> [UInt8]? {
        guard let first = firstLine else { return try lines.next() }
        firstLine = nil
        return first
    }

    /// The fields of a record that begins with a line; nil when its quotes do not close.
    private func fields(from line: [UInt8]) throws(ImportRecordError) -> [String]? {
        guard String(validating: line, as: UTF8.self) != nil else {
            throw ImportRecordError(reason: "the line is not valid UTF-8")
        }
        if let fields = CSV.fields(line) { return fields }
        var record = line
        for _ in 1..<Self.linesPerRecord {
            guard let next = try? lines.next() else { return nil }
            record += [UInt8(ascii: "\n")] + next
            if let fields = CSV.fields(record) { return fields }
        }
        return nil
    }
}
