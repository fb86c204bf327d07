import Foundation

/// An event of a stream: what happened, and where that stands.
struct LiveEvent: Sendable {
    let place: StreamPlace
    let kind: String
    let data: JSON
    /// The whole block, as it came.
    let block: StreamBlock

    var sequence: Int64 { place.sequence }

    /// The event in a block; nil when it is none.
    ///
    /// - Throws: when it is one that cannot be: without a place or data, or with data that name another sequence.
    init?(_ block: StreamBlock) throws {
        let fields = try block.fields
        guard let kind = fields.event else {
            guard fields.data == nil else { throw Failure("data without an event: \(block)") }
            return nil
        }
        guard let place = fields.id.flatMap({ StreamPlace($0) }), let text = fields.data,
            let data = JSON(text: Data(text.utf8)), data["sequence"] == .integer(place.sequence)
        else { throw Failure("not an event: \(block)") }
        (self.place, self.kind, self.data, self.block) = (place, kind, data, block)
    }

    /// The news that it is about.
    var news: String? { data["news"].string ?? (kind.hasPrefix("news") ? data["id"].string : nil) }

    /// The user that it is about.
    var user: String? { data["user"].string }

    /// The kind and the parties in few words, such as `likeAdded n u 3`: what most tests compare.
    var summary: String {
        let words: [String?] = [kind, news, user, data["likesCount"].integer.map { String($0) }]
        return words.compactMap { $0 }.joined(separator: " ")
    }
}

extension LiveEvent: CustomStringConvertible {
    var description: String { block.description }
}
