/// The key of all hash functions of a state: random, so that nobody can choose ids that collide, and kept with its
/// snapshots, so that the indexes in them stay good.
struct HashKey: BitwiseCopyable, Equatable {
    let first: UInt64
    let second: UInt64

    /// A new key.
    static func random() -> HashKey {
        HashKey(first: .random(in: .min ... .max), second: .random(in: .min ... .max))
    }

    /// A hash of bytes: SipHash-1-3 (Aumasson, Bernstein 2012), which withstands chosen input.
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = SipState(key: self)
        let whole = bytes.count & ~7
        var offset = 0
        while offset < whole {
            unsafe state.compress(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        while offset < bytes.count {
            unsafe last |= UInt64(bytes[offset]) << UInt64(8 * (offset - whole))
            offset += 1
        }
        state.compress(last)
        return state.finish()
    }

    /// A hash of a pair of handles: the seeded finalizer of splitmix64 (Steele, Lea, Flood 2014).
    func hash(_ first: UInt32, _ second: UInt32) -> UInt64 {
        var value = (UInt64(first) << 32 | UInt64(second)) ^ self.first
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// The four words of SipHash.
private struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(key: HashKey) {
        v0 = key.first ^ 0x736F_6D65_7073_6575
        v1 = key.second ^ 0x646F_7261_6E64_6F6D
        v2 = key.first ^ 0x6C79_6765_6E65_7261
        v3 = key.second ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    @inline(__always)
    mutating func finish() -> UInt64 {
        v2 ^= 0xFF
        for _ in 0..<3 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = Self.rotate(v1, 13) ^ v0
        v0 = Self.rotate(v0, 32)
        v2 = v2 &+ v3
        v3 = Self.rotate(v3, 16) ^ v2
        v0 = v0 &+ v3
        v3 = Self.rotate(v3, 21) ^ v0
        v2 = v2 &+ v1
        v1 = Self.rotate(v1, 17) ^ v2
        v2 = Self.rotate(v2, 32)
    }

    @inline(__always)
    private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
