import TestSupport
import Testing

@testable import LikesCore

@Suite("The hash index finds what was put in, and nothing else")
struct HandleIndexTests {
    /// An index beside the dictionary that it has to equal. A handle's hash is found by the handle.
    private final class Trial {
        var index: HandleIndex
        private(set) var hashes: [UInt32: UInt64] = [:]
        private(set) var questions = 0

        init(origin: UInt32 = 0) { index = HandleIndex(origin: origin) }

        func insert(_ handle: UInt32, hash: UInt64) {
            hashes[handle] = hash
            index.insert(handle, hash: hash) { self.hashes[$0] ?? 0 }
        }

        func remove(_ handle: UInt32) {
            index.remove(handle, hash: hashes[handle] ?? 0) { self.hashes[$0] ?? 0 }
            hashes[handle] = nil
        }

        func replace(_ old: UInt32, with new: UInt32) {
            guard let hash = hashes.removeValue(forKey: old) else { return }
            index.replace(old, with: new, hash: hash) { self.hashes[$0] ?? 0 }
            hashes[new] = hash
        }

        /// Looks a handle up, and counts how often the index had to ask.
        func finds(_ handle: UInt32, hash: UInt64) -> Bool {
            var asked = 0
            let found = index.find(hash: hash) { candidate in
                asked += 1
                return candidate == handle
            }
            questions += asked
            return found == handle
        }

        func check() throws {
            for (handle, hash) in hashes { try #require(finds(handle, hash: hash)) }
        }
    }

    @Test("random changes and look-ups, over many growths and splits", arguments: seeds(2))
    func equalsDictionary(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let trial = Trial()
        var next: UInt32 = 0
        for step in 0..<40_000 {
            if step < 25_000 || random.once(in: 2) {
                trial.insert(next, hash: random.next())
                next += 1
            } else {
                let handle = UInt32.random(in: 0..<next, using: &random)
                if trial.hashes[handle] != nil { trial.remove(handle) }
            }
            let handle = UInt32.random(in: 0...next, using: &random)
            let hash = trial.hashes[handle]
            #expect(trial.finds(handle, hash: hash ?? random.next()) == (hash != nil))
        }
        try trial.check()
    }

    @Test("a handle that replaced another is found, the other is not", arguments: seeds(2))
    func replaces(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let trial = Trial()
        for handle: UInt32 in 0..<500 { trial.insert(handle, hash: random.next()) }
        for handle: UInt32 in 0..<500 where random.once(in: 2) {
            let hash = trial.hashes[handle] ?? 0
            trial.replace(handle, with: handle + 1_000)
            #expect(!trial.finds(handle, hash: hash))
        }
        for handle in trial.hashes.keys.sorted() where random.once(in: 3) { trial.remove(handle) }
        try trial.check()
    }

    @Test(
        "handles near the origin and far from it, and an origin that moves up behind them",
        arguments: [0, 0xFFF0_0000, 5 << 26] as [UInt32])
    func windows(origin: UInt32) throws {
        var random = SeededRandom(seed: UInt64(origin))
        let trial = Trial(origin: origin)
        var handle = origin
        var handles: [UInt32] = []
        // From one to the next further and further, over all sizes that a slot has for them, to beyond 28 bits.
        for _ in 0..<5_000 {
            handle &+= UInt32.random(in: 1...max(2, (handle &- origin) / 100), using: &random)
            if handle &- origin > 1 << 30 { break }
            trial.insert(handle, hash: random.next())
            handles.append(handle)
        }
        try trial.check()
        #expect(handle &- origin > 1 << 28)
        for oldest in handles.prefix(handles.count - 100) { trial.remove(oldest) }
        trial.index.origin = handles[handles.count - 100]
        try trial.check()
        for step: UInt32 in 1...2_000 { trial.insert(handle &+ step, hash: random.next()) }
        try trial.check()
        #expect(trial.index.count == 2_100)
    }

    @Test("hashes that all begin in the same slot", arguments: [0, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt64])
    func equalLowBits(low: UInt64) throws {
        var random = SeededRandom(seed: low)
        let trial = Trial()
        for handle: UInt32 in 0..<800 { trial.insert(handle, hash: random.next() << 32 | low) }
        try trial.check()
        for handle in (0..<800 as Range<UInt32>).shuffled(using: &random).prefix(500) {
            let hash = trial.hashes[handle] ?? 0
            trial.remove(handle)
            #expect(!trial.finds(handle, hash: hash))
        }
        try trial.check()
    }

    @Test("an equal hash is no equal handle")
    func equalHashes() throws {
        let trial = Trial()
        for handle: UInt32 in 0..<200 { trial.insert(handle, hash: 42) }
        for handle: UInt32 in stride(from: 0, to: 200, by: 2) { trial.remove(handle) }
        for handle: UInt32 in 0..<200 { #expect(trial.finds(handle, hash: 42) == (handle % 2 == 1)) }
    }

    @Test("a look-up asks about two or three handles, not about all of them")
    func looksAtFew() throws {
        var random = SeededRandom(seed: 5)
        let trial = Trial()
        for handle: UInt32 in 0..<30_000 { trial.insert(handle, hash: random.next()) }
        try trial.check()
        #expect(trial.questions < 30_000 * 3)
    }

    @Test("a handle costs about five bytes", arguments: [20_000, 100_000, 300_000] as [UInt32])
    func costsLittle(count: UInt32) {
        var random = SeededRandom(seed: 6)
        let trial = Trial()
        for handle in 0..<count { trial.insert(handle, hash: random.next()) }
        #expect(trial.index.byteCount < Int(count) * 23 / 4)
    }

    @Test("pairs of handles in a row get hashes that differ in all parts")
    func pairsHashWell() throws {
        let key = HashKey.random()
        var slots: [UInt64: Int] = [:]
        for user: UInt32 in 0..<40_000 {
            let hash = key.hash(user % 7, user)
            slots[hash >> 54, default: 0] += 1
            slots[1 << 20 | hash & 0x3FF, default: 0] += 1
        }
        // 39 each on average.
        #expect(slots.count == 2_048)
        #expect(slots.values.max() ?? 0 < 100)
        #expect(key.hash(1, 2) != key.hash(2, 1))
    }
}
