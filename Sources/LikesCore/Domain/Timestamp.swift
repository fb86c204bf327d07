/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z; in JSON an RFC 3339 text in UTC.
///
/// It reaches to 2109-05-15, the end of the 42 bits in which a like keeps its time.
package struct Timestamp: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Milliseconds since 1970-01-01T00:00:00Z; before it they are negative.
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The moments that a news or a like can carry.
    package static let storable = Timestamp(milliseconds: 0)...Timestamp(milliseconds: (1 << 42) - 1)

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}

extension Timestamp {
    /// Appends the 24 bytes of `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    package func appendRFC3339(to bytes: inout [UInt8]) {
        let day = milliseconds.flooredDivision(by: 86_400_000)
        let inDay = milliseconds - day * 86_400_000
        let (year, month, dayOfMonth) = civil(fromDay: day)
        var text = Self.template
        text.setDigits(at: 0, year / 100)
        text.setDigits(at: 2, year % 100)
        text.setDigits(at: 5, month)
        text.setDigits(at: 8, dayOfMonth)
        text.setDigits(at: 11, inDay / 3_600_000)
        text.setDigits(at: 14, inDay / 60_000 % 60)
        text.setDigits(at: 17, inDay / 1000 % 60)
        text.setDigits(at: 20, inDay % 1000 / 10)
        text[22] = UInt8(truncatingIfNeeded: 48 + inDay % 10)
        unsafe text.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// The text with room for its digits.
    private static let template: InlineArray<24, UInt8> = {
        var text = InlineArray<24, UInt8>(repeating: UInt8(ascii: "Z"))
        for (position, byte) in "0000-00-00T00:00:00.000Z".utf8.enumerated() { text[position] = byte }
        return text
    }()

    /// The text `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    package var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The moment that an RFC 3339 text names, or nil when the text is none.
    ///
    /// Any offset is taken and counted in; a fraction is cut to milliseconds; a leap second (`:60`) counts as the
    /// second after it.
    package init?(rfc3339 text: String) {
        var reader = DigitReader(Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), let fraction = reader.milliseconds(), let offset = reader.offsetMinutes(),
            reader.isAtEnd, 1...12 ~= month, hour < 24, minute < 60, second <= 60,
            1...daysInMonth(month, of: year) ~= day
        else { return nil }
        let days = dayNumber(year: year, month: month, day: day)
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        self.init(milliseconds: seconds * 1000 + fraction)
    }
}

/// Reads the parts of a time from its text.
private struct DigitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func number(_ count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let byte = next, 48...57 ~= byte else { return nil }
            value = value * 10 + Int64(byte - 48)
            position += 1
        }
        return value
    }

    mutating func milliseconds() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var count = 0
        while let byte = next, 48...57 ~= byte {
            if count < 3 { value = value * 10 + Int64(byte - 48) }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<max(count, 3) { value *= 10 }
        return value
    }

    mutating func offsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}

private func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
}

/// Days since 1970-01-01 of a date. The year begins in March, so that the leap day is its last (H. Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
private func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.flooredDivision(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

/// The date of a day since 1970-01-01 (the same source, civil_from_days).
private func civil(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = shifted.flooredDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
}

extension InlineArray<24, UInt8> {
    /// Writes a number below 100 with two digits.
    fileprivate mutating func setDigits(at position: Int, _ number: Int64) {
        self[position] = UInt8(truncatingIfNeeded: 48 + number / 10)
        self[position + 1] = UInt8(truncatingIfNeeded: 48 + number % 10)
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
