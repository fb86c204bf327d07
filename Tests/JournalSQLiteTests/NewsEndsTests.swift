import TestSupport
import Testing

@testable import JournalSQLite
@testable import LikesCore

@Suite("The journal lists the ends of news")
struct NewsEndsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func end(_ sequence: UInt64) throws -> LikeEvent {
        let (old, new) = (try NewsID("old \(sequence)"), try NewsID("new"))
        let changes: [LikeEvent.Change] = [
            .newsMergeStarted(old, into: new), .newsMerged(old, into: new), .newsRemoved(old),
        ]
        return LikeEvent(
            sequence: sequence, at: Timestamp(milliseconds: 0), change: changes[Int(sequence / 100 % 3)])
    }

    /// A journal of so many events, each hundredth of which is an end.
    private func journal(events: UInt64) throws -> SQLiteJournal {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(
            try Examples.likes(1...events).map { $0.sequence.isMultiple(of: 100) ? try end($0.sequence) : $0 })
        return journal
    }

    @Test("in their order, from one on, as long as they are kept")
    func list() throws {
        let journal = try journal(events: 1_000)
        #expect(try journal.newsEnds(after: 300, limit: 3) == [end(400), end(500), end(600)])
        #expect(
            try journal.newsEnds(after: 0, limit: 100).map(\.sequence)
                == Array(stride(from: 100, through: 1_000, by: 100)))
        #expect(try journal.newsEnds(after: 0, limit: 0).isEmpty)
        #expect(try journal.newsEnds(after: .max, limit: 9).isEmpty)
        try journal.append([try end(1_001)] + Examples.likes(1_002...1_010))
        #expect(try journal.dropAll(through: 850, limit: 100) > 1)
        #expect(try journal.newsEnds(after: 0, limit: 100).map(\.sequence) == [900, 1_000, 1_001])
    }

    @Test("without looking at the other events")
    func plan() throws {
        let journal = try journal(events: 1_000)
        let connection = try Connection(path: folder.database, .reading)
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(EventRow.endSelection)")
        #expect(try plan.step())
        #expect(plan.text(3) == "SEARCH events USING INDEX news_ends (sequence>?)")
        #expect(try !plan.step())
        withExtendedLifetime(journal) {}
    }

    @Test("without building a table for each row that is written")
    func insertion() throws {
        let journal = try journal(events: 1)
        let connection = try Connection(path: folder.database, .reading)
        let program = try connection.prepare("EXPLAIN \(EventRow.insertion(rows: 2))")
        var instructions: Set<String> = []
        while try program.step() { instructions.insert(program.text(1) ?? "") }
        #expect(instructions.contains("Insert"))
        #expect(!instructions.contains("OpenEphemeral"))
        withExtendedLifetime(journal) {}
    }

    @Test("all kinds of them, and nothing else")
    func kinds() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        #expect(try journal.newsEnds(after: 0, limit: 9).isEmpty)
        let events = try Examples.events
        try journal.append(events)
        let ends = events.filter(\.endsNews)
        #expect(ends.count == 3)
        #expect(try journal.newsEnds(after: 0, limit: 9) == ends)
        journal.close()
        #expect(throws: JournalError.unavailable("the journal is closed")) {
            try journal.newsEnds(after: 0, limit: 9)
        }
    }

    @Test(
        "a damaged one is told, and not taken for another",
        arguments: ["description = '{\"into\":\"other\"}'", "news = 'other'", "at = 5"])
    func damage(change: String) throws {
        let journal = try journal(events: 400)
        try folder.execute("UPDATE events SET \(change) WHERE sequence = 300")
        #expect(
            throws: JournalError.unusable("event 300 is damaged: it ends no news, or its checksum is wrong")
        ) { try journal.newsEnds(after: 0, limit: 9) }
        #expect(try journal.newsEnds(after: 0, limit: 2).map(\.sequence) == [100, 200])
        #expect(try journal.newsEnds(after: 300, limit: 2).map(\.sequence) == [400])
    }
}
