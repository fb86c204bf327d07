import Foundation
import Glibc

/// A block of a `text/event-stream`: the lines before an empty one, as they came.
struct StreamBlock: Sendable, Equatable {
    /// Without the empty line.
    let bytes: Data

    /// What the lines say.
    struct Fields: Equatable {
        var comments: [String] = []
        var retry: String?
        var id: String?
        var event: String?
        var data: String?
    }

    /// The fields, read as a server of ours may write them: each once at most, data on one line, no field of other names.
    var fields: Fields {
        get throws {
            var fields = Fields()
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            {
                guard let colon = line.firstIndex(of: ":") else { throw Failure("no field: \(self)") }
                var value = line[line.index(after: colon)...]
                if value.first == " " { value.removeFirst() }
                let old: String?
                switch line[..<colon] {
                case "":
                    fields.comments.append(String(value))
                    old = nil
                case "retry": (old, fields.retry) = (fields.retry, String(value))
                case "id": (old, fields.id) = (fields.id, String(value))
                case "event": (old, fields.event) = (fields.event, String(value))
                case "data": (old, fields.data) = (fields.data, String(value))
                default: throw Failure("an unknown field: \(self)")
                }
                guard old == nil else { throw Failure("a field twice: \(self)") }
            }
            return fields
        }
    }

    /// The place that the block gives the reader, when it begins with one; found without reading the rest.
    var place: StreamPlace? {
        unsafe bytes.withUnsafeBytes { all in
            guard unsafe all.starts(with: "id: ".utf8) else { return nil }
            let end = unsafe all.firstPlace(of: "\n") ?? all.count
            return unsafe StreamPlace(String(decoding: all[4..<end], as: UTF8.self))
        }
    }

    /// Whether it is an event, and not only a place, a comment or a time.
    var isEvent: Bool { contains("\nevent: ") }

    /// Whether it says that the reader's place is of no use.
    var isReset: Bool { contains("\nevent: reset\n") }

    private func contains(_ text: String) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe $0.firstPlace(of: text) != nil }
    }
}

extension StreamBlock: CustomStringConvertible {
    var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// A token: a place in the order of the events of one journal.
struct StreamPlace: Sendable, Equatable, CustomStringConvertible {
    let epoch: String
    let sequence: Int64

    init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    init?(_ text: String) {
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")),
            let sequence = Int64(text[text.index(after: point)...])
        else { return nil }
        self.init(epoch: String(text[..<point]), sequence: sequence)
    }

    var description: String { "\(epoch).\(sequence)" }
}

/// Cuts what comes on a stream into blocks.
struct StreamParser {
    private var bytes: [UInt8] = []
    private var taken = 0

    /// What belongs to no block yet.
    var unread: ArraySlice<UInt8> { bytes[taken...] }

    mutating func append(_ more: some Sequence<UInt8>) {
        if taken > 65_536 {
            bytes.removeSubrange(..<taken)
            taken = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next block that has come completely.
    mutating func next() -> StreamBlock? {
        let from = taken
        let found: Data? = unsafe bytes.withUnsafeBytes { all in
            guard let end = unsafe all.firstPlace(of: "\n\n", from: from) else { return nil }
            return unsafe Data(all[from..<end])
        }
        guard let found else { return nil }
        taken += found.count + 2
        return StreamBlock(bytes: found)
    }
}
