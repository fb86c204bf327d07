/// The time in which a like loses half of what it counts in `trending`.
///
/// A like set at the time t adds 2^(t / half-life), once and for all: that is decay as seen from any later moment, since
/// all scores shrink by the same factor. So no score changes as time goes by, and none is ever computed again.
package struct HalfLife: Sendable, Hashable {
    /// Milliseconds.
    package let milliseconds: Int64

    /// The half-lives that can be asked for: from an hour to a year. With a shorter one the sums would get many digits.
    package static let allowed: ClosedRange<Int64> = 3_600_000...365 * 86_400_000

    /// A day.
    package static let standard = HalfLife(milliseconds: 86_400_000)

    /// - Parameter milliseconds: one of `allowed`.
    package init(milliseconds: Int64) {
        precondition(Self.allowed ~= milliseconds)
        self.milliseconds = milliseconds
    }

    /// What a like of a moment adds to the score of its news.
    func contribution(at time: Timestamp) -> DecayedSum.Term {
        let (whole, rest) = UInt64(max(time.milliseconds, 0)).quotientAndRemainder(dividingBy: UInt64(milliseconds))
        let (fraction, _) = UInt64(milliseconds).dividingFullWidth((rest >> 32, rest << 32))
        return DecayedSum.Term(mantissa: Self.power(of: UInt32(fraction)), exponent: UInt32(whole))
    }

    /// 2^(fraction / 2^32), times 2^31, cut to an integer: the same on every machine, since it is made of integers only.
    private static func power(of fraction: UInt32) -> UInt32 {
        var product: UInt64 = 1 << 63
        var bits = fraction
        while bits != 0 {
            let place = bits.leadingZeroBitCount
            // Both factors have one bit before the point, and so has the product, which stays below 2.
            let (high, low) = product.multipliedFullWidth(by: roots[place])
            product = high << 1 | low >> 63
            bits &= ~(1 << (31 - UInt32(place)))
        }
        return UInt32(product >> 32)
    }

    /// 2^(1/2), 2^(1/4), … 2^(1/2^32), times 2^63: each the square root of the one before.
    private static let roots: InlineArray<32, UInt64> = {
        var roots = InlineArray<32, UInt64>(repeating: 0)
        var square = UInt128(1) << 127
        for place in 0..<32 {
            let root = squareRoot(square)
            roots[place] = root
            square = UInt128(root) << 63
        }
        return roots
    }()

    /// The integer part of a square root, found bit by bit.
    private static func squareRoot(_ square: UInt128) -> UInt64 {
        var root: UInt64 = 0
        for place in (0..<64).reversed() {
            let guess = root | 1 << UInt64(place)
            let (high, low) = guess.multipliedFullWidth(by: guess)
            if UInt128(high) << 64 | UInt128(low) <= square { root = guess }
        }
        return root
    }
}
