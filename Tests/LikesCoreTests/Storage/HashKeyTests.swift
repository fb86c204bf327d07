import Testing

@testable import LikesCore

@Suite("Ids are hashed by SipHash with a key")
struct HashKeyTests {
    private func hash(_ text: String, _ key: HashKey) -> UInt64 {
        unsafe Array(text.utf8).withUnsafeBytes { unsafe key.hash($0) }
    }

    /// What CPython 3.11 says with `PYTHONHASHSEED=0`: it uses SipHash-1-3, then with a key of zeros.
    @Test(
        "as other implementations do",
        arguments: [
            ("a", 0x4074_48D2_B89B_1813), ("12345678", 0x3489_9824_3056_0A87),
            ("0123456789abcde", 0x26F4_D862_282D_8FCB), ("https://a.example/b?c=1", 0xF65C_7630_AC67_17A3),
        ] as [(String, UInt64)])
    func knownAnswers(text: String, expected: UInt64) {
        #expect(hash(text, HashKey(first: 0, second: 0)) == expected)
    }

    @Test("both halves of the key matter")
    func keyed() {
        let plain = hash("a", HashKey(first: 0, second: 0))
        #expect(hash("a", HashKey(first: 1, second: 0)) != plain)
        #expect(hash("a", HashKey(first: 0, second: 1)) != plain)
        #expect(HashKey.random() != HashKey.random())
    }
}
