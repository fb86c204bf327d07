import Testing
import Threading

@testable import LikesCore

@Suite("Liking and unliking all")
struct BulkTests {
    private func bench(newsCount: Int) throws -> Bench {
        let bench = try Bench()
        try bench.ask(
            .putManyNews(
                (0..<newsCount).map { .request(NewsDraft(News(id: .news($0), title: ""), setsBaseLikes: false)) }))
        return bench
    }

    @Test("all of the feed, far more than one round takes", arguments: [0, 1, 999, 1_000, 1_001, 2_500])
    func wholeFeed(newsCount: Int) throws {
        let bench = try bench(newsCount: newsCount)
        if newsCount > 0 { try bench.like(.news(newsCount / 2), by: "u") }
        let expected = max(0, newsCount - 1)
        let liked = try bench.submit(.likeAll("u", of: nil)).bulk
        #expect(liked == BulkReceipt(changed: expected, unknown: [], sequence: bench.reader.position))
        #expect(bench.givenLikes("u") == Int64(newsCount))
        #expect(try bench.submit(.likeAll("u", of: nil)).bulk.changed == 0)
        #expect(try bench.submit(.unlikeAll("u", of: nil)).bulk.changed == newsCount)
        #expect(bench.givenLikes("u") == 0)
        #expect(try bench.submit(.unlikeAll("u", of: nil)).bulk.changed == 0)
        #expect(bench.journal.batches.allSatisfy { $0.count <= Limits.stepsPerRound })
        #expect(bench.reader.likes(by: "u", before: nil, limit: 5).likes.isEmpty)
    }

    @Test("the given news only, with those that do not exist named")
    func listed() throws {
        let bench = try bench(newsCount: 5)
        let list: [NewsID] = ["n1", "nobody", "n3", "n1"]
        #expect(
            try bench.submit(.likeAll("u", of: list)).bulk == BulkReceipt(changed: 2, unknown: ["nobody"], sequence: 7))
        #expect(bench.reader.likes(by: "u", before: nil, limit: 5).likes.map(\.news) == ["n3", "n1"])
        let unlikes: [NewsID] = ["n3", "n2", "nobody"]
        #expect(
            try bench.submit(.unlikeAll("u", of: unlikes)).bulk
                == BulkReceipt(changed: 1, unknown: ["nobody"], sequence: 8))
        #expect(bench.givenLikes("u") == 1)
        #expect(try bench.submit(.likeAll("u", of: [])).bulk.changed == 0)
    }

    @Test("a user whom nobody knows has nothing to unlike, and stays unknown")
    func unknownUser() throws {
        let bench = try bench(newsCount: 3)
        #expect(try bench.submit(.unlikeAll("nobody", of: nil)).bulk.changed == 0)
        #expect(bench.shared.read { $0.users.find("nobody") } == nil)
    }

    @Test("a news that moves to the front of the feed while the walk waits is liked all the same")
    func movedMeanwhile() throws {
        let journal = RecordingJournal()
        let first = try Bench(journal: journal)
        for (id, time) in [("front", 3), ("middle", 2), ("back", 1)] as [(NewsID, Int64)] {
            let news = News(id: id, title: "", publishedAt: Timestamp(milliseconds: time))
            try first.ask(.putNews(NewsDraft(news, setsBaseLikes: false)))
        }
        first.mediator.stop()
        let bench = try Bench(journal: journal, isStarted: false)
        // The walk has to wait where it meets the news that is being removed.
        _ = try bench.submit(.removeNews("middle"))
        let all = try bench.submit(.likeAll("u", of: nil))
        let moved = News(id: "back", title: "", publishedAt: Timestamp(milliseconds: 4))
        _ = try bench.submit(.putNews(NewsDraft(moved, setsBaseLikes: false)))
        bench.start()
        #expect(try all.bulk.changed == 2)
        #expect(bench.feedCounts == ["front": 1, "back": 1])
    }

    @Test("news that are made and removed between the rounds disturb nothing")
    func changesBetweenRounds() throws {
        let bench = try bench(newsCount: 2_500)
        let heard = Heard()
        // While the walk is on its way, news behind and before it come and go.
        bench.bus.subscribe(to: FoldedBatch.self, heard) { [weak bench] heard, batch in
            guard heard.lines.isEmpty, batch.events.first?.like?.user == "u" else { return }
            heard.write("begun")
            for action in [
                LikeCommand.Action.removeNews(.news(100)), .removeNews(.news(2_400)), .put("zz"), .put("00"),
            ] {
                _ = try? bench?.submit(action)
            }
        }
        let receipt = try bench.submit(.likeAll("u", of: nil)).bulk
        #expect(heard.lines == ["begun"])
        #expect(receipt.unknown.isEmpty)
        #expect((2_498...2_502).contains(receipt.changed))
        let page = bench.reader.feed(.newest, viewer: "u", after: nil, limit: 3_000)
        let unliked = page.entries.filter { $0.viewerLikes == false }.map { $0.stored.news.id }
        // Only news that were not there at the start may be left out.
        #expect(Set(unliked).isSubset(of: ["zz", "00"]))
    }

    @Test("a like and an unlike-all of the same user, decided together, leave nothing", arguments: [nil, "n1"])
    func likeThenUnlikeAll(before: String?) throws {
        let journal = RecordingJournal()
        let first = try Bench(journal: journal)
        try first.put("n0")
        try first.put("n1")
        if let before { try first.like(NewsID(before), by: "u") }
        first.mediator.stop()
        let bench = try Bench(journal: journal, isStarted: false)
        let like = try bench.submit(.like("n0", "u"))
        let unlikeAll = try bench.submit(.unlikeAll("u", of: nil))
        bench.start()
        #expect(try like.toggle.changed)
        #expect(try unlikeAll.bulk.changed == (before == nil ? 1 : 2))
        #expect(bench.givenLikes("u") == 0)
        #expect(bench.reader.likes(by: "u", before: nil, limit: 5).likes.isEmpty)
        #expect(bench.feedCounts == ["n0": 0, "n1": 0])
    }

    @Test("when no further like can be kept, all that would like say so, and nothing is changed")
    func full() throws {
        let bench = try bench(newsCount: 3)
        // As if all addresses were in use, though nothing lies at them; nothing is folded from here on.
        bench.shared.write { $0.log.ring.dropAll(before: 64) }
        #expect(bench.shared.read { $0.log.isFull })
        #expect(try bench.submit(.likeAll("u", of: nil)).rejection == .full)
        #expect(try bench.submit(.likeAll("u", of: ["n1", "nobody"])).rejection == .full)
        #expect(try bench.submit(.like("n1", "u")).rejection == .full)
        let entry = BatchEntry.request(ToggleRequest(liked: true, news: "n1", user: "u"))
        #expect(try bench.submit(.toggleMany([entry])).many.results == [.failed(.full)])
        #expect(try bench.submit(.unlikeAll("u", of: nil)).bulk.changed == 0)
        #expect(bench.journal.batches.count == 1)
        #expect(bench.feedCounts == ["n0": 0, "n1": 0, "n2": 0])
    }
}
