import Glibc

/// Random numbers that come again with the same seed (splitmix64), so that a failed trial can be repeated.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// True once in `count` times on average.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// The seeds of a property test, which are its arguments and so are printed when it fails.
///
/// - Returns: 1 to `count`, and the number in the environment variable LIKESD_TEST_SEED when it is set.
func seeds(_ count: UInt64) -> [UInt64] {
    let extra = unsafe getenv("LIKESD_TEST_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
    return Array(1...count) + (extra.map { [$0] } ?? [])
}
