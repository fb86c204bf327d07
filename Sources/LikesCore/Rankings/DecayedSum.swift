/// The exact sum of what the likes of one news add to its score.
///
/// Numbers as far apart as 2^0 and 2^1,200,000 are summed without rounding: an integer in digits of 32 bits, of which
/// only those are kept that are not zero. So what is taken back leaves no trace, and the sum depends on which likes are
/// there, not on how they came to be.
struct DecayedSum: Equatable {
    /// What one like adds: `mantissa` · 2^`exponent`.
    struct Term: Equatable {
        let mantissa: UInt32
        let exponent: UInt32
    }

    /// The digits from the lowest to the highest: the place in the upper half, the digit in the lower.
    private var digits: ContiguousArray<UInt64> = []

    private static let digitMask: UInt64 = 0xFFFF_FFFF

    /// Bits of a score below its exponent.
    private static let scoreBits = 36

    mutating func add(_ term: Term) {
        var (place, carry) = Self.split(term)
        while carry != 0 {
            let index = index(of: place)
            let sum = digit(at: index, place) + carry
            set(sum & Self.digitMask, at: index, place)
            carry = sum >> 32
            place += 1
        }
    }

    /// Takes off what was added before.
    mutating func subtract(_ term: Term) {
        var (place, rest) = Self.split(term)
        while rest != 0 {
            let index = index(of: place)
            precondition(index < digits.count, "only what was added can be taken off")
            let (digit, taken) = (digit(at: index, place), rest & Self.digitMask)
            rest >>= 32
            if digit >= taken {
                set(digit - taken, at: index, place)
            } else {
                set(digit + (1 << 32) - taken, at: index, place)
                rest += 1
            }
            place += 1
        }
    }

    /// The sum as one number that compares as the sum does, down to its 37 highest bits: 0 for none, else the place of the
    /// highest bit, then the 36 bits below that one.
    var score: Int64 {
        guard let top = digits.last else { return 0 }
        let place = top >> 32
        var high = (top & Self.digitMask) << 32
        var low: UInt64 = 0
        for digit in digits.dropLast().suffix(2) {
            switch place - (digit >> 32) {
            case 1: high |= digit & Self.digitMask
            case 2: low = (digit & Self.digitMask) << 32
            default: break
            }
        }
        let shift = UInt64(high.leadingZeroBitCount)
        let bits = shift == 0 ? high : high << shift | low >> (64 - shift)
        let exponent = place * 32 + 32 - shift
        let fraction = (bits << 1) >> UInt64(64 - Self.scoreBits)
        return Int64(exponent << UInt64(Self.scoreBits) | fraction)
    }

    /// The place of a term's lowest digit, and the term in units of that place.
    private static func split(_ term: Term) -> (place: UInt64, value: UInt64) {
        (UInt64(term.exponent / 32), UInt64(term.mantissa) << UInt64(term.exponent % 32))
    }

    /// Where the digit of a place is, or would be.
    private func index(of place: UInt64) -> Int {
        digits.prefixEnd { $0 >> 32 < place }
    }

    private func digit(at index: Int, _ place: UInt64) -> UInt64 {
        index < digits.count && digits[index] >> 32 == place ? digits[index] & Self.digitMask : 0
    }

    private mutating func set(_ digit: UInt64, at index: Int, _ place: UInt64) {
        let isThere = index < digits.count && digits[index] >> 32 == place
        switch (isThere, digit) {
        case (false, 0): break
        case (true, 0): digits.remove(at: index)
        case (true, _): digits[index] = place << 32 | digit
        case (false, _): digits.insert(place << 32 | digit, at: index)
        }
    }
}
