import LikesCore
import Testing

@testable import LikesAPI

@Suite("Bodies that are too much are refused before they cost much")
struct BodySizeTests {
    private let reader = BodyReader(now: Timestamp(milliseconds: 1_000_000_000_000))

    /// What the reader says to a body of likes that it refuses.
    private func refusal(_ body: [UInt8], _ type: MediaType) -> Problem? {
        do throws(Problem) {
            _ = try reader.manyLikes(body, type)
            return nil
        } catch {
            return error
        }
    }

    /// Bodies of the largest size that is let in, full of the smallest values.
    enum Crowd: CaseIterable {
        case objects, lists, numbers, members, nested

        var body: [UInt8] {
            switch self {
            case .objects: list(of: "{}")
            case .lists: list(of: "[]")
            case .numbers: list(of: "0")
            case .nested: list(of: "[[[{}]]]")
            case .members:
                Array(
                    ("{" + (0..<800_000).map { "\"" + String($0, radix: 36) + "\":0" }.joined(separator: ",") + "}")
                        .utf8)
            }
        }

        private func list(of value: String) -> [UInt8] {
            let count = (APILimits.batchBody - 1) / (value.utf8.count + 1)
            return Array(("[" + String(repeating: value + ",", count: count - 1) + value + "]").utf8)
        }
    }

    @Test("a body of nothing but small values is body_too_large, for its values", arguments: Crowd.allCases)
    func crowded(crowd: Crowd) {
        let body = crowd.body
        #expect(body.count <= APILimits.batchBody)
        let problem = refusal(body, .json)
        #expect(problem?.code == .bodyTooLarge)
        // Of its entries it would be said that they are more than 10,000, once all of them had been read.
        #expect(problem?.detail.contains("\(APILimits.jsonValues) values") == true)
    }

    @Test("so is one line of them among others; the others are read")
    func crowdedLine() throws {
        let like = "{\"op\":\"like\",\"news\":\"9\",\"user\":\"ada\"}"
        let body = Array((like + "\n").utf8) + Crowd.objects.body + Array(("\n" + like).utf8)
        let entries = try reader.manyLikes(body, .ndjson)
        #expect(entries.count == 3)
        for index in [0, 2] { if case .malformed(_, let detail) = entries[index] { Issue.record("\(detail)") } }
        guard case .malformed(let code, _) = entries[1] else { throw Mismatch() }
        #expect(code == "body_too_large")
    }

    @Test("commas and brackets inside of strings are no values")
    func punctuationInStrings() throws {
        let title = String(repeating: "[{,\\\"", count: 200)
        let entries = (0..<1_000).map { "{\"id\":\"\($0)\",\"title\":\"\(title)\"}" }
        let body = Array(("[" + entries.joined(separator: ",") + "]").utf8)
        for entry in try reader.manyNews(body, .json) {
            if case .malformed(_, let detail) = entry { Issue.record("\(detail)") }
        }
    }

    @Test("10,000 entries with all their members, and many properties, are few enough values")
    func largestUsualBody() throws {
        let entry = """
            {"id":"9","title":"T","author":"ada","url":"u","publishedAt":"2026-11-30T10:00:00Z","baseLikes":1,\
            "properties":{"a":"1","b":"2","c":"3","d":"4","e":"5","f":"6","g":"7","h":"8","i":"9","j":"0"}}
            """
        let body = "[" + Array(repeating: entry, count: Limits.batchEntries).joined(separator: ",") + "]"
        let entries = try reader.manyNews(Array(body.utf8), .json)
        #expect(entries.count == Limits.batchEntries)
        for entry in entries { if case .malformed(_, let detail) = entry { Issue.record("\(detail)") } }
    }

    @Test("10,001 lines are body_too_large, however little is on them", arguments: ["{}", "x", "7"])
    func tooManyLines(line: String) throws {
        let lines = Array(repeating: line, count: Limits.batchEntries)
        let entries = try reader.manyLikes(Array(lines.joined(separator: "\n").utf8), .ndjson)
        #expect(entries.count == lines.count)
        let more = Array((lines + [line]).joined(separator: "\n").utf8)
        #expect(refusal(more, .ndjson)?.code == .bodyTooLarge)
    }

    @Test("blank lines do not count, wherever they are")
    func blankLines() throws {
        let text = String(repeating: "\n \t\r\n", count: 20_000)
        let entries = Array(repeating: "{}", count: Limits.batchEntries).joined(separator: "\r\n\n")
        let among = try reader.manyLikes(Array((text + entries + text).utf8), .ndjson)
        #expect(among.count == Limits.batchEntries)
        let blank = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 18)
        let none = try reader.manyLikes(blank, .ndjson)
        #expect(none.isEmpty)
    }

    @Test("properties have up to 16 KiB together, keys included, counted as they are stored")
    func properties() throws {
        func news(_ last: Int, escaped: Bool = false) throws -> NewsDraft {
            let letter = escaped ? "\\u0061" : "a"
            let lengths = [4_096, 4_096, 4_096, last]
            let members = lengths.enumerated().map { index, length in
                "\"k\(index)\":\"\(String(repeating: letter, count: length))\""
            }
            let body = "{\"title\":\"t\",\"properties\":{\(members.joined(separator: ","))}}"
            return try reader.news(Array(body.utf8), id: NewsID(trusted: "9"))
        }
        // Four keys of two bytes each.
        let room = Limits.propertiesBytes - 3 * 4_096 - 4 * 2
        #expect(try news(room).news.properties.count == 4)
        #expect(try news(room, escaped: true).news.properties.last?.value.utf8.count == room)
        #expect {
            try news(room + 1)
        } throws: { error in
            guard let problem = error as? Problem else { return false }
            return problem.code == .invalidBody && problem.detail.hasPrefix("properties:")
        }
    }
}
