internal import JSONText
package import LikesCore

/// A record of an import: a news, a merged id, or a like or unlike.
package enum ImportRecord: Sendable {
    case news(NewsDraft)
    case merge(NewsID, into: NewsID)
    case like(ToggleRequest)

    /// The record of a JSON text: what `POST /v1/news` and `POST /v1/likes` take as an entry, told apart by `title`, or
    /// one that an export wrote.
    ///
    /// - Parameter now: what `at` is compared with.
    package init(json: [UInt8], now: Timestamp) throws(ImportRecordError) {
        let root: JSONValue
        do throws(JSONError) { root = try JSONDocument(json, maximumValues: APILimits.importValues).root } catch {
            throw ImportRecordError(code: Problem.Code.invalidJSON.rawValue, reason: error.reasonInLine)
        }
        let reader = BodyReader(now: now)
        do throws(Problem) {
            var fields = try Fields(root)
            if fields.has("title") {
                let createdAt = try fields.time("createdAt", Timestamp.storable)
                self = .news(try reader.newsEntry(&fields).made(at: createdAt))
            } else if fields.has("merged") {
                self = try reader.mergedID(&fields)
            } else {
                self = .like(try reader.likeEntry(&fields))
            }
        } catch {
            throw ImportRecordError(code: error.code.rawValue, reason: error.detail)
        }
    }
}

extension JSONError {
    /// A sentence about a text that is one line of many, whose number is told beside it.
    fileprivate var reasonInLine: String {
        switch fault {
        case .malformed: "the line is not valid JSON (column \(column))"
        case .duplicateKey(let key): "\(key): the key comes twice in an object (column \(column))"
        case .zeroInKey: "a key holds U+0000 (column \(column))"
        case .tooManyValues(let limit): "the line has more than \(limit) values"
        }
    }
}

extension BodyReader {
    /// A merged id and where it leads.
    fileprivate func mergedID(_ fields: inout Fields) throws(Problem) -> ImportRecord {
        guard let old: NewsID = try fields.id("merged") else { throw Problem(.invalidBody, "merged: it is missing") }
        guard let target: NewsID = try fields.id("into") else { throw Problem(.invalidBody, "into: it is missing") }
        try fields.finish()
        return .merge(old, into: target)
    }
}

/// Why a record is none.
package struct ImportRecordError: Error {
    /// A stable code.
    package let code: String
    /// A sentence for the person who imports.
    package let reason: String

    package init(code: String = "invalid_body", reason: String) {
        self.code = code
        self.reason = reason
    }
}
