internal import LikesAPI
internal import LikesCore

/// A record in CSV (RFC 4180): fields between commas, quoted ones may hold commas, doubled quotes and line ends. A
/// quote inside a field that does not begin with one stands for itself.
enum CSV {
    /// The fields of a record; nil when a quote is not closed, or not at the end of its field, which means that the next
    /// line belongs to it, or that it was never meant to be open.
    static func fields(_ record: [UInt8]) -> [String]? {
        var fields: [String] = []
        var field: [UInt8] = []
        var (isQuoted, isAtStart) = (false, true)
        var rest = record[...]
        while let byte = rest.popFirst() {
            if isQuoted {
                if byte != quote {
                    field.append(byte)
                } else if rest.first == quote {
                    field.append(quote)
                    rest = rest.dropFirst()
                } else if rest.isEmpty || rest.first == UInt8(ascii: ",") {
                    isQuoted = false
                } else {
                    return nil
                }
            } else if byte == UInt8(ascii: ",") {
                fields.append(String(decoding: field, as: UTF8.self))
                field.removeAll(keepingCapacity: true)
                isAtStart = true
                continue
            } else if byte == quote, isAtStart {
                isQuoted = true
            } else {
                field.append(byte)
            }
            isAtStart = false
        }
        return isQuoted ? nil : fields + [String(decoding: field, as: UTF8.self)]
    }

    private static let quote = UInt8(ascii: "\"")
}

/// What the columns of a CSV file mean, as its header line says.
enum CSVLayout {
    case news([String])
    case likes([String])

    private static let newsColumns = ["id", "title", "author", "url", "publishedAt", "baseLikes"]
    private static let likesColumns = ["user", "news", "at"]

    /// The layout of a header; nil when the columns are none that an import knows.
    init?(header: [String]) {
        if Self.fits(header, Self.newsColumns, needed: 2) {
            self = .news(header)
        } else if Self.fits(header, Self.likesColumns, needed: 2) {
            self = .likes(header)
        } else {
            return nil
        }
    }

    private static func fits(_ header: [String], _ columns: [String], needed: Int) -> Bool {
        Set(header).count == header.count && header.allSatisfy(columns.contains)
            && columns.prefix(needed).allSatisfy(header.contains)
    }

    /// The record of a row.
    func record(_ fields: [String], now: Timestamp) throws(ImportRecordError) -> ImportRecord {
        switch self {
        case .news(let columns): .news(try news(Row(columns, fields)))
        case .likes(let columns): .like(try like(Row(columns, fields), now: now))
        }
    }

    private func news(_ row: Row) throws(ImportRecordError) -> NewsDraft {
        let title = row["title"] ?? ""
        guard 1...Limits.titleBytes ~= title.utf8.count else {
            throw ImportRecordError(reason: "title: 1 to \(Limits.titleBytes) bytes are allowed")
        }
        let url = row["url"]
        guard (url ?? "").utf8.count <= Limits.urlBytes else {
            throw ImportRecordError(reason: "url: up to \(Limits.urlBytes) bytes are allowed")
        }
        let baseLikes = row["baseLikes"].map { Int64($0) ?? -1 }
        guard 0...Limits.baseLikes ~= baseLikes ?? 0 else {
            throw ImportRecordError(reason: "baseLikes: an integer from 0 to \(Limits.baseLikes) is expected")
        }
        let news = News(
            id: try row.id("id"), title: title, author: row["author"] == nil ? nil : try row.id("author"), url: url,
            publishedAt: try row.time("publishedAt", upTo: Timestamp.storable.upperBound), baseLikes: baseLikes ?? 0)
        return NewsDraft(news, setsBaseLikes: baseLikes != nil)
    }

    private func like(_ row: Row, now: Timestamp) throws(ImportRecordError) -> ToggleRequest {
        let latest = Timestamp(milliseconds: now.milliseconds + Limits.futureMilliseconds)
        return ToggleRequest(
            liked: true, news: try row.id("news"), user: try row.id("user"), at: try row.time("at", upTo: latest))
    }
}

/// A row of a CSV file by the names of its columns.
private struct Row {
    private let values: [String: String]

    init(_ columns: [String], _ fields: [String]) throws(ImportRecordError) {
        guard fields.count == columns.count else {
            throw ImportRecordError(reason: "\(columns.count) fields are expected, and there are \(fields.count)")
        }
        values = Dictionary(zip(columns, fields)) { first, _ in first }
    }

    /// A field; nil when it is empty or not there.
    subscript(column: String) -> String? { values[column].flatMap { $0.isEmpty ? nil : $0 } }

    func id<Subject>(_ column: String) throws(ImportRecordError) -> Identifier<Subject> {
        do throws(IdentifierError) { return try Identifier(values[column] ?? "") } catch {
            throw ImportRecordError(reason: "\(column): \(error.reason)")
        }
    }

    func time(_ column: String, upTo latest: Timestamp) throws(ImportRecordError) -> Timestamp? {
        guard let text = self[column] else { return nil }
        guard let time = Timestamp(rfc3339: text), Timestamp.storable.lowerBound...latest ~= time else {
            throw ImportRecordError(reason: "\(column): an RFC 3339 time up to \(latest.rfc3339) is expected")
        }
        return time
    }
}
