import JSONText
import Testing

@Suite("A document is JSON to its last byte, or an error with a place")
struct JSONDocumentTests {
    private func fault(_ text: String) -> JSONError? { fault(Array(text.utf8)) }

    private func fault(_ bytes: [UInt8]) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONDocument(bytes)
            return nil
        } catch { return error }
    }

    @Test("kinds of values, each asked for as every kind")
    func kinds() throws {
        let texts = ["{}", "[]", "\"s\"", "1", "1.5", "true", "false", "null"]
        let values = try texts.map { try JSONDocument(Array($0.utf8)).root }
        #expect(
            values.map(\.kind) == [.object, .array, .string, .integer, .number, .boolean, .boolean, .null])
        #expect(values.map { $0.members != nil } == [true] + Array(repeating: false, count: 7))
        #expect(values.map { $0.elements != nil } == [false, true] + Array(repeating: false, count: 6))
        #expect(values.map(\.string) == [nil, nil, "s", nil, nil, nil, nil, nil])
        #expect(values.map(\.integer) == [nil, nil, nil, 1, nil, nil, nil, nil])
    }

    @Test("members keep their order, and values outlive the document's name")
    func membersInOrder() throws {
        let members = try JSONDocument(Array(#"{"z":1,"a":{"k":[1,2]},"m":"x","\u00e9":2}"#.utf8)).root.members
        #expect(members?.map(\.key) == ["z", "a", "m", "é"])
        #expect(members?[1].value.members?[0].value.elements?.map(\.integer) == [1, 2])
    }

    @Test("integers to the ends of 64 bits, and not beyond")
    func integers() throws {
        for number in [Int64.min, -1, 0, 1 << 53, Int64.max] {
            #expect(try JSONDocument(Array("\(number)".utf8)).root.integer == number)
        }
        #expect(fault("9223372036854775808") != nil)
        #expect(fault("-9223372036854775809") != nil)
        #expect(fault("1e999") != nil)
        #expect(try JSONDocument(Array("1e3".utf8)).root.kind == .number)
    }

    @Test("a number without a fraction is an integer, however it is written")
    func wholeNumbers() throws {
        for (text, integer) in [("1e3", 1000 as Int64), ("12.0", 12), ("-0.0", 0), ("9007199254740992.0", 1 << 53)] {
            #expect(try JSONDocument(Array(text.utf8)).root.integer == integer, "\(text)")
        }
        for text in ["1.5", "1e-3", "1e300", "9.3e18", "true", "\"1\"", "null"] {
            #expect(try JSONDocument(Array(text.utf8)).root.integer == nil, "\(text)")
        }
    }

    @Test(
        "strings come back with their escapes read",
        arguments: [
            (#""\u00e9\n\t\"\\\/""#, "é\n\t\"\\/"), (#""\ud83d\ude80""#, "🚀"), (#""✨""#, "✨"), (#""""#, ""),
            (#""e\u0301""#, "e\u{301}"),
        ])
    func strings(json: String, value: String) throws {
        let read = try #require(try JSONDocument(Array(json.utf8)).root.string)
        #expect(Array(read.utf8) == Array(value.utf8))
    }

    @Test(
        "texts that are no JSON",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "'s'", "nul", "NaN", "Infinity", "01", "+1", ".5", "1.", "1 2",
            "{} x", "[1] // c", "\"a\nb\"", "\"\\x\"", "\"\\u12\"", "[1}", "\u{FEFF}[]", "\"a", "tRUE",
        ])
    func notJSON(text: String) throws {
        let error = try #require(fault(text))
        #expect(error.fault == .malformed)
        #expect(error.reason.hasPrefix("the text is not valid JSON"))
    }

    @Test(
        "lone surrogates, raw NUL and NUL in keys are refused",
        arguments: [
            #"{"a\u0000":1}"#, #""\ud83d""#, #""\ude80""#, #""\ud83dx""#, #""\ude80\ud83d""#,
            "\"a\u{0}b\"", "[1]\u{0}",
        ])
    func dangerousStrings(text: String) { #expect(fault(text) != nil) }

    @Test("an escaped NUL in a string is kept, so that whoever reads it can say what is wrong with it")
    func escapedNUL() throws {
        #expect(try JSONDocument(Array(#""a\u0000b""#.utf8)).root.string == "a\u{0}b")
    }

    @Test(
        "bytes that are no UTF-8 are refused", arguments: [[0xFF], [0xC0, 0x80], [0xE2, 0x9C], [0xED, 0xA0, 0x80]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(fault([0x22] + bytes + [0x22]) != nil)
        #expect(fault([0x22, 0x61, 0x22] + bytes) != nil)
    }

    @Test(
        "a key that comes twice is told apart and named as it is written, at any depth",
        arguments: [
            (#"{"a":1,"a":1}"#, "a"), (#"[{"b":{"a":1,"\u0061":2}}]"#, #"\u0061"#), (#"{"":1,"":2}"#, ""),
            (#"{"a\"b":1, "a\"b" :2}"#, #"a\"b"#), (#"{"\\":1,"\\":2}"#, #"\\"#), (#"{"é✨":1,"é✨":{}}"#, "é✨"),
            (#"{"x":",","x":2}"#, "x"), ("[{\"a\":0},\n{\"a\":0,\"a\":0}]", "a"),
        ])
    func duplicates(text: String, key: String) {
        #expect(fault(text)?.fault == .duplicateKey(key))
        #expect(fault(text)?.reason.hasPrefix("\(key): the key comes twice in an object (line ") == true)
    }

    @Test("of a long key that comes twice the beginning is named")
    func longDuplicate() {
        let key = String(repeating: "✨", count: 100_000)
        #expect(fault("{\"\(key)\":1,\"\(key)\":2}")?.fault == .duplicateKey(String(key.prefix(256))))
    }

    @Test("NUL in a key is told apart")
    func zeroInKey() { #expect(fault(#"{"a\u0000":1}"#)?.reason == "a key holds U+0000 (line 1, column 10)") }

    @Test("the same key in different objects is no duplicate")
    func noDuplicates() { #expect(fault(#"{"a":{"a":1},"b":{"a":1}}"#) == nil) }

    @Test("a text with too many values is refused before it is taken apart")
    func tooManyValues() {
        func fault(_ text: String, _ limit: Int) -> JSONError.Fault? {
            do throws(JSONError) {
                _ = try JSONDocument(Array(text.utf8), maximumValues: limit)
                return nil
            } catch {
                return error.fault
            }
        }
        #expect(fault("[1,2,3]", 4) == nil)
        #expect(fault("[1,2,3]", 3) == .tooManyValues(3))
        #expect(fault("[[],[],[]]", 6) == .tooManyValues(6))
        #expect(fault(#"{"a,[{":"\",[{[{\\"}"#, 2) == nil)
    }

    @Test("deep nesting is refused before it becomes a danger")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(fault(nested(2_000)) == nil)
        #expect(fault(nested(2_100)) != nil)
        #expect(fault(nested(1_000_000)) != nil)
        #expect(fault(String(repeating: "{\"a\":", count: 100_000)) != nil)
    }

    @Test("the place of a fault is that of its line and column")
    func place() {
        #expect(fault("[1,\n 2,\n x]")?.line == 3)
        #expect(fault("[1,\n 2,\n x]")?.column == 2)
        #expect(fault("")?.line == 1)
        #expect((fault("")?.column ?? -1) >= 0)
    }

    @Test("a large document")
    func large() throws {
        let text = "[" + (0..<20_000).map { "{\"news\":\"\($0)\",\"user\":\"u\"}" }.joined(separator: ",") + "]"
        let elements = try #require(try JSONDocument(Array(text.utf8)).root.elements)
        #expect(elements.count == 20_000)
        #expect(elements[19_999].members?[0].value.string == "19999")
    }
}
