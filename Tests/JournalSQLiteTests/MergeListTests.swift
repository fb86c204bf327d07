import TestSupport
import Testing

@testable import JournalSQLite
@testable import LikesCore

@Suite("The journal lists its merges")
struct MergeListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func merge(_ sequence: UInt64) throws -> LikeEvent {
        LikeEvent(
            sequence: sequence, at: Timestamp(milliseconds: 0),
            change: .newsMergeStarted(try NewsID("old \(sequence)"), into: try NewsID("new")))
    }

    /// A journal of so many events, with a merge each 100.
    private func journal(events: UInt64) throws -> SQLiteJournal {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(
            try Examples.likes(1...events).map { $0.sequence.isMultiple(of: 100) ? try merge($0.sequence) : $0 })
        return journal
    }

    @Test("the newest, the oldest of them first, as long as they are kept")
    func list() throws {
        let journal = try journal(events: 1_000)
        #expect(try journal.merges(limit: 3) == [merge(800), merge(900), merge(1_000)])
        #expect(try journal.merges(limit: 100).map(\.sequence) == Array(stride(from: 100, through: 1_000, by: 100)))
        #expect(try journal.merges(limit: 0).isEmpty)
        try journal.append([try merge(1_001)] + Examples.likes(1_002...1_010))
        #expect(try journal.dropAll(through: 850, limit: 100) > 1)
        #expect(try journal.merges(limit: 100).map(\.sequence) == [900, 1_000, 1_001])
    }

    @Test("without looking at the other events")
    func plan() throws {
        let journal = try journal(events: 1_000)
        let connection = try Connection(path: folder.database, .reading)
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(EventRow.mergeSelection)")
        #expect(try plan.step())
        #expect(plan.text(3) == "SCAN events USING INDEX merges")
        #expect(try !plan.step())
        withExtendedLifetime(journal) {}
    }

    @Test("a journal without merges has none, a closed one gives none")
    func none() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        #expect(try journal.merges(limit: 9).isEmpty)
        try journal.append(try Examples.likes(1...10))
        #expect(try journal.merges(limit: 9).isEmpty)
        journal.close()
        #expect(throws: JournalError.unavailable("the journal is closed")) { try journal.merges(limit: 9) }
    }

    @Test(
        "a damaged one is told, and not taken for another",
        arguments: ["description = '{\"into\":\"other\"}'", "news = 'other'", "at = 5"])
    func damage(change: String) throws {
        let journal = try journal(events: 300)
        try folder.execute("UPDATE events SET \(change) WHERE sequence = 200")
        #expect(
            throws: JournalError.unusable("event 200 is damaged: it is no merge, or its checksum is wrong")
        ) { try journal.merges(limit: 9) }
        #expect(try journal.merges(limit: 1).map(\.sequence) == [300])
    }
}
