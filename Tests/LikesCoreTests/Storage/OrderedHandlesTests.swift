import TestSupport
import Testing

@testable import LikesCore

@Suite("Ordered handles equal a sorted array")
struct OrderedHandlesTests {
    private static func insert(_ handle: UInt32, into list: inout OrderedHandles) {
        list.insert(handle, at: list.position { $0 < handle })
    }

    /// Compares pages from random places on with the array.
    private static func check(
        _ list: OrderedHandles, _ sorted: [UInt32], _ random: inout SeededRandom
    ) throws {
        try #require(list.count == sorted.count)
        try #require(list.entries(after: list.position { _ in false }, limit: .max) == sorted)
        for _ in 0..<20 {
            let key = UInt32.random(in: 0..<1_000_000, using: &random)
            let limit = Int.random(in: 0...700, using: &random)
            let place = list.position { $0 < key }
            let offset = sorted.firstIndex { $0 >= key } ?? sorted.count
            try #require(list.entries(after: place, limit: limit) == Array(sorted[offset...].prefix(limit)))
            try #require(list.entries(after: place, limit: 1).first == sorted[offset...].first)
            try #require(list.entry(before: place) == sorted[..<offset].last)
        }
    }

    @Test("through random insertions and removals", arguments: seeds(2))
    func equalsSortedArray(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var list = OrderedHandles()
        var sorted: [UInt32] = []
        // It grows over many runs, then shrinks to nothing, so that runs are split, joined and dropped.
        for (phase, insertions) in [9, 5, 1, 7, 0].enumerated() {
            for step in 0..<(phase == 4 ? 4_000 : 2_000) {
                if Int.random(in: 0..<10, using: &random) < insertions {
                    let handle = UInt32.random(in: 0..<1_000_000, using: &random)
                    guard !sorted.contains(handle) else { continue }
                    Self.insert(handle, into: &list)
                    sorted.insert(handle, at: sorted.firstIndex { $0 > handle } ?? sorted.count)
                } else if let handle = sorted.randomElement(using: &random) {
                    list.remove(after: list.position { $0 < handle })
                    sorted.removeAll { $0 == handle }
                }
                if step % 400 == 0 { try Self.check(list, sorted, &random) }
            }
            try Self.check(list, sorted, &random)
        }
        #expect(sorted.isEmpty)
    }

    @Test("whether they come in order or in reverse", arguments: [true, false])
    func inOrderOrReverse(isReverse: Bool) throws {
        var list = OrderedHandles()
        for step: UInt32 in 0..<3_000 { Self.insert(isReverse ? 3_000 - step : step + 1, into: &list) }
        #expect(list.entries(after: list.position { _ in false }, limit: .max) == Array(1...3_000))
    }

    @Test("an empty list has no entries and takes some")
    func emptyList() throws {
        var list = OrderedHandles()
        let start = list.position { _ in true }
        #expect(list.entries(after: start, limit: 1).first == nil)
        #expect(list.entry(before: start) == nil)
        #expect(list.entries(after: start, limit: 5).isEmpty)
        Self.insert(7, into: &list)
        list.remove(after: list.position { $0 < 7 })
        Self.insert(8, into: &list)
        #expect(list.entries(after: list.position { _ in false }, limit: 5) == [8])
    }
}
