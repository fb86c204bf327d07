import Testing
import Threading

@testable import LikesCore

@Suite("A merge moves every like to the other news, no one twice, the earlier time kept")
struct MergeTests {
    private static func at(_ news: NewsID, _ user: UserID, _ time: Int64) -> BatchEntry<ToggleRequest> {
        .request(ToggleRequest(liked: true, news: news, user: user, at: Timestamp(milliseconds: time)))
    }

    /// `old` and `new`, with likers of one of them and of both.
    private static func filled() throws -> Bench {
        let bench = try Bench()
        try bench.put("old", author: "first", baseLikes: 3)
        try bench.put("new", author: "second", baseLikes: 40)
        try bench.ask(
            .toggleMany([
                at("old", "a", 10), at("new", "late", 90), at("old", "late", 20), at("new", "early", 5),
                at("new", "c", 7), at("old", "early", 30), at("old", "b", 40),
            ]))
        return bench
    }

    @Test("the events, in order, with the counts, the times and the caller's name")
    func events() throws {
        let bench = try Self.filled()
        guard case .news(let receipt) = try bench.ask(.mergeNews("old", into: "new"), operationID: OperationID("op"))
        else { throw Answer.Surprise() }
        let events = try #require(bench.journal.batches.last)
        #expect(
            events.map(\.summary) == [
                "merging old into new", "updated new", "-old a", "+new a", "-old late", "~new late", "-old early",
                "-old b", "+new b", "merged old into new",
            ])
        #expect(events.compactMap(\.like).map(\.likesCount) == [6, 47, 5, 47, 4, 3, 48])
        #expect(events.compactMap(\.like).map(\.numberOfGivenLikes) == [0, 1, 1, 1, 1, 0, 1])
        #expect(events.compactMap(\.like).allSatisfy { !$0.firstTime })
        #expect([events[3], events[5], events[8]].map(\.at.milliseconds) == [10, 20, 40])
        #expect(events.dropFirst().allSatisfy { $0.operationID == OperationID("op") })
        #expect(receipt.likesCount == 48 && receipt.news.baseLikes == 43 && receipt.news.id == "new")
        #expect(receipt.sequence == events.last?.sequence && receipt.changed && !receipt.created)
    }

    @Test("feed, detail, lists and profiles show the union; the moved likes come behind the others, in their order")
    func shown() throws {
        let bench = try Self.filled()
        let before = bench.reader.counts(of: ["old"], viewer: nil, friends: nil).sequence
        try bench.merge("old", into: "new")
        let likes = try #require(bench.reader.likers("new", before: nil, limit: 10)).likes
        #expect(
            likes.map { "\($0.user.text) \($0.likedAt.milliseconds)" } == ["b 40", "a 10", "c 7", "early 5", "late 20"])
        #expect(bench.feedCounts == ["new": 48])
        #expect(bench.likesCount("new") == 48)
        #expect(bench.reader.detail("old", viewer: nil) == nil)
        #expect(bench.reader.redirect(of: "old") == "new")
        #expect(try bench.reader.like("new", by: "late")?.likedAt.milliseconds == 20)
        for user in ["a", "b", "c", "early", "late"] as [UserID] {
            #expect(bench.reader.likes(by: user, before: nil, limit: 5).likes.map(\.news) == ["new"])
            #expect(bench.givenLikes(user) == 1)
        }
        #expect(bench.reader.likes(by: "late", before: nil, limit: 5).likes[0].likedAt.milliseconds == 20)
        #expect(bench.reader.profile("first").numberOfReceivedLikes == 0)
        #expect(bench.reader.profile("second").numberOfReceivedLikes == 48)
        let counts = bench.reader.counts(of: ["old", "new"], viewer: "a", friends: ["b", "nobody"])
        #expect(counts.counts.map(\.news) == ["old", "new"])
        for count in counts.counts {
            #expect(count.known && count.likesCount == 48 && count.viewerLikes == true && count.friends == ["b"])
        }
        #expect(counts.sequence > before)
    }

    @Test("an old id counts as changed from the merge on, also when nothing is added to the other news")
    func emptyMerge() throws {
        let bench = try Bench()
        try bench.put("new")
        try bench.put("old")
        let before = bench.reader.counts(of: ["old"], viewer: nil, friends: nil).sequence
        try bench.merge("old", into: "new")
        #expect(bench.journal.batches.last?.map(\.summary) == ["merging old into new", "merged old into new"])
        #expect(bench.reader.counts(of: ["old"], viewer: nil, friends: nil).sequence > before)
    }

    @Test("chains are flattened; what leads anywhere leads to the last")
    func chains() throws {
        let bench = try Bench()
        for id in ["a", "b", "c", "d"] as [NewsID] {
            try bench.put(id, baseLikes: 1)
            try bench.like(id, by: .user(Int(id.text.utf8.first ?? 0)))
        }
        try bench.merge("a", into: "b")
        // Into an old id means into what it leads to.
        try bench.merge("c", into: "a")
        try bench.merge("b", into: "d")
        #expect(["a", "b", "c", "d"].map { bench.reader.redirect(of: $0) } == ["d", "d", "d", nil])
        #expect(bench.feedCounts == ["d": 8])
        let receipt = try bench.submit(.toggleMany([Self.at("a", "x", 1), Self.at("c", "x", 1)])).many
        #expect(
            receipt.results == [
                .done(changed: true, made: true, likesCount: 9), .done(changed: false, made: false, likesCount: 9),
            ])
        #expect(bench.journal.events.last?.summary == "+d x")
    }

    @Test("itself, a circle, too many baseLikes, and what is not there are refused without an event")
    func conflicts() throws {
        let bench = try Bench()
        try bench.put("a", baseLikes: 1)
        try bench.put("b", baseLikes: Limits.baseLikes)
        try bench.put("c")
        try bench.merge("c", into: "a")
        let events = bench.journal.events.count
        #expect(try bench.submit(.mergeNews("a", into: "a")).rejection == .mergeConflict(.itself))
        #expect(try bench.submit(.mergeNews("a", into: "c")).rejection == .mergeConflict(.itself))
        #expect(try bench.submit(.mergeNews("a", into: "b")).rejection == .mergeConflict(.baseLikes))
        #expect(try bench.submit(.mergeNews("a", into: "nothing")).rejection == .newsNotFound)
        #expect(try bench.submit(.mergeNews("nothing", into: "a")).rejection == .newsNotFound)
        #expect(try bench.submit(.mergeNews("nothing", into: "nothing")).rejection == .newsNotFound)
        // Repeated, whatever it says.
        for target in ["a", "b", "c", "nothing"] as [NewsID] {
            #expect(try bench.submit(.mergeNews("c", into: target)).rejection == .newsMerged(into: "a"))
        }
        #expect(bench.journal.events.count == events)
        try bench.put("b", baseLikes: Limits.baseLikes - 1)
        #expect(try bench.merge("a", into: "b").likesCount == Limits.baseLikes)
    }

    @Test("what names the old news alone is led to the other one; lists and batches mean that one")
    func oldID() throws {
        let bench = try Bench(createsUnknownNews: true)
        try bench.put("new")
        try bench.like("old", by: "u")
        try bench.merge("old", into: "new")
        for action in [.like("old", "v"), .unlike("old", "u"), .put("old"), LikeCommand.Action.removeNews("old")] {
            #expect(try bench.submit(action).rejection == .newsMerged(into: "new"))
        }
        let many = try bench.submit(
            .putManyNews([.request(NewsDraft(News(id: "old", title: ""), setsBaseLikes: true))]))
        #expect(try many.many.results == [.failed(.newsMerged(into: "new"))])
        let bulk = try bench.submit(.likeAll("v", of: ["old", "new"])).bulk
        #expect(bulk.changed == 1 && bulk.unknown == [])
        #expect(try bench.submit(.unlikeAll("u", of: ["old"])).bulk.changed == 1)
        #expect(bench.feedCounts == ["new": 1])
    }

    @Test("deleting the target frees the old id, which then starts from zero")
    func targetDeleted() throws {
        let bench = try Bench()
        for id in ["a", "b", "c"] as [NewsID] { try bench.put(id, baseLikes: 2) }
        try bench.like("a", by: "u")
        try bench.merge("a", into: "b")
        try bench.merge("b", into: "c")
        try bench.ask(.removeNews("c"))
        #expect(bench.givenLikes("u") == 0)
        #expect(bench.reader.redirect(of: "a") == nil)
        #expect(try bench.submit(.like("a", "u")).rejection == .newsNotFound)
        #expect(bench.reader.counts(of: ["a"], viewer: nil, friends: nil).counts.map(\.known) == [false])
        #expect(try bench.put("a", baseLikes: 0).created)
        #expect(try bench.like("a", by: "u").likesCount == 1)
        #expect(bench.journal.events.last?.like?.firstTime == true)
    }

    @Test("a moved like that is taken back and given again is no first one")
    func firstTime() throws {
        let bench = try Self.filled()
        try bench.merge("old", into: "new")
        try bench.unlike("new", by: "a")
        try bench.like("new", by: "a")
        #expect(bench.journal.events.last?.like?.firstTime == false)
    }
}

@Suite("A merge and other commands in one batch")
struct MergeInBatchTests {
    /// Two news `a` and `b`, liked by `u` both, and what some commands do that are decided together.
    private func decide(_ actions: [LikeCommand.Action]) throws -> (answers: [Answer], events: [String], bench: Bench) {
        let journal = RecordingJournal()
        let first = try Bench(journal: journal)
        for id in ["a", "b"] as [NewsID] {
            try first.put(id, baseLikes: 1)
            try first.like(id, by: "u")
        }
        first.mediator.stop()
        let bench = try Bench(journal: journal, isStarted: false)
        let answers = try actions.map { try bench.submit($0) }
        bench.start()
        for answer in answers { _ = try answer.result }
        // What was lived through comes again.
        let replayed = LikesReader(try replay(journal), epoch: journal.epoch)
        let news: [NewsID] = ["a", "b", "c"]
        #expect(
            try ReadableState(replayed, news: news, users: ["u", "v"], pageSize: 5)
                == ReadableState(bench.reader, news: news, users: ["u", "v"], pageSize: 5))
        return (answers, Array(journal.events.dropFirst(4).map(\.summary)), bench)
    }

    @Test("likes before it go first, those behind it are led on")
    func likes() throws {
        let (answers, events, bench) = try decide([
            .like("a", "v"), .mergeNews("a", into: "b"), .like("a", "w"), .unlike("a", "u"), .put("a"),
            .toggleMany([.request(ToggleRequest(liked: false, news: "a", user: "v"))]),
        ])
        #expect(
            events == [
                "+a v", "merging a into b", "updated b", "-a u", "-a v", "+b v", "merged a into b", "-b v",
            ])
        for index in 2...4 { #expect(try answers[index].rejection == .newsMerged(into: "b")) }
        #expect(bench.likesCount("b") == 3)
    }

    @Test("a target that is put in the same batch keeps what was put, and gets the baseLikes")
    func putTarget() throws {
        let (_, _, bench) = try decide([
            .put("b", title: "before", baseLikes: 10), .mergeNews("a", into: "b"), .put("b", title: "behind"),
        ])
        let news = try #require(bench.reader.detail("b", viewer: nil)).entry
        #expect(news.stored.news.title == "behind")
        #expect(news.stored.news.baseLikes == 11 && news.likesCount == 12)
    }

    @Test("equal merges: one is carried out, the others are led on")
    func repeated() throws {
        let (answers, events, _) = try decide(Array(repeating: .mergeNews("a", into: "b"), count: 3))
        #expect(try answers.map { try $0.rejection } == [nil, .newsMerged(into: "b"), .newsMerged(into: "b")])
        #expect(events == ["merging a into b", "updated b", "-a u", "merged a into b"])
    }

    @Test("merges in a circle: the second finds itself")
    func circle() throws {
        let (answers, _, bench) = try decide([.mergeNews("a", into: "b"), .mergeNews("b", into: "a")])
        #expect(try answers.map { try $0.rejection } == [nil, .mergeConflict(.itself)])
        #expect(bench.likesCount("b") == 3)
    }

    @Test("the target is deleted right behind it: all is gone, and the old id is free")
    func targetRemoved() throws {
        let (answers, events, bench) = try decide([
            .mergeNews("a", into: "b"), .removeNews("b"), .put("a"), .like("a", "u"),
        ])
        #expect(events.dropFirst(3) == ["merged a into b", "leaving b", "-b u", "removed b", "added a", "+a u"])
        guard case .news(let made) = try answers[2].receipt else { throw Answer.Surprise() }
        #expect(made.created && made.likesCount == 0)
        #expect(bench.givenLikes("u") == 1)
    }

    @Test("the target is deleted just before: there is nothing to merge into")
    func targetGone() throws {
        let (answers, events, _) = try decide([.removeNews("b"), .mergeNews("a", into: "b")])
        #expect(try answers[1].rejection == .newsNotFound)
        #expect(events == ["leaving b", "-b u", "removed b"])
    }

    @Test("the old news is deleted just before, or made just before")
    func oldGone() throws {
        #expect(try decide([.removeNews("a"), .mergeNews("a", into: "b")]).answers[1].rejection == .newsNotFound)
        let made = try decide([.put("c", baseLikes: 5), .mergeNews("c", into: "b")])
        #expect(made.bench.likesCount("b") == 7)
        let target = try decide([.put("c", baseLikes: 5), .mergeNews("b", into: "c")])
        #expect(target.bench.likesCount("c") == 7)
    }

    @Test("a chain in one batch")
    func chain() throws {
        let (_, _, bench) = try decide([.put("c"), .mergeNews("a", into: "b"), .mergeNews("b", into: "c")])
        #expect(["a", "b"].map { bench.reader.redirect(of: $0) } == ["c", "c"])
        #expect(bench.likesCount("c") == 3)
        #expect(bench.givenLikes("u") == 1)
    }

    @Test("forgetting a user, and taking back all its likes")
    func users() throws {
        let forgotten = try decide([.mergeNews("a", into: "b"), .removeUser("u"), .like("b", "v")])
        #expect(forgotten.bench.likesCount("b") == 3)
        #expect(forgotten.events.contains("forgot u"))
        let unliked = try decide([.mergeNews("a", into: "b"), .unlikeAll("u", of: nil)])
        #expect(try unliked.answers[1].bulk.changed == 1)
        #expect(unliked.bench.likesCount("b") == 2)
    }
}
