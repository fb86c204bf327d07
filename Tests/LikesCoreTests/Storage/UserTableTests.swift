import TestSupport
import Testing

@testable import LikesCore

@Suite("The user table gives each id one handle, and the id back")
struct UserTableTests {
    @Test("ids of every length from 1 to 256 bytes")
    func everyLength() throws {
        let table = UserTable()
        for length in 1...256 {
            let id = try UserID(String(repeating: "x", count: length))
            #expect(table.find(id) == nil)
            let handle = table.intern(id)
            #expect(handle == UInt32(length - 1))
            #expect(table.intern(id) == handle)
            #expect(table.find(id) == handle)
            #expect(table.id(of: handle) == id)
        }
        #expect(table.count == 256)
    }

    @Test("two spellings of é are two users")
    func bytesDecide() throws {
        let table = UserTable()
        let (composed, decomposed) = (UserID("caf\u{E9}"), UserID("cafe\u{301}"))
        #expect(table.intern(composed) != table.intern(decomposed))
        #expect(Array(table.id(of: 0).text.utf8) == Array(composed.text.utf8))
        #expect(Array(table.id(of: 1).text.utf8) == Array(decomposed.text.utf8))
        #expect(table.find(UserID("cafe")) == nil)
    }

    @Test("an id that is the beginning of another")
    func prefixes() throws {
        let table = UserTable()
        let ids = try ["a", "ab", "abc", "abcd", "abcde"].map { try UserID($0) }
        #expect(ids.map { table.intern($0) } == [0, 1, 2, 3, 4])
        #expect(ids.map { table.find($0) } == [0, 1, 2, 3, 4])
    }

    @Test("many users, over several chunks of memory", arguments: seeds(2))
    func manyUsers(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let table = UserTable()
        var ids: [UserID] = []
        for number in 0..<6_000 {
            let padding = String(repeating: ["a", "é", "✨"][number % 3], count: Int.random(in: 0...80, using: &random))
            ids.append(try UserID("\(number)\(padding)"))
            #expect(table.intern(ids[number]) == UInt32(number))
        }
        for (number, id) in ids.enumerated() {
            try #require(table.find(id) == UInt32(number))
            try #require(table.id(of: UInt32(number)) == id)
        }
    }

    @Test("asking for a user makes nobody known")
    func readsRememberNothing() throws {
        let table = UserTable()
        for number in 0..<100 { #expect(table.find(try UserID("\(number)")) == nil) }
        #expect(table.count == 0)
    }
}
