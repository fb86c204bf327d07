import TestSupport
import Testing

@testable import JournalSQLite
@testable import LikesCore

/// Events to be kept in tests.
enum Examples {
    private static func news(_ id: String) throws -> NewsID { try NewsID(id) }

    static func like(_ news: String, _ user: String, firstTime: Bool = true) throws -> LikeChange {
        LikeChange(
            news: try NewsID(news), user: try UserID(user), likesCount: 1 << 60, numberOfGivenLikes: 3,
            firstTime: firstTime)
    }

    /// One event of each kind, with everything that can be in it.
    static var events: [LikeEvent] {
        get throws {
            let full = News(
                id: try NewsID("https://a.example/b?c=1"), title: "\"quoted\"\n\\ ✨ \u{1}",
                author: try UserID("cafe\u{301}"),
                url: "https://a.example", publishedAt: Timestamp(milliseconds: -5), baseLikes: Limits.baseLikes,
                properties: [.init(key: "", value: ""), .init(key: "a\"b", value: "é"), .init(key: "z", value: "\n")])
            let bare = News(id: try NewsID("✨"), title: "")
            let changes: [LikeEvent.Change] = [
                .newsAdded(NewsChange(news: full, likesCount: Limits.baseLikes)),
                .newsAdded(NewsChange(news: bare, likesCount: nil)), .likeAdded(try like("✨", "caf\u{E9}")),
                .likeRemoved(try like("✨", "cafe\u{301}", firstTime: false)),
                .newsUpdated(NewsChange(news: full, likesCount: 1 << 60)),
                .newsUpdated(NewsChange(news: bare, likesCount: nil)),
                .newsRemovalStarted(bare.id), .newsRemoved(bare.id), .userRemoved(try UserID("cafe\u{301}")),
                .newsMergeStarted(full.id, into: try NewsID("\"\\ cafe\u{301}")),
                .likeRedated(try like("✨", "caf\u{E9}")),
                .newsMerged(full.id, into: try NewsID("\"\\ cafe\u{301}")),
            ]
            return changes.enumerated().map { number, change in
                LikeEvent(
                    sequence: UInt64(number + 1), at: Timestamp(milliseconds: Int64(number) << 39),
                    operationID: number % 2 == 0 ? OperationID("op-\(number)!~") : nil, change: change)
            }
        }
    }

    /// Likes with these sequences.
    static func likes(_ sequences: ClosedRange<UInt64>) throws -> [LikeEvent] {
        try sequences.map { number in
            LikeEvent(
                sequence: number, at: Timestamp(milliseconds: 7),
                change: .likeAdded(try like("n\(number)", "user \(number)")))
        }
    }
}

extension Journal {
    /// All events that are kept.
    var kept: [LikeEvent] {
        get throws {
            var events: [LikeEvent] = []
            try replay(after: 0) { events.append($0) }
            return events
        }
    }
}

@Suite("The SQLite journal keeps events for good")
struct SQLiteJournalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("batches of any length come back, also of long texts", arguments: [1, 15, 16, 17, 33, 50], [0, 16_000])
    func batches(length: UInt64, textBytes: Int) throws {
        let text = String(repeating: "\"é", count: textBytes / 3)
        let events = try (1...length).map { number in
            let news = News(
                id: try NewsID("n\(number)"), title: "T\(number)", properties: [.init(key: "k", value: text)])
            return LikeEvent(
                sequence: number, at: Timestamp(milliseconds: 1),
                change: number % 3 == 2
                    ? .likeAdded(try Examples.like("n", "u\(number)"))
                    : .newsAdded(NewsChange(news: news, likesCount: number % 2 == 0 ? nil : 7)))
        }
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(events)
        #expect(try journal.kept == events)
    }

    @Test("every kind of event comes back as it was, at once and after a restart")
    func roundTrip() throws {
        let events = try Examples.events
        do {
            let journal = try SQLiteJournal(folder: folder.path)
            #expect(try journal.kept.isEmpty)
            try journal.append(Array(events.prefix(3)))
            try journal.append(Array(events.dropFirst(3)))
            #expect(try journal.kept == events)
            journal.close()
        }
        let again = try SQLiteJournal(folder: folder.path)
        let kept = try again.kept
        #expect(kept == events)
        // Equal strings can differ in bytes; ids must not.
        #expect(
            kept.compactMap(\.news?.author).map { Array($0.text.utf8) }
                == Array(repeating: Array("cafe\u{301}".utf8), count: 2))
    }

    @Test("a journal whose rows of news have no count, as they had none at first, is taken, and goes on with counts")
    func newsWithoutCount() throws {
        let id = try NewsID("n")
        func news(_ baseLikes: Int64) -> NewsChange {
            NewsChange(news: News(id: id, title: "t", baseLikes: baseLikes), likesCount: nil)
        }
        let like = LikeChange(
            news: id, user: try UserID("u"), likesCount: 4, numberOfGivenLikes: 1, firstTime: true)
        let changes: [LikeEvent.Change] = [.newsAdded(news(3)), .likeAdded(like), .newsUpdated(news(5))]
        let events = changes.enumerated().map { number, change in
            LikeEvent(sequence: UInt64(number + 1), at: Timestamp(milliseconds: 7), change: change)
        }
        try SQLiteJournal(folder: folder.path).append(events)
        #expect(try folder.integer("SELECT count(*) FROM events WHERE likes_count IS NULL") == 2)

        let journal = try SQLiteJournal(folder: folder.path)
        #expect(try journal.kept == events)
        let shared = try replay(journal)
        #expect(LikesReader(shared, epoch: journal.epoch).detail(id, viewer: nil)?.entry.likesCount == 6)
        let mediator = LikesMediator(journal: journal, state: shared, bus: EventBus())
        let draft = NewsDraft(News(id: id, title: "t", baseLikes: 1), setsBaseLikes: true)
        try mediator.submit(LikeCommand(.putNews(draft))) { _ in }
        mediator.start()
        mediator.stop()
        #expect(
            try journal.kept.last?.change
                == .newsUpdated(NewsChange(news: News(id: id, title: "t", baseLikes: 1), likesCount: 2)))
    }

    @Test("ids of any kind and length come back byte for byte")
    func ids() throws {
        let texts = [
            "a", "%2F", "caf\u{E9}", "cafe\u{301}", "\u{10FFFF}", "'; DROP TABLE events; --",
            String(repeating: "✨", count: 85),
        ]
        let events = try texts.enumerated().map { number, text in
            LikeEvent(
                sequence: UInt64(number + 1), at: Timestamp(milliseconds: 0),
                change: .likeAdded(try Examples.like(text, text)))
        }
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(events)
        #expect(try journal.kept == events)
    }

    @Test("whatever is in a title, the journal can be read again")
    func titles() throws {
        let texts = [
            "\u{0}", "a\u{0}b", "\u{1F}\u{7F}\u{FFFF}", "\u{2028}\u{FEFF}", String(repeating: "\"\\", count: 500),
        ]
        let events = try texts.enumerated().map { number, text in
            let news = News(
                id: try NewsID("n\(number)"), title: text, url: text, properties: [.init(key: "k", value: text)])
            return LikeEvent(
                sequence: UInt64(number + 1), at: Timestamp(milliseconds: 0),
                change: .newsAdded(NewsChange(news: news, likesCount: 0)))
        }
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(events)
        #expect(try journal.kept == events)
    }

    @Test("the epoch is made with the journal and kept with it")
    func epoch() throws {
        var epoch: Epoch?
        for _ in 0..<3 {
            let journal = try SQLiteJournal(folder: folder.path)
            #expect(journal.epoch.text.utf8.count == 16)
            #expect(epoch == nil || epoch == journal.epoch)
            epoch = journal.epoch
        }
        let other = try TemporaryFolder()
        #expect(try SQLiteJournal(folder: other.path).epoch != epoch)
    }

    @Test("a second opener of the folder is refused, until the first is gone")
    func oneAtATime() throws {
        do {
            let journal = try SQLiteJournal(folder: folder.path)
            let error = #expect(throws: JournalError.self) { try SQLiteJournal(folder: folder.path) }
            #expect(error == .inUse("the folder \(folder.path) is used by another process"))
            try journal.append(try Examples.likes(1...2))
        }
        #expect(try SQLiteJournal(folder: folder.path).kept.count == 2)
    }

    @Test("a batch that cannot be kept leaves nothing, and the next one can be", arguments: [6, 18, 19] as [UInt64])
    func allOrNothing(last: UInt64) throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...3))
        let batch = try Examples.likes(4...last) + Examples.likes(3...3)
        let error = #expect(throws: JournalError.self) { try journal.append(batch) }
        guard case .unavailable? = error else {
            Issue.record("a failed append is \(String(describing: error))")
            return
        }
        #expect(try journal.kept.map(\.sequence) == [1, 2, 3])
        try journal.append(try Examples.likes(4...5))
        #expect(try journal.kept.map(\.sequence) == [1, 2, 3, 4, 5])
    }

    @Test("what was appended is there after a crash, whatever was on its way is not")
    func crash() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...50))
        let crashed = try folder.copy()
        try journal.append(try Examples.likes(51...60))
        #expect(try SQLiteJournal(folder: crashed.path).kept.map(\.sequence) == Array(1...50))
        let later = try folder.copy()
        #expect(try SQLiteJournal(folder: later.path).kept.count == 60)
    }

    @Test("a log that was cut off in a commit gives all commits before it", arguments: [1, 4_000, 9_000])
    func tornLog(bytesLost: Int) throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...20))
        let whole = try folder.read("journal.sqlite-wal").count
        try journal.append(try Examples.likes(21...400))
        let crashed = try folder.copy()
        let log = try crashed.read("journal.sqlite-wal")
        #expect(log.count - bytesLost > whole)
        try crashed.execute("")
        let torn = try TemporaryFolder()
        try torn.write(try folder.read("journal.sqlite"), to: "journal.sqlite")
        try torn.write(Array(log.dropLast(bytesLost)), to: "journal.sqlite-wal")
        let opened = try SQLiteJournal(folder: torn.path)
        #expect(try opened.kept.map(\.sequence) == Array(1...20))
        try opened.append(try Examples.likes(21...22))
    }

    @Test("check says that it works, and keeps nothing")
    func check() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...1))
        for _ in 0..<3 { try journal.check() }
        #expect(try journal.kept.count == 1)
    }

    @Test("a closed journal takes and gives nothing")
    func closed() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        journal.close()
        journal.close()
        #expect(throws: JournalError.unavailable("the journal is closed")) { try journal.check() }
        #expect(throws: JournalError.unavailable("the journal is closed")) { try journal.append([]) }
        #expect(throws: JournalError.unavailable("the journal is closed")) { try journal.kept }
    }

    @Test("a reader of the events that throws ends the replay")
    func replayStops() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...5))
        var seen = 0
        #expect(throws: JournalError.unusable("stop")) {
            try journal.replay(after: 0) { event throws(JournalError) in
                seen += 1
                if event.sequence == 3 { throw .unusable("stop") }
            }
        }
        #expect(seen == 3)
        try journal.append(try Examples.likes(6...6))
    }
}

@Suite("What is no journal of ours is refused, with the reason")
struct UnusableJournalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keeps some events in the folder and closes it.
    private func fill(events: UInt64 = 400) throws {
        try SQLiteJournal(folder: folder.path).append(try Examples.likes(1...events))
    }

    /// Opens the journal, reads it, and says why that is not possible.
    private func refusal(_ folder: TemporaryFolder? = nil) -> String? {
        do throws(JournalError) {
            try SQLiteJournal(folder: (folder ?? self.folder).path).replay(after: 0) { _ in }
            return nil
        } catch {
            guard case .unusable(let reason) = error else { return "not unusable, but \(error)" }
            return reason
        }
    }

    @Test("a file that is no database")
    func notADatabase() throws {
        try folder.write(Array(String(repeating: "These are notes. ", count: 100).utf8), to: SQLiteJournal.fileName)
        #expect(refusal()?.hasPrefix("the file is not a database") == true)
    }

    @Test(
        "a database of another program",
        arguments: [
            "CREATE TABLE notes (text)", "PRAGMA application_id = 12", "PRAGMA application_id = 12; CREATE TABLE a (b)",
        ])
    func foreign(sql: String) throws {
        try folder.execute(sql)
        let before = try folder.read(SQLiteJournal.fileName)
        #expect(refusal() == "the file belongs to another program")
        // It is not ours, so it is not ours to change.
        #expect(try folder.read(SQLiteJournal.fileName) == before)
    }

    @Test("a journal of a newer version, or of none that ever was", arguments: [5, 99, -1])
    func otherVersion(version: Int) throws {
        try fill()
        try folder.execute("PRAGMA user_version = \(version)")
        #expect(refusal() == "the data is of version \(version), and this program knows versions up to 4")
    }

    @Test("bytes that were overwritten, wherever a page begins")
    func overwritten() throws {
        try fill(events: 2_000)
        let size = try folder.read(SQLiteJournal.fileName).count
        let pristine = try folder.copy()
        // Pages beyond the first five: those of events.
        for offset in stride(from: 4_096 * 5, to: size, by: 4_096 * 7) {
            try folder.write(try pristine.read(SQLiteJournal.fileName), to: SQLiteJournal.fileName)
            try folder.write([UInt8](repeating: 0xA5, count: 512), to: SQLiteJournal.fileName, at: offset)
            let reason = refusal()
            #expect(reason != nil, "page at \(offset)")
            #expect(reason?.hasPrefix("not unusable") != true, "page at \(offset): \(reason ?? "")")
        }
    }

    @Test("the first page overwritten")
    func header() throws {
        try fill()
        try folder.write([UInt8](repeating: 0, count: 64), to: SQLiteJournal.fileName)
        #expect(refusal()?.hasPrefix("the file is not a database") == true)
    }

    @Test("a file that was cut off")
    func cutOff() throws {
        try fill(events: 3_000)
        let bytes = try folder.read(SQLiteJournal.fileName)
        let cut = try TemporaryFolder()
        try cut.write(Array(bytes.prefix(bytes.count / 2)), to: SQLiteJournal.fileName)
        let error = #expect(throws: JournalError.self) {
            try SQLiteJournal(folder: cut.path).replay(after: 0) { _ in }
        }
        guard case .unusable? = error else {
            Issue.record("a file that was cut off is \(String(describing: error))")
            return
        }
    }

    @Test(
        "rows that this program never writes",
        arguments: [
            "kind = 99", "kind = 11", "news = ''", "news = '..'", "user = NULL", "user = char(10)",
            "likes_count = NULL", "given_likes = NULL", "first_time = NULL",
            "kind = 3", "kind = 3, description = '{}'", "kind = 3, description = '{\"title\":1,\"baseLikes\":0}'",
            "kind = 3, description = '{\"title\":\"t\",\"baseLikes\":0,\"more\":1}'", "kind = 4, description = '['",
            "news = CAST(x'ff' AS TEXT)", "kind = 8", "kind = 8, description = '{}'",
            "kind = 10, description = '[\"a\"]'",
            "kind = 8, description = '{\"into\":\"\"}'", "kind = 10, description = '{\"into\":\"a\",\"more\":1}'",
            "kind = 9, likes_count = NULL",
        ])
    func damagedRow(change: String) throws {
        try fill(events: 5)
        let pristine = try folder.copy()
        try pristine.execute("UPDATE events SET \(change) WHERE sequence = 3")
        #expect(refusal(pristine) == "event 3 is damaged: its checksum is wrong")
        // Of a row of version 1, which has no checksum, the values speak.
        try folder.execute("UPDATE events SET checksum = NULL; UPDATE events SET \(change) WHERE sequence = 3")
        #expect(refusal() == "event 3 is damaged")
    }

    @Test("a row with a sequence that cannot be", arguments: [(0, "event 0"), (-4, "event -4")])
    func badSequence(sequence: Int, name: String) throws {
        try fill(events: 5)
        try folder.execute("UPDATE events SET sequence = \(sequence) WHERE sequence = 3")
        #expect(refusal() == "\(name) is damaged")
    }

    @Test("a journal without an event in the middle does not become a state")
    func gap() throws {
        try SQLiteJournal(folder: folder.path).append(try Examples.events)
        try folder.execute("DELETE FROM events WHERE sequence = 2")
        let journal = try SQLiteJournal(folder: folder.path)
        #expect(throws: JournalError.unusable("event 2 is missing")) { _ = try LikesCore.replay(journal) }
    }

    @Test("a folder that cannot be made or written is unavailable, not damaged")
    func noFolder() throws {
        try folder.write([], to: "file")
        for path in ["\(folder.path)/missing/folder", "\(folder.path)/file"] {
            let error = #expect(throws: JournalError.self) { try SQLiteJournal(folder: path) }
            guard case .unavailable? = error else {
                Issue.record("\(path) is \(String(describing: error))")
                return
            }
        }
    }
}

extension LikeEvent {
    /// The news that was made or replaced.
    var news: News? {
        switch change {
        case .newsAdded(let change), .newsUpdated(let change): change.news
        default: nil
        }
    }
}
