import Testing
import Threading

@testable import LikesCore

@Suite("A like of a news that nobody made")
struct UnknownNewsTests {
    @Test("is refused, unless likes are to make news")
    func refusedByDefault() throws {
        let bench = try Bench()
        #expect(try bench.submit(.like("n", "u")).rejection == .newsNotFound)
        #expect(bench.journal.events.isEmpty)
    }

    @Test("makes it, with its id as its title, and likes it in the same commit")
    func made() throws {
        let bench = try Bench(createsUnknownNews: true)
        let receipt = try bench.like("https://a.example/", by: "u")
        #expect(receipt.changed && receipt.likesCount == 1 && receipt.sequence == 2)
        #expect(
            bench.journal.batches.map { $0.map(\.summary) } == [["added https://a.example/", "+https://a.example/ u"]])
        #expect(bench.reader.detail("https://a.example/", viewer: "u")?.entry.stored.news.title == "https://a.example/")
    }

    @Test("ten thousand of them in one batch take few commits")
    func manyAtOnce() throws {
        let bench = try Bench(createsUnknownNews: true)
        let entries = (0..<10_000).map { BatchEntry.request(ToggleRequest(liked: true, news: .news($0), user: "u")) }
        let results = try bench.submit(.toggleMany(entries)).many.results
        #expect(results.allSatisfy { $0 == .done(changed: true, made: true, likesCount: 1) })
        #expect(bench.givenLikes("u") == 10_000)
        #expect(bench.journal.batches.count <= 10_000 / Limits.stepsPerRound + 1)
    }

    @Test("does not bring back one that is being deleted with its old likes")
    func deletedMeanwhile() throws {
        let bench = try Bench(createsUnknownNews: true)
        try bench.like("n", by: "a")
        try bench.like("n", by: "b")
        let removal = try bench.submit(.removeNews("n"))
        #expect(try bench.like("n", by: "c").likesCount == 1)
        _ = try removal.receipt
        #expect(bench.reader.likers("n", before: nil, limit: 5)?.likes.map(\.user.text) == ["c"])
        #expect(bench.givenLikes("a") == 0)
    }

    @Test("an unlike makes nothing")
    func unlike() throws {
        let bench = try Bench(createsUnknownNews: true)
        #expect(try !bench.unlike("n", by: "u").changed)
        #expect(bench.journal.events.isEmpty)
    }
}

@Suite("A news and its likes in one batch")
struct NewsWithLikesTests {
    @Test("a news that is made, replaced and liked in one commit has the right counts at each step")
    func madeReplacedLiked() throws {
        let bench = try Bench(isStarted: false)
        let answers = try [
            LikeCommand.Action.put("n", baseLikes: 5), .like("n", "u"), .put("n", title: "new", baseLikes: 7),
            .like("n", "v"), .unlike("n", "u"),
        ].map { try bench.submit($0) }
        bench.start()
        _ = try answers[4].receipt
        #expect(bench.journal.batches.count == 1)
        #expect(bench.journal.events.compactMap(\.like).map(\.likesCount) == [6, 9, 8])
        #expect(bench.likesCount("n") == 8)
        #expect(bench.feedCounts == ["n": 8])
        guard case .news(let replaced) = try answers[2].receipt else { throw Answer.Surprise() }
        #expect(!replaced.created && replaced.likesCount == 8)
    }
}

@Suite("Forgetting a user")
struct ForgetUserTests {
    @Test("takes back every like, tells of each, and then of the user")
    func everyLike() throws {
        let bench = try Bench()
        for id in ["a", "b", "c"] as [NewsID] { try bench.put(id, author: "u") }
        try bench.ask(.likeAll("u", of: nil))
        try bench.like("b", by: "v")
        guard case .bulk(let receipt) = try bench.ask(.removeUser("u")) else { throw Answer.Surprise() }
        #expect(receipt.changed == 3)
        #expect(bench.journal.batches.last?.map(\.summary) == ["-c u", "-b u", "-a u", "forgot u"])
        #expect(bench.givenLikes("u") == 0)
        #expect(bench.feedCounts == ["a": 0, "b": 1, "c": 0])
        #expect(bench.reader.profile("u").numberOfReceivedLikes == 1)
    }

    @Test("who was an author until this very batch is forgotten, too", arguments: ["put", "removed"])
    func authorNoLonger(how: String) throws {
        let journal = RecordingJournal()
        let first = try Bench(journal: journal)
        try first.put("n", author: "u")
        first.mediator.stop()
        let bench = try Bench(journal: journal, isStarted: false)
        _ = try bench.submit(how == "put" ? .put("n") : .removeNews("n"))
        let forgotten = try bench.submit(.removeUser("u"))
        bench.start()
        #expect(try forgotten.bulk.changed == 0)
        #expect(journal.events.last?.summary == "forgot u")
        #expect(bench.shared.read { $0.users.find("u") } == nil)
    }

    @Test("who likes nothing is forgotten without an event")
    func nothingToForget() throws {
        let bench = try Bench()
        try bench.put("n")
        let before = bench.journal.events.count
        guard case .bulk(let receipt) = try bench.ask(.removeUser("u")) else { throw Answer.Surprise() }
        #expect(receipt.changed == 0)
        #expect(bench.journal.events.count == before)
    }

    @Test("while a news that the user likes is being deleted, both end well")
    func besideADeletion() throws {
        let journal = HotNews.journal(["hot"], likers: Limits.cascadeLikes + 500)
        let bench = try Bench(journal: journal, isStarted: false)
        let removal = try bench.submit(.removeNews("hot"))
        let like = try bench.submit(.like("other", "u1"))
        let forgotten = try bench.submit(.removeUser("u1"))
        bench.start()
        _ = try (removal.receipt, like.receipt, forgotten.receipt)
        #expect(bench.givenLikes("u1") == 0)
        #expect(bench.likesCount("other") == 0)
        #expect(journal.events.contains { $0.summary == "removed hot" })
    }

    @Test("more likes than fit one round are taken back as well")
    func manyLikes() throws {
        let bench = try Bench()
        let news = (0..<2_500).map { NewsDraft(News(id: .news($0), title: ""), setsBaseLikes: false) }
        try bench.ask(.putManyNews(news.map { .request($0) }))
        try bench.ask(.likeAll("u", of: nil))
        #expect(bench.givenLikes("u") == 2_500)
        guard case .bulk(let receipt) = try bench.ask(.removeUser("u")) else { throw Answer.Surprise() }
        #expect(receipt.changed == 2_500)
        #expect(bench.journal.events.last?.summary == "forgot u")
    }
}
