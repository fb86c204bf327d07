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
    /// The text `YYYY-MM-DDTHH:MM:SS.mmmZ` in UTF-8.
    package var rfc3339Bytes: InlineArray<24, UInt8> {
        let day = milliseconds.flooredDivision(by: 86_400_000)
        let inDay = UInt32(truncatingIfNeeded: milliseconds - day * 86_400_000)
        let date = CivilDate(day: day)
        var text = InlineArray<24, UInt8>(repeating: UInt8(ascii: "-"))
        text.setDigits(at: 0, date.year / 100)
        text.setDigits(at: 2, date.year % 100)
        text.setDigits(at: 5, date.month)
        text.setDigits(at: 8, date.day)
        text[10] = UInt8(ascii: "T")
        text.setDigits(at: 11, inDay / 3_600_000)
        text[13] = UInt8(ascii: ":")
        text.setDigits(at: 14, inDay / 60_000 % 60)
        text[16] = UInt8(ascii: ":")
        text.setDigits(at: 17, inDay / 1000 % 60)
        text[19] = UInt8(ascii: ".")
        text.setDigits(at: 20, inDay % 1000 / 10)
        text[22] = UInt8(truncatingIfNeeded: 48 + inDay % 10)
        text[23] = UInt8(ascii: "Z")
        return text
    }

    /// The text `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    package var rfc3339: String {
        let bytes = rfc3339Bytes
        return unsafe bytes.span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
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

/// The date of a day from the year 0 to 9999, in 32 bits and with few divisions (C. Neri, L. Schneider, "Euclidean affine
/// functions and their application to calendar algorithms", 2022, figure 12). Every answer with a like in it has some.
private struct CivilDate {
    let year: UInt32
    let month: UInt32
    let day: UInt32

    /// - Parameter day: since 1970-01-01.
    @inline(__always)
    init(day: Int64) {
        // Days since March of the year -400, an era before 0: the year begins in March, so that the leap day is its last.
        let shifted = UInt32(truncatingIfNeeded: day + 719_468 + 146_097) &* 4 &+ 3
        let century = shifted / 146_097
        let inCentury = UInt64(shifted % 146_097 | 3) * 2_939_745
        let dayOfYear = UInt32(truncatingIfNeeded: inCentury) / 2_939_745 / 4
        let month = 2141 * dayOfYear + 197_913
        let isNextYear = dayOfYear >= 306
        year = 100 * century + UInt32(inCentury >> 32) + (isNextYear ? 1 : 0) &- 400
        self.month = (month >> 16) - (isNextYear ? 12 : 0)
        self.day = (month & 0xFFFF) / 2141 + 1
    }
}

extension InlineArray<24, UInt8> {
    /// Writes a number below 100 with two digits.
    @inline(__always)
    fileprivate mutating func setDigits(at position: Int, _ number: UInt32) {
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
