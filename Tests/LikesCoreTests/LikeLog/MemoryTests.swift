import Glibc
import Testing

@testable import LikesCore

/// Other tests run at the same time: what is measured here is far more than they use.
@Suite("The storage gives memory back")
struct MemoryTests {
    private static let manyUsers: UInt32 = 1_000_000

    /// The resident memory of the process in MB, from its pages of 4 KiB.
    private static var residentMB: Int {
        get throws {
            guard let file = unsafe fopen("/proc/self/statm", "r") else { throw Answer.Surprise() }
            defer { unsafe _ = fclose(file) }
            var line = [CChar](repeating: 0, count: 200)
            _ = unsafe fgets(&line, Int32(line.count), file)
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return (Int(text.split(separator: " ")[1]) ?? 0) / 256
        }
    }

    @Test("a chunked array that goes out of scope")
    func chunkedArray() throws {
        let before = try Self.residentMB
        for _ in 0..<100 {
            var array = ChunkedArray<UInt64>(filler: 1)
            array.grow(to: Int(Self.manyUsers))
        }
        #expect(try Self.residentMB - before < 400)
    }

    @Test("a log that is let go, with heads of a million users")
    func letGo() throws {
        let before = try Self.residentMB
        for _ in 0..<100 { LikeLog().add(news: 0, user: Self.manyUsers, at: .some, sequence: 1) }
        #expect(try Self.residentMB - before < 400)
    }

    @Test("each sweep, with what it remembers of a million users")
    func sweeps() throws {
        let before = try Self.residentMB
        let log = LikeLog(dustLimit: 10)
        var sweeps = 0
        var sequence: UInt64 = 1
        log.add(news: 0, user: Self.manyUsers, at: .some, sequence: sequence)
        while sweeps < 200 {
            sequence += 1
            log.add(news: 0, user: Self.manyUsers - 1, at: .some, sequence: sequence)
            log.remove(news: 0, user: Self.manyUsers - 1)
            let wasSweeping = log.sweep != nil
            log.sweep(steps: 16)
            if wasSweeping, log.sweep == nil { sweeps += 1 }
        }
        #expect(log.find(news: 0, user: Self.manyUsers) != nil)
        #expect(try Self.residentMB - before < 400)
    }

    @Test("a million likes, of many users and few news")
    func bytesOfALike() {
        let log = LikeLog()
        for number: UInt32 in 0..<Self.manyUsers {
            let at = Timestamp(milliseconds: 1_800_000_000_000 + Int64(number) * 40)
            let user = UInt32(UInt64(number) * 7_919 % 100_003)
            log.add(news: number / 100_003, user: user, at: at, sequence: UInt64(number) + 1)
        }
        #expect(log.count == Self.manyUsers)
        // 18 bytes and a share of the blocks' sequences and times.
        #expect(log.ring.byteCount < Int(log.count) * 183 / 10)
        #expect(log.indexByteCount < Int(log.count) * 23 / 4)
    }
}
