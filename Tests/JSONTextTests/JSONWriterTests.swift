import JSONText
import Testing

@Suite("The writer writes JSON that says what was meant")
struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "strings",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("\"\\/", #""\"\\/""#), ("a\nb\rc\td", #""a\nb\rc\td""#),
            ("\u{0}\u{1}\u{1F}", #""\u0000\u0001\u001f""#), ("\u{8}\u{C}\u{B}", #""\u0008\u000c\u000b""#),
            ("\u{7F}é✨🧑🏽‍🚀\u{2028}", "\"\u{7F}é✨🧑🏽‍🚀\u{2028}\""), ("end\n", #""end\n""#), ("\nstart", #""\nstart""#),
            ("\"\"", #""\"\"""#),
        ])
    func strings(value: String, json: String) { #expect(text { $0.value(value) } == json) }

    @Test("numbers from end to end of their types")
    func numbers() {
        #expect(text { $0.value(0) } == "0")
        #expect(text { $0.value(-1) } == "-1")
        #expect(text { $0.value(Int64.min) } == "-9223372036854775808")
        #expect(text { $0.value(Int64.max) } == "9223372036854775807")
        #expect(text { $0.value(UInt64.max) } == "18446744073709551615")
    }

    @Test("what is appended comes after what was there, and begins anew")
    func appending() {
        var bytes = Array("before ".utf8)
        for number in 1...2 { JSONWriter.append(to: &bytes) { $0.object { $0.member("n", Int64(number)) } } }
        #expect(String(decoding: bytes, as: UTF8.self) == #"before {"n":1}{"n":2}"#)
    }

    @Test(
        "what is longer than the room that was made for it is written all the same", arguments: [0, 1, 7, 40, 41, 400])
    func growing(room: Int) {
        var bytes = Array("before ".utf8)
        let long = String(repeating: "0123456789", count: 30)
        JSONWriter.append(to: &bytes, room: room) { json in json.array { for _ in 1...3 { $0.value(long) } } }
        let all = "[\"\(long)\",\"\(long)\",\"\(long)\"]"
        #expect(String(decoding: bytes, as: UTF8.self) == "before \(all)")
        let fresh = JSONWriter.bytes(capacity: room) { json in json.array { for _ in 1...3 { $0.value(long) } } }
        #expect(String(decoding: fresh, as: UTF8.self) == all)
    }

    @Test("every byte that needs an escape gets one, wherever it stands")
    func escapes() {
        for byte in UInt8(0)..<128 {
            let scalar = Unicode.Scalar(byte)
            let escaped =
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\\(scalar)"
                case 9: #"\t"#
                case 10: #"\n"#
                case 13: #"\r"#
                case 0..<32: "\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                default: "\(scalar)"
                }
            for place in 0..<17 {
                let (before, after) = (String(repeating: "é", count: place), String(repeating: "~", count: 17 - place))
                #expect(text { $0.value("\(before)\(scalar)\(after)") } == "\"\(before)\(escaped)\(after)\"")
            }
        }
    }

    @Test("members carry every kind of value")
    func members() {
        let json = JSONWriter.object { json in
            json.member("text", "a\"b")
            json.member("yes", true)
            json.member("unknown", nil as Bool?)
            json.member("time", verbatim: InlineArray(repeating: UInt8(ascii: "x")))
            json.member("least", Int64.min)
            json.member("most", UInt64.max)
        }
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"text":"a\\"b","yes":true,"unknown":null,"time":"xxxxxxxxxxxxxxxxxxxxxxxx",\
                "least":-9223372036854775808,"most":18446744073709551615}
                """)
    }

    @Test("commas stand between values and nowhere else")
    func nesting() {
        let json = text { writer in
            writer.object { writer in
                writer.name("empty")
                writer.object { _ in }
                writer.name("none")
                writer.array { _ in }
                writer.name("some" as String)
                writer.array { writer in
                    writer.value(1)
                    writer.array { $0.value("x") }
                    writer.object { writer in
                        writer.name("a")
                        writer.null()
                    }
                    writer.value(true)
                    writer.array { $0.value(2) }
                    writer.value(false)
                }
                writer.name("l\"ast" as String)
                writer.value(-5)
            }
        }
        #expect(json == #"{"empty":{},"none":[],"some":[1,["x"],{"a":null},true,[2],false],"l\"ast":-5}"#)
    }

    @Test("lines are values of their own")
    func lines() {
        let json = text { writer in
            for number in 1...3 {
                writer.array { $0.value(number) }
                writer.newline()
            }
        }
        #expect(json == "[1]\n[2]\n[3]\n")
    }

    @Test(
        "what was written can be read back", arguments: ["", "\u{1}\u{1F}\"\\", "é e\u{301} ✨", "a\u{7F}b", "\r\n\t"])
    func roundTrip(value: String) throws {
        let document = try JSONDocument(Array(text { writer in writer.array { $0.value(value) } }.utf8))
        let read = try #require(document.root.elements?.first?.string)
        #expect(Array(read.utf8) == Array(value.utf8))
    }
}
