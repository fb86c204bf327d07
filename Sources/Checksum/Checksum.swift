internal import CXXHash

/// A 64-bit checksum of bytes that are kept on a disk: XXH3 (xxhash.com), which finds damage, not forgery.
package enum Checksum {
    /// The checksum of bytes. To chain pieces, `seed` is the checksum of what came before.
    package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        unsafe XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    }
}
