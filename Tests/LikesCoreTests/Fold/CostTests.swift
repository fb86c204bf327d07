import Testing

@testable import LikesCore

@Suite("What is read costs the same, however many likes there are")
struct CostTests {
    /// The time that something takes: the shortest of many, since others use the processor, too.
    private func time(_ body: () -> Void) -> Duration {
        let clock = ContinuousClock()
        return (0..<20).map { _ in clock.measure { for _ in 0..<50 { body() } } }.min() ?? .zero
    }

    // Reported of others: gotosocial#1887, geeklog#1177
    @Test("a count, a detail, a profile and the first page of each list, with 20,000 likes and with three")
    func cost() throws {
        let bench = try Bench()
        try bench.put("few", author: "writer of few")
        try bench.put("many", author: "writer of many")
        try bench.likeByMany("few", count: 3)
        try bench.likeByMany("many", count: 20_000)
        // As many news for one user as users for one news.
        for start in stride(from: 0, to: 20_000, by: Limits.batchEntries) {
            let ids = (start..<(start + Limits.batchEntries)).map { NewsID.news($0) }
            try bench.ask(.putManyNews(ids.map { .request(NewsDraft(News(id: $0, title: ""), setsBaseLikes: false)) }))
            try bench.ask(.toggleMany(ids.map { .request(ToggleRequest(liked: true, news: $0, user: "reader")) }))
        }
        let reader = bench.reader
        let reads: [(String, (Bool) -> Void)] = [
            ("count", { _ = reader.counts(of: [$0 ? "many" : "few"], viewer: "u1", friends: nil) }),
            ("detail", { _ = reader.detail($0 ? "many" : "few", viewer: "u1") }),
            ("likers", { _ = reader.likers($0 ? "many" : "few", before: nil, limit: 3) }),
            ("profile", { _ = reader.profile($0 ? "reader" : "u1") }),
            ("received", { _ = reader.profile($0 ? "writer of many" : "writer of few") }),
            ("likes of a user", { _ = reader.likes(by: $0 ? "reader" : "u1", before: nil, limit: 1) }),
        ]
        #expect(reader.profile("reader").numberOfGivenLikes == 20_000)
        for (name, read) in reads {
            let (few, many) = (time { read(false) }, time { read(true) })
            // Caches make a difference; to count or sort 20,000 would make one of thousands.
            #expect(many < few * 20 + .milliseconds(1), "\(name): \(many) instead of \(few)")
        }
    }
}
