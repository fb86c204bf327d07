internal import JSONText
package import LikesCore

/// A record of an import: a news, or a like or unlike.
package enum ImportRecord: Sendable {
    case news(NewsDraft)
    case like(ToggleRequest)

    /// The record of a JSON text: what `POST /v1/news` and `POST /v1/likes` take as an entry, told apart by `title`.
    ///
    /// - Parameter now: what `at` is compared with.
    package init(json: [UInt8], now: Timestamp) throws(ImportRecordError) {
        let root: JSONValue
        do throws(JSONError) { root = try JSONDocument(json).root } catch {
            throw ImportRecordError(reason: error.reason)
        }
        let reader = BodyReader(now: now)
        do throws(Problem) {
            var fields = try Fields(root)
            if fields.has("title") {
                self = .news(try reader.newsEntry(&fields))
            } else {
                self = .like(try reader.likeEntry(&fields))
            }
        } catch {
            throw ImportRecordError(reason: error.detail)
        }
    }
}

/// Why a record is none.
package struct ImportRecordError: Error {
    /// A sentence for the person who imports.
    package let reason: String

    package init(reason: String) { self.reason = reason }
}
