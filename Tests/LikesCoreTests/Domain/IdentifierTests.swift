import TestSupport
import Testing

@testable import LikesCore

@Suite("Ids are 1 to 256 bytes of UTF-8, kept byte for byte")
struct IdentifierTests {
    @Test(
        "any text without control characters is an id",
        arguments: [
            "1", "1588987262754234368", "https://a.example/b?c=1", "✨", " ", "a b", "...", ".a", "%2F", "/", "\u{A0}",
            "\u{E9}", "e\u{301}", "\u{FEFF}", "\u{2028}", "\u{10FFFF}", "\u{C2}", "🧑🏽‍🚀",
            String(repeating: "é", count: 128), String(repeating: "x", count: 256),
        ])
    func accepted(text: String) throws {
        #expect(Array(try NewsID(text).text.utf8) == Array(text.utf8))
        #expect(Array(try UserID(utf8: Array(text.utf8)).text.utf8) == Array(text.utf8))
    }

    @Test(
        "what breaks a rule is refused with that rule",
        arguments: [
            ("", .empty), (".", .dots), ("..", .dots), ("\u{0}", .controlCharacter), ("a\u{0}b", .controlCharacter),
            ("\n", .controlCharacter), ("a\u{1F}", .controlCharacter), ("\u{7F}", .controlCharacter),
            ("\u{80}", .controlCharacter), ("a\u{85}b", .controlCharacter), ("\u{9F}", .controlCharacter),
            (String(repeating: "x", count: 257), .tooLong), (String(repeating: "é", count: 129), .tooLong),
        ] as [(String, IdentifierError)])
    func refused(text: String, rule: IdentifierError) {
        #expect(throws: rule) { try NewsID(text) }
        #expect(throws: rule) { try UserID(utf8: Array(text.utf8)) }
    }

    @Test(
        "bytes that are no UTF-8 are refused",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xE2, 0x9C], [0x61, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: IdentifierError.notUTF8) { try NewsID(utf8: bytes) }
    }

    @Test("two spellings of é are two ids, with an order")
    func identityIsBytewise() throws {
        let (composed, decomposed) = (NewsID("\u{E9}"), NewsID("e\u{301}"))
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
        #expect(!(composed < decomposed))
    }

    @Test("the order is that of the bytes")
    func order() throws {
        let ids = try ["a", "B", "aa", "ä", "✨", "1", "10", "9"].map { try NewsID($0) }
        #expect(ids.sorted().map(\.text) == ["1", "10", "9", "B", "a", "aa", "ä", "✨"])
    }

    @Test("so is that of long ids, wherever they differ", arguments: seeds(2))
    func longOrder(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let letters = ["a", "b", "é", "✨"]
        for _ in 0..<2_000 {
            let shared = (0..<Int.random(in: 0...20, using: &random)).map { _ in random.one(of: letters) }.joined()
            let texts = (1...2).map { _ in
                shared + (0...Int.random(in: 0...2, using: &random)).map { _ in random.one(of: letters) }.joined()
            }
            let ids = try texts.map { try NewsID($0) }
            try #require((ids[0] < ids[1]) == texts[0].utf8.lexicographicallyPrecedes(texts[1].utf8))
            try #require((ids[0] == ids[1]) == texts[0].utf8.elementsEqual(texts[1].utf8))
        }
    }

    @Test(
        "every rule has a sentence",
        arguments: [.empty, .tooLong, .notUTF8, .controlCharacter, .dots] as [IdentifierError])
    func reasons(rule: IdentifierError) { #expect(rule.reason.count > 15) }
}

@Suite("Operation ids are 1 to 64 visible ASCII characters")
struct OperationIDTests {
    @Test("accepted", arguments: ["a", "!", "~", "018f-22", String(repeating: "x", count: 64)])
    func accepted(text: String) { #expect(OperationID(text)?.text == text) }

    @Test("refused", arguments: ["", " ", "a b", "\u{7F}", "é", "\n", String(repeating: "x", count: 65)])
    func refused(text: String) { #expect(OperationID(text) == nil) }
}

@Suite("Tokens name a place in one journal")
struct TokenTests {
    @Test("a token is the epoch, a dot and the sequence")
    func text() {
        let token = Token(epoch: Epoch(text: "00ff00ff00ff00ff"), sequence: 18_446_744_073_709_551_615)
        #expect(token.text == "00ff00ff00ff00ff.18446744073709551615")
    }

    @Test("epochs are 16 hexadecimal digits, each another")
    func epochs() {
        let epochs = (0..<200).map { _ in Epoch.random().text }
        #expect(epochs.allSatisfy { $0.utf8.count == 16 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
        #expect(Set(epochs).count == 200)
    }

    @Test("a token that was given out is read as what it was", arguments: [0, 1, 98_938, UInt64.max])
    func roundTrip(sequence: UInt64) {
        let token = Token(epoch: .random(), sequence: sequence)
        #expect(Token(token.text) == token)
    }

    @Test(
        "nothing else is one",
        arguments: [
            "", ".", "1", "f3a9c27e51b04d68", "f3a9c27e51b04d68.", ".1", "f3a9c27e51b04d68.-1",
            "f3a9c27e51b04d68.+1", "f3a9c27e51b04d68.01", "f3a9c27e51b04d68.1.", "f3a9c27e51b04d68.1.1",
            "f3a9c27e51b04d68.1 ", " f3a9c27e51b04d68.1", "f3a9c27e51b04d68.x", "f3a9c27e51b04d68.1e3",
            "f3a9c27e51b04d6.1", "f3a9c27e51b04d688.1", "F3A9C27E51B04D68.1", "g3a9c27e51b04d68.1",
            "f3a9c27e51b04d68.18446744073709551616", "f3a9c27e51b04d68.\u{661}",
        ])
    func others(text: String) {
        #expect(Token(text) == nil)
    }
}
