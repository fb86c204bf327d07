/// Times as flags have them: a number with its unit, which is s, m, h or d.
enum Duration {
    private static let units: [(letter: Character, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
    ]

    /// The milliseconds of a text; nil when it is no time.
    static func milliseconds(_ text: String) -> Int64? {
        let digits = text.utf8.dropLast()
        guard let unit = units.first(where: { $0.letter == text.last }), 1...9 ~= digits.count,
            digits.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text.dropLast())
        else { return nil }
        return number * unit.milliseconds
    }

    /// A time in the largest unit that divides it.
    static func text(_ milliseconds: Int64) -> String {
        let unit = units.first { milliseconds % $0.milliseconds == 0 } ?? ("s", 1_000)
        return "\(milliseconds / unit.milliseconds)\(unit.letter)"
    }
}
