import TestSupport
import Testing

@testable import LikesCore

@Suite("The table of a draft equals a dictionary")
struct DraftTableTests {
    @Test("through random changes, with room or without", arguments: seeds(2), [0, 40])
    func equalsDictionary(seed: UInt64, expected: Int) throws {
        var random = SeededRandom(seed: seed)
        var table = DraftTable<Timestamp?>(filler: nil, hashKey: .random(), expecting: expected)
        var model: [UInt64: Timestamp?] = [:]
        #expect(table[UInt64(0)] == nil)
        for _ in 0..<3_000 {
            // The highest handles of all mean users and news that are new.
            let news = UInt64.random(in: 0...40, using: &random) + (random.once(in: 2) ? 0 : UInt64(UInt32.max) - 41)
            let key = news << 32 | UInt64.random(in: 0...60, using: &random)
            let value = random.once(in: 3) ? nil : Timestamp(milliseconds: Int64(news))
            table.set(value, key)
            model[key] = .some(value)
            let other = UInt64.random(in: 0...40, using: &random) << 32 | UInt64.random(in: 0...60, using: &random)
            try #require(table[key] == .some(value))
            try #require(table[other] == model[other])
        }
        #expect(model.allSatisfy { table[$0.key] == .some($0.value) })
    }

    @Test("what is added to a number adds up")
    func sums() {
        var table = DraftTable<Int64>(filler: 0, hashKey: .random(), expecting: 1)
        for handle: UInt32 in 0..<100 {
            #expect(table[handle] == nil)
            #expect(table.add(Int64(handle), to: handle) == Int64(handle))
            #expect(table.add(-1, to: handle) == Int64(handle) - 1)
        }
        #expect(table.add(1, to: UInt32.max) == 1)
        #expect(table[UInt32(7)] == 6)
    }
}
