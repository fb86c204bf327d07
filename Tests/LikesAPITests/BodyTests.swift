import LikesCore
import Testing

@testable import LikesAPI

@Suite("Bodies")
struct BodyTests {
    private let reader = BodyReader(now: Timestamp(milliseconds: 1_000_000_000_000))
    private let id = NewsID(trusted: "9")

    private func news(_ text: String) throws -> NewsDraft { try reader.news(Array(text.utf8), id: id) }

    private func problem(_ text: String) -> Problem? {
        do throws(Problem) {
            _ = try reader.news(Array(text.utf8), id: id)
            return nil
        } catch {
            return error
        }
    }

    @Test("a news with every member")
    func wholeNews() throws {
        let draft = try news(
            """
            {"title": "T", "author": "ada", "url": "https://a.example", "publishedAt": "2026-11-30T10:00:00.5+01:00",
             "baseLikes": 9007199254740991, "properties": {"b": "2", "a": ""}}
            """)
        #expect(draft.setsBaseLikes)
        #expect(
            draft.news
                == News(
                    id: id, title: "T", author: UserID(trusted: "ada"), url: "https://a.example",
                    publishedAt: Timestamp(rfc3339: "2026-11-30T09:00:00.500Z"), baseLikes: (1 << 53) - 1,
                    properties: [.init(key: "a", value: ""), .init(key: "b", value: "2")]))
    }

    @Test("baseLikes may be written as any whole number")
    func wholeNumber() throws {
        #expect(try news("{\"title\":\"a\",\"baseLikes\":1.2e1}").news.baseLikes == 12)
    }

    @Test(
        "what is not JSON is invalid_json",
        arguments: [
            "", "{", "{}}", "{\"title\":\"a\"}x", "{\"title\":\"\\ud800\"}", "{\"title\":\"a\",\"title\":\"b\"}",
            "{\"baseLikes\":99999999999999999999}", String(repeating: "[", count: 100_000),
        ])
    func notJSON(text: String) {
        #expect(problem(text)?.code == .invalidJSON)
    }

    @Test("invalid UTF-8 is invalid_json")
    func notUTF8() {
        #expect(throws: Problem.self) {
            try reader.news(Array("{\"title\":\"".utf8) + [0xFF] + Array("\"}".utf8), id: id)
        }
    }

    @Test(
        "a bad member is named",
        arguments: [
            ("{}", "title"), ("{\"title\":1}", "title"), ("{\"title\":\"\"}", "title"), ("{\"title\":null}", "title"),
            ("{\"title\":\"a\",\"baseLikes\":-1}", "baseLikes"), ("{\"title\":\"a\",\"baseLikes\":1.5}", "baseLikes"),
            ("{\"title\":\"a\",\"baseLikes\":9007199254740992}", "baseLikes"),
            ("{\"title\":\"a\",\"publishedAt\":\"yesterday\"}", "publishedAt"),
            ("{\"title\":\"a\",\"publishedAt\":\"1969-12-31T23:59:59Z\"}", "publishedAt"),
            ("{\"title\":\"a\",\"url\":7}", "url"), ("{\"title\":\"a\",\"properties\":[]}", "properties"),
            ("{\"title\":\"a\",\"properties\":{\"k\":1}}", "properties.k"),
            ("{\"title\":\"a\",\"properties\":{\"\":\"v\"}}", "properties"),
            ("{\"title\":\"a\",\"colour\":1}", "colour"), ("{\"title\":\"\\u0000\"}", "title"),
        ])
    func badMember(text: String, member: String) {
        #expect(problem(text)?.code == .invalidBody)
        #expect(problem(text)?.detail.hasPrefix("\(member):") == true)
    }

    @Test("a bad author is invalid_id")
    func badAuthor() {
        #expect(problem("{\"title\":\"a\",\"author\":\"\"}")?.code == .invalidID)
        #expect(problem("{\"title\":\"a\",\"author\":\"\\u0085\"}")?.code == .invalidID)
    }

    @Test("a body is an object, an array of entries, or lines of them")
    func forms() throws {
        let entry = "{\"op\":\"like\",\"news\":\"9\",\"user\":\"ada\"}"
        for (text, type) in [
            ("[\(entry),\(entry)]", MediaType.json), ("{\"likes\":[\(entry),\(entry)]}", .json),
            ("\(entry)\r\n\n\(entry)", .ndjson),
        ] {
            let entries = try reader.manyLikes(Array(text.utf8), type)
            #expect(entries.count == 2)
            for case .malformed(_, let detail) in entries { Issue.record("\(detail)") }
        }
        #expect(throws: Problem.self) { try reader.manyLikes(Array("{\"news\":[]}".utf8), .json) }
        #expect(throws: Problem.self) { try reader.manyLikes(Array("7".utf8), .json) }
    }

    @Test("a bad entry says why, and leaves the others alone")
    func badEntries() throws {
        let lines = [
            "{\"op\":\"like\",\"news\":\"9\",\"user\":\"ada\"}", "{", "7",
            "{\"op\":\"love\",\"news\":\"9\",\"user\":\"ada\"}",
            "{\"op\":\"like\",\"user\":\"ada\"}", "{\"op\":\"like\",\"news\":\"9\"}",
            "{\"op\":\"like\",\"news\":\"..\",\"user\":\"ada\"}",
            "{\"op\":\"like\",\"news\":\"9\",\"user\":\"ada\",\"x\":1}",
            "{\"op\":\"like\",\"news\":\"9\",\"user\":\"ada\",\"at\":\"2001-09-09T01:51:41Z\"}",
            "{\"op\":\"like\",\"news\":\"9\",\"user\":\"ada\",\"at\":\"2001-09-09T01:51:40Z\"}",
        ]
        let entries = try reader.manyLikes(Array(lines.joined(separator: "\n").utf8), .ndjson)
        let details = entries.map { entry -> String? in
            if case .malformed(let code, let detail) = entry { return "\(code) \(detail)" }
            return nil
        }
        #expect(details[0] == nil)
        #expect(details[1]?.hasPrefix("invalid_json ") == true)
        #expect(details[2]?.hasPrefix("invalid_body ") == true)
        #expect(details[3]?.hasPrefix("invalid_body op:") == true)
        #expect(details[4]?.hasPrefix("invalid_body news:") == true)
        #expect(details[5]?.hasPrefix("invalid_body user:") == true)
        #expect(details[6]?.hasPrefix("invalid_id news:") == true)
        #expect(details[7]?.hasPrefix("invalid_body x:") == true)
        // 5 minutes and a second ahead, and 5 minutes.
        #expect(details[8]?.hasPrefix("invalid_body at:") == true)
        #expect(details[9] == nil)
    }

    @Test("more than 10,000 entries are body_too_large")
    func tooMany() {
        let text = "[" + String(repeating: "0,", count: 10_000) + "0]"
        #expect(throws: Problem.self) { try reader.manyLikes(Array(text.utf8), .json) }
    }

    @Test("the media type decides, whatever its case and parameters")
    func mediaTypes() throws {
        for type in ["application/json", "Application/JSON; charset=utf-8", "application/json;x"] {
            guard case .json = try MediaType(type, allowsLines: false) else { throw Mismatch() }
        }
        guard case .ndjson = try MediaType("application/x-ndjson", allowsLines: true) else { throw Mismatch() }
        for type in [nil, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"] as [String?] {
            #expect(throws: Problem.self) { try MediaType(type, allowsLines: true) }
        }
        #expect(throws: Problem.self) { try MediaType("application/x-ndjson", allowsLines: false) }
    }
}
