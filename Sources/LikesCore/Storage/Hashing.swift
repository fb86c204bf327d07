/// Hash functions with a seed of the process' own, so that nobody can choose ids that collide.
enum Hashing {
    /// Different in each run, like Swift's own hashing.
    private static let seed = UInt64.random(in: .min ... .max)

    /// A hash of bytes: SipHash, through the standard library.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: bytes)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// A hash of a pair of handles: the seeded finalizer of splitmix64 (Steele, Lea, Flood 2014).
    static func hash(_ first: UInt32, _ second: UInt32) -> UInt64 {
        var value = (UInt64(first) << 32 | UInt64(second)) ^ seed
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
