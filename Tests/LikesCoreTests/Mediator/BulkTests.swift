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
}
