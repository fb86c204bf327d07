import Glibc
import TestSupport
import Testing

@testable import LikesCore

@Suite("Times are RFC 3339")
struct TimestampTests {
    /// The C library's idea of the text of a moment.
    private func systemText(_ timestamp: Timestamp) -> String {
        var seconds = time_t(timestamp.milliseconds / 1000)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
        func padded(_ value: some BinaryInteger, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let time = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
        return "\(date)T\(time).\(padded(timestamp.milliseconds % 1000, 3))Z"
    }

    private func check(_ timestamp: Timestamp) throws {
        let text = timestamp.rfc3339
        try #require(text == systemText(timestamp))
        try #require(Timestamp(rfc3339: text) == timestamp)
    }

    @Test("every moment that can be stored comes back from its text, which is the C library's", arguments: seeds(2))
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<3_000 {
            let range = Timestamp.storable.lowerBound.milliseconds...Timestamp.storable.upperBound.milliseconds
            try check(Timestamp(milliseconds: Int64.random(in: range, using: &random)))
        }
        try check(Timestamp.storable.lowerBound)
        try check(Timestamp.storable.upperBound)
    }

    @Test("the first and the last millisecond of each day, over leap years")
    func everyDay() throws {
        for day: Int64 in 0..<50_900 {
            try check(Timestamp(milliseconds: day * 86_400_000))
            try check(Timestamp(milliseconds: (day + 1) * 86_400_000 - 1))
        }
    }

    @Test(
        "known texts",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.5Z", 500), ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T12:00:00Z", 951_825_600_000), ("2024-02-29T00:00:00.123456789Z", 1_709_164_800_123),
            ("2024-02-29t00:00:00z", 1_709_164_800_000), ("2024-02-29 00:00:00Z", 1_709_164_800_000),
            ("2024-03-01T01:00:00+02:00", 1_709_247_600_000), ("2024-02-29T18:30:00-04:30", 1_709_247_600_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2100-02-28T23:59:59.999Z", 4_107_542_399_999),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] as [(String, Int64)])
    func known(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "texts that name no moment",
        arguments: [
            "", "2024", "2024-02-29", "2024-02-29T00:00:00", "2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-00T00:00:00Z",
            "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00+2:00", "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00+02:60",
            "2024-01-01T00:00:00+0200", "2024-01-01T00:00:00Z ", " 2024-01-01T00:00:00Z", "2024-01-01T00:00:00ZZ",
            "24-01-01T00:00:00Z", "+2024-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2024/01/01T00:00:00Z",
            "2024-1-1T00:00:00Z", "２０２４-01-01T00:00:00Z", "2024-01-01T0000:00Z", "now", "1709164800",
        ])
    func garbage(text: String) { #expect(Timestamp(rfc3339: text) == nil) }

    @Test("the written text is handed out byte by byte")
    func bytes() {
        let bytes = Timestamp(milliseconds: 1_709_164_800_007).rfc3339Bytes
        #expect(bytes.indices.map { bytes[$0] } == Array("2024-02-29T00:00:00.007Z".utf8))
    }
}
