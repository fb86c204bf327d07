import Glibc

/// Random numbers that come again with the same seed (splitmix64), so that a failed trial can be repeated.
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// True once in `count` times on average.
    package mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// One of some things, of which there must be at least one.
    package mutating func one<Element>(of all: [Element]) -> Element {
        all[Int.random(in: 0..<all.count, using: &self)]
    }
}

/// The seeds of a property test, which are its arguments and so are printed when it fails.
///
/// - Returns: 1 to `count`, and the number in the environment variable LIKESD_TEST_SEED when it is set.
package func seeds(_ count: UInt64) -> [UInt64] {
    Array(1...count) + (Wishes.number("LIKESD_TEST_SEED").map { [$0] } ?? [])
}

/// What the environment says about a run.
package enum Wishes {
    /// The number in a variable, if it is set to one.
    package static func number(_ name: String) -> UInt64? {
        unsafe getenv(name).flatMap { unsafe UInt64(String(cString: $0)) }
    }
}
