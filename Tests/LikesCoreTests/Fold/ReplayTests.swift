import TestSupport
import Testing
import Threading

@testable import LikesCore

@Suite("Replaying the journal equals having lived through it")
struct ReplayTests {
    private static func reader(_ journal: RecordingJournal) throws -> LikesReader {
        LikesReader(try replay(journal), epoch: journal.epoch)
    }

    @Test("whatever happened, at every time", arguments: seeds(6))
    func replayEqualsLife(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        for stage in 1...4 {
            try life.live(batches: 60)
            let lived = try ReadableState(life.reader, news: life.news, users: life.users, pageSize: stage)
            let replayed = try ReadableState(
                try Self.reader(life.journal), news: life.news, users: life.users, pageSize: 50)
            #expect(lived == replayed)
        }
        #expect(life.journal.events.count > 500)
        #expect(life.journal.failures > 0)
    }

    @Test("the events alone say who likes what, and every count in them is right", arguments: seeds(4))
    func countsAreTheSets(seed: UInt64) throws {
        var life = RandomLife(seed: seed + 1_000)
        try life.live(batches: 200)
        var told = ToldLikes()
        for event in life.journal.events { try told.take(event) }
        for id in life.news {
            #expect(life.reader.redirect(of: id) == told.redirects[id])
            guard let page = life.reader.likers(id, before: nil, limit: 1_000) else { continue }
            #expect(page.likes.count == told.likers[id, default: [:]].count)
            for like in page.likes { #expect(told.likers[id]?[like.user] == like.likedAt) }
        }
        #expect(told.merges > 0)
    }

    @Test("folding the same events once more changes nothing", arguments: seeds(2))
    func foldingTwice(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        try life.live(batches: 80)
        let before = try ReadableState(life.reader, news: life.news, users: life.users, pageSize: 7)
        let events = life.journal.events
        try life.shared.write { state in
            for event in events { try state.fold(event) }
        }
        #expect(try ReadableState(life.reader, news: life.news, users: life.users, pageSize: 7) == before)
    }

    @Test("a journal whose events do not fit is refused, with the event and the reason")
    func unusableJournal() throws {
        let journal = RecordingJournal(events: [
            LikeEvent(
                sequence: 1, at: .some, change: .newsAdded(NewsChange(news: News(id: "n", title: ""), likesCount: 0))),
            LikeEvent(sequence: 3, at: .some, change: .newsRemovalStarted("n")),
        ])
        do throws(JournalError) {
            _ = try replay(journal)
            Issue.record("the journal was taken")
        } catch {
            #expect(error == .unusable("event 3 does not fit: the event before it is missing"))
        }
    }

    @Test("an empty journal is the state before the first event")
    func emptyJournal() throws {
        let reader = try Self.reader(RecordingJournal())
        #expect(reader.position == 0)
        #expect(reader.feed(.newest, viewer: nil, after: nil, limit: 5).entries.isEmpty)
        #expect(reader.profile("u").sequence == 0)
    }
}
