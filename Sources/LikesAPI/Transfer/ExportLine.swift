package import JSONText
package import LikesCore

extension ExportRecord {
    /// Appends the record as a line of NDJSON, as `ImportRecord` reads it.
    package func appendLine(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .news(let stored):
                json.members(of: stored.news)
                json.member("createdAt", stored.createdAt)
            case .merge(let old, let target):
                json.member("merged", old.text)
                json.member("into", target.text)
            case .like(let news, let user, let at):
                json.member("op", "like")
                json.member("news", news.text)
                json.member("user", user.text)
                json.member("at", at)
            }
        }
        json.newline()
    }
}

/// Writes an export in pieces of some size.
package struct ExportWriter {
    /// Bytes of a piece: few pieces, little memory.
    private static let pieceBytes = 64 << 10

    private let frozen: FrozenLikes
    private let filter: ExportFilter

    package init(_ frozen: FrozenLikes, _ filter: ExportFilter) {
        self.frozen = frozen
        self.filter = filter
    }

    /// Writes everything.
    ///
    /// - Parameter write: takes a piece of whole lines; false ends it.
    /// - Returns: whether everything was written.
    package func write(to write: ([UInt8]) -> Bool) -> Bool {
        var json = JSONWriter(capacity: Self.pieceBytes + (4 << 10))
        var goesOn = true
        frozen.forEachRecord(filter) { record in
            record.appendLine(to: &json)
            guard json.count >= Self.pieceBytes else { return true }
            goesOn = write(json.bytes)
            json = JSONWriter(capacity: Self.pieceBytes + (4 << 10))
            return goesOn
        }
        if goesOn, json.count > 0 { goesOn = write(json.bytes) }
        return goesOn
    }
}

extension ExportFilter {
    /// The query that asks a server for it, with its question mark; empty for everything.
    package var query: String {
        let ids = news.map { ("news", $0.text) } + users.map { ("user", $0.text) }
        let parameters = ids.map { "\($0)=\(PercentEncoding.encode($1))" }
        return parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
    }
}
