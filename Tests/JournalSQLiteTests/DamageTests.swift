import TestSupport
import Testing

@testable import JournalSQLite
@testable import LikesCore

@Suite("Damage on the disk is seen, and never becomes other likes")
struct DamageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A closed journal of so many likes: one file.
    private func fill(events: UInt64) throws -> [LikeEvent] {
        let likes = try Examples.likes(1...events)
        try SQLiteJournal(folder: folder.path).append(likes)
        return likes
    }

    /// What a start finds: the events, or why it is refused.
    private static func open(_ folder: TemporaryFolder) -> Result<[LikeEvent], JournalError> {
        do throws(JournalError) {
            var events: [LikeEvent] = []
            try SQLiteJournal(folder: folder.path).replay(after: 0) { events.append($0) }
            return .success(events)
        } catch {
            return .failure(error)
        }
    }

    /// Random numbers with a seed (splitmix64).
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    @Test(
        "a byte that is flipped, wherever it is: the start is refused, or all events are as they were", arguments: 1...4
    )
    func flippedBytes(seed: UInt64) throws {
        let events = try fill(events: 600)
        let bytes = try folder.read(SQLiteJournal.fileName)
        let damaged = try TemporaryFolder()
        var random = Seeded(state: seed)
        var refused = 0
        for _ in 0..<250 {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let bits = UInt8.random(in: 1...255, using: &random)
            try damaged.write(bytes, to: SQLiteJournal.fileName)
            try damaged.write([bytes[place] ^ bits], to: SQLiteJournal.fileName, at: place)
            switch Self.open(damaged) {
            case .success(let found): #expect(found == events, "byte \(place) ^ \(bits): \(found.count) events")
            case .failure(let error):
                refused += 1
                guard case .unusable = error else {
                    Issue.record("byte \(place) ^ \(bits): \(error)")
                    continue
                }
            }
            damaged.empty()
        }
        #expect(refused > 100)
    }

    @Test(
        "a changed value is found, and the event named",
        arguments: ["at = at + 1", "likes_count = 4", "user = 'user 8'"])
    func changedValue(change: String) throws {
        _ = try fill(events: 20)
        try folder.execute("UPDATE events SET \(change) WHERE sequence = 9")
        #expect(Self.open(folder) == .failure(.unusable("event 9 is damaged: its checksum is wrong")))
    }

    @Test("a lost checksum is found, unless the row is older than checksums")
    func lostChecksum() throws {
        let events = try fill(events: 20)
        try folder.execute("UPDATE events SET checksum = NULL WHERE sequence <= 10")
        #expect(Self.open(folder) == .success(events))
        try folder.execute("UPDATE events SET checksum = NULL WHERE sequence = 15")
        #expect(Self.open(folder) == .failure(.unusable("event 15 is damaged: its checksum is missing")))
    }

    @Test("a damaged page is told with the last event before it")
    func place() throws {
        _ = try fill(events: 3_000)
        let first = try #require(try folder.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'events'"))
        let pages = try #require(try folder.integer("PRAGMA page_count"))
        // The last page is the newest leaf of the table.
        #expect(first < pages)
        try folder.write([99], to: SQLiteJournal.fileName, at: Int(pages - 1) * 4_096)
        guard case .failure(.unusable(let reason)) = Self.open(folder) else {
            Issue.record("taken for a journal")
            return
        }
        let pattern = /the database is damaged after event (\d+): database disk image is malformed/
        let last = try #require(reason.wholeMatch(of: pattern)?.1, "\(reason)")
        #expect(2_800..<3_000 ~= Int(last) ?? 0)
    }

    @Test("a newest page that says it has fewer rows is found, once the journal was closed or has dropped events")
    func shortenedPage() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...600))
        _ = try journal.dropEvents(through: 10, limit: 100)
        try journal.append(try Examples.likes(601...610))
        journal.close()
        var bytes = try folder.read(SQLiteJournal.fileName)
        let user = Array("user 610".utf8)
        let place = try #require(bytes.indices.last { bytes[$0...].starts(with: user) })
        // The low byte of the number of cells on the page.
        bytes[place / 4_096 * 4_096 + 4] -= 1
        let damaged = try TemporaryFolder()
        try damaged.write(bytes, to: SQLiteJournal.fileName)
        let opened = try SQLiteJournal(folder: damaged.path)
        for _ in 0..<2 {
            #expect(throws: JournalError.unusable("event 610 is missing")) { try opened.replayed(after: 20) }
        }
        // To close it does not make it whole.
        opened.close()
        let again = try damaged.copy()
        #expect(throws: JournalError.unusable("event 610 is missing")) {
            try SQLiteJournal(folder: again.path).replayed(after: 20)
        }
    }

    @Test("no two rows look alike to the checksum")
    func canonical() throws {
        _ = try fill(events: 1)
        let rows = [
            "1", "2", "NULL", "'1'", "x'31'", "1.0", "''", "x''", "1, 2", "12", "'12'", "'1', '2'", "NULL, '12'",
            "'12', NULL",
            "'', '12'", "'1', NULL, '2'", "-1", "0", "'1' || char(0)", "'a' || char(0) || 'b'",
        ]
        let journal = try SQLiteJournal(folder: folder.path)
        let checksums = try rows.map { try journal.integer("SELECT row_checksum(\($0))") }
        #expect(Set(checksums).count == rows.count)
        #expect(checksums.allSatisfy { $0.map { Int64(Int32.min)...Int64(Int32.max) ~= $0 } == true })
        // Kept for good: a change would make every journal unreadable.
        #expect(try journal.integer("SELECT row_checksum(1, 'a', NULL)") == -117_994_012)
    }
}

@Suite("Journals of older versions are taken over")
struct MigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A journal as version 1 has left it.
    private func versionOne() throws {
        try folder.execute(
            """
            PRAGMA journal_mode = WAL; \(Schema.migrations[0])
            INSERT INTO meta VALUES ('epoch', '00112233aabbccdd');
            INSERT INTO events VALUES (1, 5, 3, 'n', NULL, NULL, NULL, NULL, 'op', '{"title":"T","baseLikes":0}');
            INSERT INTO events VALUES (2, 6, 1, 'n', 'u', 1, 1, 1, NULL, NULL);
            PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1
            """)
    }

    @Test("rows of version 1 are taken as they are; those after them get a checksum")
    func fromOne() throws {
        try versionOne()
        let added = try Examples.likes(3...4)
        for start in 1...3 {
            let journal = try SQLiteJournal(folder: folder.path)
            #expect(journal.epoch == Epoch(text: "00112233aabbccdd"))
            if start == 1 { try journal.append(added) }
            let kept = try journal.kept
            #expect(kept.map(\.sequence) == [1, 2, 3, 4])
            #expect(kept[0].operationID == OperationID("op"))
            #expect(Array(kept.dropFirst(2)) == added)
            journal.close()
        }
        #expect(try folder.integer("PRAGMA user_version") == 4)
        #expect(try folder.integer("SELECT count(checksum) FROM events") == 2)
    }

    @Test(
        "ends of news that older versions have kept are found",
        arguments: [2: "DROP INDEX news_ends", 3: "DROP INDEX news_ends; \(Schema.migrations[2])"])
    func ends(version: Int, takingBack: String) throws {
        let events = try Examples.events
        do {
            let journal = try SQLiteJournal(folder: folder.path)
            try journal.append(events)
            journal.close()
        }
        try folder.execute("\(takingBack); PRAGMA user_version = \(version)")
        for _ in 1...2 {
            let journal = try SQLiteJournal(folder: folder.path)
            #expect(try journal.kept == events)
            #expect(try journal.newsEnds(after: 0, limit: 9) == events.filter(\.endsNews))
            journal.close()
        }
        #expect(try folder.integer("PRAGMA user_version") == 4)
    }

    @Test("what is dropped from it goes, though its file keeps its size")
    func dropping() throws {
        try versionOne()
        let journal = try SQLiteJournal(folder: folder.path, keptFreeBytes: 0)
        try journal.append(try Examples.likes(3...5_000))
        let pages = try folder.integer("PRAGMA page_count")
        #expect(try journal.dropAll(through: 4_990, limit: 5_000) == 1)
        #expect(try journal.keptEvents() == 4_991...5_000)
        #expect(try folder.integer("PRAGMA page_count") == pages)
        try journal.append(try Examples.likes(5_001...8_000))
        #expect(try folder.integer("PRAGMA page_count") == pages)
    }
}
