import Testing

@testable import LikesCore

@Suite("Commands that are decided in one batch see each other")
struct BatchTests {
    @Test("of fifty equal likes exactly one changes something, and none fails")
    func fiftyEqualLikes() throws {
        let bench = try Bench(isStarted: false)
        let made = try bench.submit(.put("n", baseLikes: 7))
        let answers = try (0..<50).map { _ in try bench.submit(.like("n", "u")) }
        bench.start()
        _ = try made.receipt
        let receipts = try answers.map { try $0.toggle }
        #expect(receipts.filter(\.changed).count == 1)
        #expect(receipts.allSatisfy { $0.likesCount == 8 && $0.liked && $0.likedAt == receipts[0].likedAt })
        #expect(bench.journal.events.map(\.summary) == ["added n", "+n u"])
        #expect(receipts.allSatisfy { $0.sequence == 2 })
        #expect(bench.likesCount("n") == 8)
    }

    @Test("fifty equal likes from as many threads: one changes something")
    func fiftyThreads() async throws {
        let bench = try Bench()
        try bench.put("n")
        let changed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { try bench.like("n", by: "u").changed } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(changed == 1)
        #expect(bench.likesCount("n") == 1)
    }

    @Test("like, unlike and like again in one batch are three changes")
    func likeUnlikeLike() throws {
        let journal = RecordingJournal()
        try Bench(journal: journal).put("n", baseLikes: 3)
        let bench = try Bench(journal: journal, isStarted: false)
        let answers = try [LikeCommand.Action.like("n", "u"), .unlike("n", "u"), .unlike("n", "u"), .like("n", "u")]
            .map { try bench.submit($0) }
        bench.start()
        let receipts = try answers.map { try $0.toggle }
        #expect(receipts.map(\.changed) == [true, true, false, true])
        #expect(receipts.map(\.likesCount) == [4, 3, 3, 4])
        #expect(receipts.map(\.sequence) == [2, 3, 3, 4])
        #expect(receipts.map { $0.likedAt == nil } == [false, true, true, false])
        #expect(journal.batches.count == 2)
        let likes = journal.events.compactMap(\.like)
        #expect(likes.map(\.firstTime) == [true, false, false])
        #expect(likes.map(\.numberOfGivenLikes) == [1, 0, 1])
        #expect(bench.likesCount("n") == 4)
        #expect(bench.givenLikes("u") == 1)
    }

    @Test("a news that was made in the batch can be liked in it")
    func madeAndLiked() throws {
        let bench = try Bench(isStarted: false)
        let early = try bench.submit(.like("n", "early"))
        let made = try bench.submit(.put("n"))
        let like = try bench.submit(.like("n", "u"))
        bench.start()
        #expect(try early.rejection == .newsNotFound)
        _ = try made.receipt
        #expect(try like.toggle.changed)
        #expect(bench.likesCount("n") == 1)
    }

    @Test("a batch of 10,000 with repeated and unknown news has a result for each, in order")
    func largeBatch() throws {
        let bench = try Bench()
        let made = try bench.submit(
            .putManyNews((0..<10).map { .request(NewsDraft(News(id: .news($0), title: ""), setsBaseLikes: false)) }))
        #expect(try made.many.results == Array(repeating: .done(changed: true, made: true, likesCount: 0), count: 10))
        // News 0 to 11, of which 10 and 11 do not exist; users 0 to 99: each pair comes several times.
        let entries: [BatchEntry<ToggleRequest>] = (0..<10_000).map { number in
            if number == 5_000 { return .malformed(code: "invalid_id", detail: "an id must not be empty") }
            return .request(ToggleRequest(liked: true, news: .news(number % 12), user: .user(number % 100)))
        }
        let receipt = try bench.submit(.toggleMany(entries)).many
        var seen: Set<[Int]> = []
        var counts = Array(repeating: 0, count: 10)
        for (number, result) in receipt.results.enumerated() {
            let (news, user) = (number % 12, number % 100)
            if number == 5_000 {
                #expect(result == .malformed(code: "invalid_id", detail: "an id must not be empty"))
            } else if news >= 10 {
                #expect(result == .failed(.newsNotFound))
            } else {
                let isNew = seen.insert([news, user]).inserted
                counts[news] += isNew ? 1 : 0
                #expect(result == .done(changed: isNew, made: isNew, likesCount: Int64(counts[news])))
            }
        }
        #expect(receipt.results.count == 10_000)
        #expect(receipt.sequence == UInt64(10 + seen.count))
        #expect(bench.reader.position == receipt.sequence)
    }

    @Test("an unlike in a batch is not counted as something made")
    func unlikesInBatch() throws {
        let bench = try Bench()
        try bench.put("n")
        let entries = [true, false, false].map {
            BatchEntry.request(ToggleRequest(liked: $0, news: "n", user: "u"))
        }
        #expect(
            try bench.submit(.toggleMany(entries)).many.results == [
                .done(changed: true, made: true, likesCount: 1), .done(changed: true, made: false, likesCount: 0),
                .done(changed: false, made: false, likesCount: 0),
            ])
    }

    @Test("a large batch leaves room for others: it is cut into rounds")
    func largeBatchIsCut() throws {
        let bench = try Bench(isStarted: false)
        let made = try bench.submit(.put("n"))
        let batch = try bench.submit(
            .toggleMany((0..<5_000).map { .request(ToggleRequest(liked: true, news: "n", user: .user($0))) }))
        let single = try bench.submit(.like("n", "single"))
        bench.start()
        _ = try (made.receipt, batch.receipt)
        #expect(try single.toggle.sequence < 3_000)
        // A part of the batch, the news that was made, and the single like.
        #expect(bench.journal.batches.allSatisfy { $0.count <= Limits.stepsPerRound + 2 })
        #expect(bench.likesCount("n") == 5_001)
    }

    @Test("10,000 descriptions of one news in a batch take few commits, and each result says what it changed")
    func oneNewsManyTimes() throws {
        let bench = try Bench()
        // Each title comes twice.
        let entries = (0..<Limits.batchEntries).map {
            BatchEntry.request(NewsDraft(News(id: "n", title: "title \($0 / 2)"), setsBaseLikes: false))
        }
        let receipt = try bench.submit(.putManyNews(entries)).many
        #expect(receipt.results.first == .done(changed: true, made: true, likesCount: 0))
        let others = (1..<Limits.batchEntries).map {
            BatchReceipt.EntryResult.done(changed: $0 % 2 == 0, made: false, likesCount: 0)
        }
        #expect(Array(receipt.results.dropFirst()) == others)
        #expect(bench.journal.batches.count <= 11)
        #expect(receipt.sequence == UInt64(Limits.batchEntries / 2))
        #expect(bench.reader.detail("n", viewer: nil)?.entry.stored.news.title == "title 4999")
    }

    @Test("descriptions of one news in a batch keep its baseLikes and its likes unless they give others")
    func putAfterPut() throws {
        let bench = try Bench()
        try bench.put("old", baseLikes: 3)
        for user in 0..<2 { try bench.like("old", by: .user(user)) }
        let drafts: [(id: NewsID, title: String, base: Int64?)] = [
            ("new", "a", 5), ("new", "b", nil), ("new", "b", nil), ("new", "b", 6), ("new", "c", nil),
            ("old", "a", nil), ("old", "b", 7), ("old", "c", nil), ("old", "c", 7), ("old", "c", 0),
        ]
        let receipt = try bench.submit(
            .putManyNews(
                drafts.map { draft in
                    .request(
                        NewsDraft(
                            News(id: draft.id, title: draft.title, baseLikes: draft.base ?? 0),
                            setsBaseLikes: draft.base != nil))
                })
        ).many
        let expected: [(changed: Bool, likesCount: Int64)] = [
            (true, 5), (true, 5), (false, 5), (true, 6), (true, 6),
            (true, 5), (true, 9), (true, 9), (false, 9), (true, 2),
        ]
        let results = expected.enumerated().map { index, result in
            BatchReceipt.EntryResult.done(changed: result.changed, made: index == 0, likesCount: result.likesCount)
        }
        #expect(receipt.results == results)
        #expect(bench.journal.batches.count == 4)
        #expect(bench.feedCounts == ["new": 6, "old": 2])
    }
}
