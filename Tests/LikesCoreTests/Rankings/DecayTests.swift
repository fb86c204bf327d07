import Glibc
import TestSupport
import Testing

@testable import LikesCore

@Suite("The score of trending: each like adds 2^(t / half-life), exactly")
struct DecayTests {
    private static let noon: Int64 = 1_700_000_000_000

    @Test("a like adds what the formula says", arguments: [3_600_000, 86_400_000, 31_536_000_000])
    func contribution(milliseconds: Int64) {
        let halfLife = HalfLife(milliseconds: milliseconds)
        var random = SeededRandom(seed: UInt64(milliseconds))
        for _ in 0..<2_000 {
            let time = Int64.random(in: 0..<1 << 42, using: &random)
            let term = halfLife.contribution(at: Timestamp(milliseconds: time))
            let (whole, rest) = time.quotientAndRemainder(dividingBy: milliseconds)
            #expect(Int64(term.exponent) == whole)
            let expected = exp2(Double(rest) / Double(milliseconds) + 31)
            // The mantissa is cut to an integer, and 32 roundings down go before.
            #expect(Double(term.mantissa) <= expected + 1)
            #expect(Double(term.mantissa) >= expected - 2)
        }
    }

    @Test("a half-life later a like counts exactly twice as much")
    func doubling() {
        let halfLife = HalfLife.standard
        for time in stride(from: Self.noon, to: Self.noon + 86_400_000, by: 7_777_777) {
            var (two, one) = (DecayedSum(), DecayedSum())
            two.add(halfLife.contribution(at: Timestamp(milliseconds: time)))
            two.add(halfLife.contribution(at: Timestamp(milliseconds: time)))
            one.add(halfLife.contribution(at: Timestamp(milliseconds: time + 86_400_000)))
            #expect(two.score == one.score)
        }
    }

    private static func term(_ random: inout SeededRandom) -> DecayedSum.Term {
        // Near one another, far apart, and with bits that make long carries.
        let exponent = random.once(in: 4) ? UInt32.random(in: 0...70_000_000, using: &random) : 700
        return DecayedSum.Term(
            mantissa: random.once(in: 3) ? .max : UInt32.random(in: 1 << 31...UInt32.max, using: &random),
            exponent: exponent + UInt32.random(in: 0...100, using: &random))
    }

    @Test("what is taken back leaves no trace, whatever the order", arguments: seeds(20))
    func exactness(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (lived, there) = (DecayedSum(), [DecayedSum.Term]())
        for _ in 0..<400 {
            if !there.isEmpty, random.once(in: 2) {
                lived.subtract(there.remove(at: Int.random(in: 0..<there.count, using: &random)))
            } else {
                there.append(Self.term(&random))
                lived.add(there[there.count - 1])
            }
            guard random.once(in: 10) else { continue }
            var fresh = DecayedSum()
            for term in there.shuffled(using: &random) { fresh.add(term) }
            #expect(lived == fresh)
        }
        for term in there.shuffled(using: &random) { lived.subtract(term) }
        #expect(lived == DecayedSum())
        #expect(lived.score == 0)
    }

    @Test("scores compare as the sums do", arguments: seeds(10))
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        // Within the range of a Double, which keeps more bits than a score.
        let sums = (0..<200).map { _ in
            (0..<Int.random(in: 1...40, using: &random)).map { _ in
                DecayedSum.Term(
                    mantissa: UInt32.random(in: 1 << 31...UInt32.max, using: &random),
                    exponent: UInt32.random(in: 0...500, using: &random))
            }
        }
        let numbers = sums.map { terms in terms.reduce(0.0) { $0 + Double($1.mantissa) * exp2(Double($1.exponent)) } }
        let scores = sums.map { terms in
            var sum = DecayedSum()
            for term in terms { sum.add(term) }
            return sum.score
        }
        for (left, right) in zip(scores.indices.dropLast(), scores.indices.dropFirst())
        where abs(numbers[left] / numbers[right] - 1) > 1e-10 {
            #expect((scores[left] < scores[right]) == (numbers[left] < numbers[right]))
        }
    }

    @Test("a score is the place of the highest bit, and the 36 bits below it")
    func score() {
        var sum = DecayedSum()
        #expect(sum.score == 0)
        sum.add(DecayedSum.Term(mantissa: 1 << 31, exponent: 37))
        #expect(sum.score == 69 << 36)
        sum.add(DecayedSum.Term(mantissa: 1 << 31, exponent: 34))
        #expect(sum.score == 69 << 36 | 1 << 33)
        // 37 bits further down: too little to be seen, and yet kept.
        sum.add(DecayedSum.Term(mantissa: 1 << 31, exponent: 0))
        #expect(sum.score == 69 << 36 | 1 << 33)
        sum.add(DecayedSum.Term(mantissa: 1 << 31, exponent: 0))
        #expect(sum.score == 69 << 36 | 1 << 33 | 1)
    }
}
