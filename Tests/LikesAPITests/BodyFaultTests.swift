import LikesCore
import Testing

@testable import LikesAPI

/// What a body may have wrong, for each kind of body.
@Suite("A body that is wrong is refused by a code, and by the name of what is wrong")
struct BodyFaultTests {
    /// The kinds of bodies, each with one that is right.
    enum Body: CaseIterable {
        case news, mergeTarget, listedNews, counts, manyNews, manyLikes

        var right: String {
            switch self {
            case .news: #"{"title":"T"}"#
            case .mergeTarget: #"{"into":"m"}"#
            case .listedNews: #"{"news":["n"]}"#
            case .counts: #"{"news":["n"],"viewer":"u","friends":["v"]}"#
            case .manyNews: #"{"news":[{"id":"n","title":"T"}]}"#
            case .manyLikes: #"{"likes":[{"op":"like","news":"n","user":"u"}]}"#
            }
        }

        /// What the reader says to a body of this kind; nil when it takes it.
        func problem(_ bytes: [UInt8]) -> Problem? {
            let reader = BodyReader(now: Timestamp(milliseconds: 1_800_000_000_000))
            do throws(Problem) {
                switch self {
                case .news: _ = try reader.news(bytes, id: NewsID(trusted: "n"))
                case .mergeTarget: _ = try reader.mergeTarget(bytes)
                case .listedNews: _ = try reader.listedNews(bytes)
                case .counts: _ = try reader.countsRequest(bytes)
                case .manyNews: _ = try reader.manyNews(bytes, .json)
                case .manyLikes: _ = try reader.manyLikes(bytes, .json)
                }
                return nil
            } catch { return error }
        }
    }

    @Test("what is right is taken", arguments: Body.allCases)
    func right(body: Body) { #expect(body.problem(Array(body.right.utf8)) == nil) }

    @Test("what is no JSON is invalid_json, with the place", arguments: Body.allCases)
    func notJSON(body: Body) {
        let right = Array(body.right.utf8)
        let value = { (text: String) in right.dropLast() + Array(",\"x\":\(text)}".utf8) }
        let faults: [(String, [UInt8])] = [
            ("nothing", []), ("whitespace", Array(" \r\n\t".utf8)), ("byte order mark", [0xEF, 0xBB, 0xBF] + right),
            ("trailing bytes", right + Array("x".utf8)), ("two values", right + right), ("trailing NUL", right + [0]),
            ("cut off", Array(right.dropLast())), ("too deep", Array(String(repeating: "[", count: 3_000).utf8)),
            ("too deep inside", value(String(repeating: "[", count: 3_000) + String(repeating: "]", count: 3_000))),
            ("not UTF-8", value("\"").dropLast() + [0xFF] + Array("\"}".utf8)), ("lone surrogate", value(#""\ud800""#)),
            ("lone second surrogate", value(#""\udc00x""#)), ("raw line end", value("\"\n\"")),
            ("raw NUL", value("\"\0\"")),
            ("NUL in a key", right.dropLast() + Array(#","\u0000":1}"#.utf8)), ("beyond doubles", value("1e999")),
            ("beyond 64 bits", value("9223372036854775808")), ("NaN", value("NaN")), ("infinity", value("-Infinity")),
            ("leading zero", value("01")), ("comment", value("1/**/")), ("single quotes", value("'x'")),
            ("comma at the end", right.dropLast() + Array(",}".utf8)), ("UTF-16", right.flatMap { [$0, 0] }),
        ]
        for (name, bytes) in faults {
            let problem = body.problem(bytes)
            #expect(problem?.code == .invalidJSON, "\(name)")
            #expect(problem?.detail.contains("line ") == true, "\(name)")
        }
    }

    @Test("a key that comes twice is named, at any depth", arguments: Body.allCases)
    func twice(body: Body) {
        for twice in [#","a":1,"a":1}"#, #","x":{"y":[{"a":1,"b":2,"a":1}]}}"#] {
            let problem = body.problem(body.right.utf8.dropLast() + Array(twice.utf8))
            #expect(problem?.code == .invalidJSON)
            #expect(problem?.detail.hasPrefix("a: ") == true)
        }
    }

    @Test("what is JSON and no object is invalid_body", arguments: Body.allCases)
    func noObject(body: Body) {
        for text in ["null", "true", "7", "-1.5", #""{}""#] {
            #expect(body.problem(Array(text.utf8))?.code == .invalidBody, "\(text)")
        }
        let isMany = body == .manyNews || body == .manyLikes
        #expect(body.problem(Array("[]".utf8))?.code == (isMany ? nil : .invalidBody))
    }

    @Test("a member that is missing, or unknown, is named", arguments: Body.allCases)
    func members(body: Body) {
        let missing = [Body.news: "title", .mergeTarget: "into", .manyLikes: "likes"][body] ?? "news"
        #expect(body.problem(Array("{}".utf8))?.code == .invalidBody)
        #expect(body.problem(Array("{}".utf8))?.detail.hasPrefix("\(missing): ") == true)
        let unknown = body.problem(body.right.utf8.dropLast() + Array(#","colour":1}"#.utf8))
        #expect(unknown?.code == .invalidBody)
        #expect(unknown?.detail.hasPrefix("colour: ") == true)
    }

    /// Members with the values that they must not have.
    static let wrong: [(Body, String, [String])] = {
        let noText = ["null", "false", "7", "1.5", "[]", "{}", #"["x"]"#]
        let noID = noText + [#""""#, #"".""#, #""a\u0000""#, #""\u0085""#, "\"\(String(repeating: "x", count: 257))\""]
        let noTime =
            noText + [
                #""""#, #""now""#, #""2026-02-30T00:00:00Z""#, #""1969-12-31T23:59:59Z""#, #""2999-01-01T00:00:00Z""#,
            ]
        let noCount = [
            "null", "true", #""1""#, "[]", "-1", "1.5", "1e-1", "9007199254740992", "1e16", "-9223372036854775808",
        ]
        let noArray = ["null", "true", "7", #""n""#, "{}"]
        return [
            (.news, "title", noText + [#""""#, #""\u0000""#, "\"\(String(repeating: "x", count: 1_001))\""]),
            (.news, "author", noID), (.news, "publishedAt", noTime), (.news, "baseLikes", noCount),
            (.news, "url", noText + [#""a\u0000b""#, "\"\(String(repeating: "x", count: 2_049))\""]),
            (.news, "properties", ["null", "true", "7", #""x""#, "[]", #"{"":"v"}"#]),
            (.news, "properties.k", noText.map { "{\"k\":\($0)}" } + [#"{"k":"\u0000"}"#]),
            (.mergeTarget, "into", noID), (.listedNews, "news", noArray), (.counts, "news", noArray),
            (.counts, "viewer", noID), (.counts, "friends", noArray),
            (.manyNews, "news", noArray), (.manyLikes, "likes", noArray),
            (.listedNews, "news[1]", noID.map { "[\"n\",\($0)]" }), (.counts, "news[1]", noID.map { "[\"n\",\($0)]" }),
            (.counts, "friends[0]", noID.map { "[\($0)]" }),
        ]
    }()

    @Test("a member with a wrong value is named", arguments: wrong)
    func values(body: Body, place: String, values: [String]) {
        let member = String(place.prefix { $0 != "." && $0 != "[" })
        let others = [Body.news: [("title", #""T""#)], .counts: [("news", "[]")]][body] ?? []
        for value in values {
            let members = others.filter { $0.0 != member } + [(member, value)]
            let text = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
            let problem = body.problem(Array(text.utf8))
            #expect(problem?.code == .invalidBody || problem?.code == .invalidID, "\(text)")
            #expect(problem?.detail.hasPrefix("\(place): ") == true, "\(text): \(problem?.detail ?? "taken")")
        }
    }

    @Test("so is one of an entry among many, which the others do not suffer for")
    func entries() throws {
        let reader = BodyReader(now: Timestamp(milliseconds: 1_800_000_000_000))
        let like = ["op": #""like""#, "news": #""n""#, "user": #""u""#]
        let wrong = [
            "op": ["null", "7", #""LIKE""#, "[]", #""""#], "news": ["null", "7", "{}", #""..""#],
            "user": ["true", #""""#],
            "at": ["7", "null", #""2027-01-15T08:05:00.001Z""#, #""soon""#], "x": ["1"],
        ]
        for (name, values) in wrong {
            for value in values {
                let members = like.merging([name: value]) { $1 }.map { "\"\($0)\":\($1)" }.joined(separator: ",")
                let right = #"{"op":"unlike","news":"n","user":"u"}"#
                for (text, type) in [
                    ("[\(right),{\(members)},\(right)]", MediaType.json), ("\(right)\n{\(members)}\n\(right)", .ndjson),
                ] {
                    let entries = try reader.manyLikes(Array(text.utf8), type)
                    #expect(entries.count == 3)
                    guard case .malformed(let code, let detail) = entries[1], case .request = entries[0],
                        case .request = entries[2]
                    else { return #expect(Bool(false), "\(text)") }
                    #expect(
                        ["invalid_body", "invalid_id"].contains(code) && detail.hasPrefix("\(name): "), "\(detail)")
                }
            }
        }
    }

    @Test(
        "an integer is one however it is written",
        arguments: [
            ("0", 0), ("-0", 0), ("1.0", 1), ("1e3", 1_000), ("9007199254740991", 9_007_199_254_740_991),
        ])
    func integers(text: String, value: Int64) throws {
        let reader = BodyReader(now: Timestamp(milliseconds: 0))
        let body = Array("{\"title\":\"T\",\"baseLikes\":\(text)}".utf8)
        #expect(try reader.news(body, id: NewsID(trusted: "n")).news.baseLikes == value)
    }
}
