import Testing

@testable import LikesCore

@Suite("Likes received that are more than 64 bits can show")
struct HugeSumTests {
    /// As many news with the largest `baseLikes` as one author can have before the sum no longer fits.
    private static let fitting = 1_024
    private static let count = 1_100

    private func received(_ user: UserID, _ bench: Bench) -> Int64 { bench.reader.profile(user).numberOfReceivedLikes }

    /// What a service shows that has just folded the same journal.
    private func receivedAfterRestart(_ user: UserID, _ bench: Bench) throws -> Int64 {
        received(user, try Bench(journal: RecordingJournal(events: bench.journal.events)))
    }

    private func bench() throws -> Bench {
        let bench = try Bench()
        let news = (0..<Self.count).map { number in
            BatchEntry.request(
                NewsDraft(
                    News(id: .news(number), title: "", author: "writer", baseLikes: Limits.baseLikes),
                    setsBaseLikes: true))
        }
        let results = try bench.submit(.putManyNews(news)).many.results
        #expect(
            results == Array(repeating: .done(changed: true, made: true, likesCount: Limits.baseLikes), count: 1_100))
        return bench
    }

    @Test("1,100 news of the largest baseLikes by one author: the profile shows the largest number, and goes on")
    func clamped() throws {
        let bench = try bench()
        #expect(received("writer", bench) == .max)
        #expect(try bench.like("n0", by: "u").likesCount == Limits.baseLikes + 1)
        #expect(received("writer", bench) == .max)
        #expect(try receivedAfterRestart("writer", bench) == .max)
        #expect(try bench.unlike("n0", by: "u").likesCount == Limits.baseLikes)
        #expect(received("writer", bench) == .max)
    }

    @Test("it is exact again when enough of the news are removed, or someone else's")
    func exactAgain() throws {
        let bench = try bench()
        try bench.like("n0", by: "u")
        for number in Self.fitting + 1..<Self.count { try bench.ask(.removeNews(.news(number))) }
        #expect(received("writer", bench) == .max)
        try bench.put(.news(Self.fitting), author: "other")
        let sum = Int64(Self.fitting) * Limits.baseLikes
        #expect(received("writer", bench) == sum + 1)
        #expect(received("other", bench) == Limits.baseLikes)
        #expect(try receivedAfterRestart("writer", bench) == sum + 1)
        try bench.put("n1", baseLikes: 0)
        #expect(received("writer", bench) == sum + 1 - Limits.baseLikes)
        try bench.put("n0", author: "writer", baseLikes: 0)
        #expect(received("writer", bench) == sum + 1 - 2 * Limits.baseLikes)
    }
}
