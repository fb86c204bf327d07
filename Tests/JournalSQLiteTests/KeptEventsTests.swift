import TestSupport
import Testing
import Threading

@testable import JournalSQLite
@testable import LikesCore

extension Journal {
    /// The sequences that a replay hands out.
    func replayed(after sequence: UInt64) throws -> [UInt64] {
        var sequences: [UInt64] = []
        try replay(after: sequence) { sequences.append($0.sequence) }
        return sequences
    }

    /// Drops until there is no more to do; in how many calls.
    func dropAll(through sequence: UInt64, limit: Int) throws -> Int {
        var calls = 1
        while try dropEvents(through: sequence, limit: limit) { calls += 1 }
        return calls
    }
}

@Suite("The journal gives what was asked for, and lets go of what is old")
struct KeptEventsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func journal(events: UInt64) throws -> SQLiteJournal {
        let journal = try SQLiteJournal(folder: folder.path)
        if events > 0 { try journal.append(try Examples.likes(1...events)) }
        return journal
    }

    @Test("a replay begins after the event that it is told")
    func replayAfter() throws {
        let journal = try journal(events: 10)
        #expect(try journal.keptEvents() == 1...10)
        #expect(try journal.replayed(after: 0) == Array(1...10))
        #expect(try journal.replayed(after: 7) == [8, 9, 10])
        #expect(try journal.replayed(after: 10).isEmpty)
    }

    @Test("an empty journal has no events, whatever it is asked for")
    func empty() throws {
        let journal = try journal(events: 0)
        #expect(try journal.keptEvents() == nil)
        #expect(try journal.replayed(after: 5).isEmpty)
        #expect(try journal.events(after: 0, limit: 5).isEmpty)
        #expect(try !journal.dropEvents(through: .max, limit: 5))
    }

    @Test("a replay that needs an event that is not kept is refused, with its sequence")
    func missingAtTheEnds() throws {
        let journal = try journal(events: 10)
        #expect(try journal.dropAll(through: 4, limit: 100) == 1)
        #expect(throws: JournalError.unusable("events 1 to 4 are missing")) { try journal.replayed(after: 0) }
        #expect(throws: JournalError.unusable("event 4 is missing")) { try journal.replayed(after: 3) }
        #expect(try journal.replayed(after: 4) == Array(5...10))
        // What is known of event 12 cannot have been kept nowhere.
        #expect(throws: JournalError.unusable("events 11 to 12 are missing")) { try journal.replayed(after: 12) }
    }

    @Test("an event that is missing in the middle is named", arguments: [(5, 5), (3, 7)])
    func missingInTheMiddle(first: Int, last: Int) throws {
        let journal = try journal(events: 10)
        try folder.execute("DELETE FROM events WHERE sequence BETWEEN \(first) AND \(last)")
        let reason = first == last ? "event 5 is missing" : "events 3 to 7 are missing"
        #expect(throws: JournalError.unusable(reason)) { try journal.replayed(after: 0) }
        #expect(throws: JournalError.unusable(reason)) { try journal.events(after: 1, limit: 20) }
        #expect(try journal.replayed(after: UInt64(last)).count == 10 - last)
    }

    @Test("dropping goes from the oldest on, in pieces, and never beyond what it is told")
    func drop() throws {
        var journal = try journal(events: 100)
        #expect(try journal.dropEvents(through: 50, limit: 20))
        #expect(try journal.keptEvents() == 21...100)
        #expect(try journal.dropEvents(through: 50, limit: 20))
        #expect(try !journal.dropEvents(through: 50, limit: 20))
        #expect(try journal.keptEvents() == 51...100)
        #expect(try !journal.dropEvents(through: 50, limit: 20))
        #expect(try !journal.dropEvents(through: 7, limit: 20))
        #expect(try journal.dropAll(through: 90, limit: 40) == 1)
        #expect(try journal.keptEvents() == 91...100)
        try journal.append(try Examples.likes(101...102))
        journal.close()
        let copy = try folder.copy()
        journal = try SQLiteJournal(folder: copy.path)
        #expect(try journal.keptEvents() == 91...102)
        #expect(try journal.replayed(after: 95).count == 7)
    }

    @Test("all of them can go, and the next ones follow")
    func dropAll() throws {
        let journal = try journal(events: 30)
        #expect(try journal.dropAll(through: .max, limit: 7) == 5)
        #expect(try journal.keptEvents() == nil)
        #expect(try journal.replayed(after: 30).isEmpty)
        try journal.append(try Examples.likes(31...32))
        #expect(try journal.replayed(after: 30) == [31, 32])
    }

    @Test("of a dropped row nothing is left in the file")
    func secureDelete() throws {
        do {
            let journal = try journal(events: 400)
            #expect(try journal.dropAll(through: 350, limit: 1_000) == 1)
        }
        let bytes = try folder.read(SQLiteJournal.fileName)
        for (user, isThere) in [(1, false), (200, false), (350, false), (351, true), (400, true)] {
            // Its name, and behind it the 8 bytes of the count.
            let name = Array("user \(user)\u{10}".utf8)
            let found = bytes.indices.dropLast(name.count).contains { bytes[$0..<$0 + name.count].elementsEqual(name) }
            #expect(found == isThere, "user \(user)")
        }
    }

    @Test("the file shrinks in bounded pieces after a flood was dropped, and what is left stays whole")
    func shrinks() throws {
        let journal = try SQLiteJournal(folder: folder.path, keptFreeBytes: 100 * 4_096)
        for start in stride(from: UInt64(1), to: 120_000, by: 10_000) {
            try journal.append(try Examples.likes(start...start + 9_999))
        }
        let calls = try journal.dropAll(through: 119_000, limit: 200_000)
        #expect(calls > 1)
        #expect(try journal.replayed(after: 119_000) == Array(119_001...120_000))
        journal.close()
        #expect(try folder.read(SQLiteJournal.fileName).count < 200 * 4_096)
        #expect(try folder.integer("PRAGMA freelist_count") == 100)
        let copy = try folder.copy()
        #expect(try SQLiteJournal(folder: copy.path).replayed(after: 119_000).count == 1_000)
    }

    @Test("every call of a flood's drop is bounded, however much there is")
    func boundedPieces() throws {
        let journal = try SQLiteJournal(folder: folder.path, keptFreeBytes: 0)
        try journal.append(try Examples.likes(1...60_000))
        var before = try folder.integer("PRAGMA page_count") ?? 0
        var more = true
        while more {
            more = try journal.dropEvents(through: 60_000, limit: 100_000)
            let after = try folder.integer("PRAGMA page_count") ?? 0
            // The pages of pointers to parents go with those they tell of.
            #expect(before - after <= 1_010)
            #expect(before > after)
            before = after
        }
        #expect(before < 10)
    }
}

@Suite("Events can be read while the journal is written")
struct EventReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("what is durable is there, in order, at most so many")
    func pages() throws {
        let events = try Examples.events
        let journal = try SQLiteJournal(folder: folder.path)
        #expect(try journal.events(after: 0, limit: 10).isEmpty)
        try journal.append(events)
        #expect(try journal.events(after: 0, limit: 100) == events)
        #expect(try journal.events(after: 2, limit: 3) == Array(events[2..<5]))
        #expect(try journal.events(after: UInt64(events.count), limit: 3).isEmpty)
        #expect(try journal.events(after: 0, limit: 0).isEmpty)
        #expect(try journal.events(after: .max, limit: 3).isEmpty)
        let reader = try journal.reader()
        #expect(try reader.events(after: 1, limit: 2) == Array(events[1..<3]))
    }

    @Test("what was dropped is passed over, which the first event tells")
    func dropped() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...20))
        #expect(try journal.events(after: 3, limit: 2).map(\.sequence) == [4, 5])
        _ = try journal.dropAll(through: 10, limit: 100)
        #expect(try journal.events(after: 3, limit: 2).map(\.sequence) == [11, 12])
    }

    @Test("it reads while a batch is being written, and never holds up the log")
    func besideAWriter() async throws {
        let journal = try SQLiteJournal(folder: folder.path)
        let batches = 300
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var last: UInt64 = 0
                    while last < UInt64(batches * 100) {
                        for event in try journal.events(after: last, limit: 700) {
                            guard event.sequence == last + 1 else {
                                throw JournalError.unusable("\(event.sequence) after \(last)")
                            }
                            last = event.sequence
                        }
                    }
                }
            }
            for batch in 0..<UInt64(batches) {
                try journal.append(try Examples.likes(batch * 100 + 1...batch * 100 + 100))
            }
            try await group.waitForAll()
        }
        // 3 MB of pages went through the log; with a reader in the way it would have them all.
        #expect(try folder.read(SQLiteJournal.fileName + "-wal").count < 40 << 20)
        #expect(try journal.keptEvents() == 1...UInt64(batches * 100))
    }

    @Test("damage is told to it as to a replay")
    func damage() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...5))
        try folder.execute("UPDATE events SET likes_count = 5 WHERE sequence = 4")
        #expect(try journal.events(after: 0, limit: 3).count == 3)
        #expect(throws: JournalError.unusable("event 4 is damaged: its checksum is wrong")) {
            try journal.events(after: 0, limit: 4)
        }
        // It goes on behind it.
        #expect(try journal.events(after: 4, limit: 4).count == 1)
    }

    @Test("a closed journal gives nothing")
    func closed() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        try journal.append(try Examples.likes(1...5))
        #expect(try journal.events(after: 0, limit: 9).count == 5)
        journal.close()
        #expect(throws: JournalError.unavailable("the journal is closed")) { try journal.events(after: 0, limit: 9) }
        // The last connection has gone, and with it the log.
        #expect(folder.names == ["journal.sqlite", "lock"])
    }

    @Test("the oldest may be asked for by another thread while events come and go")
    func besideWrites() throws {
        let journal = try SQLiteJournal(folder: folder.path)
        let isOver = Locked(false)
        let failures = Locked<[JournalError]>([])
        let asker = Thread {
            while !isOver.withLock({ $0 }) {
                do throws(JournalError) {
                    _ = try journal.events(after: 0, limit: 1)
                } catch {
                    failures.withLock { $0.append(error) }
                }
            }
        }
        var last: UInt64 = 0
        for round in 0..<300 {
            let next = try (last + 1...last + 20).map { sequence in
                LikeEvent(
                    sequence: sequence, at: Timestamp(milliseconds: 1),
                    change: .newsAdded(
                        NewsChange(news: News(id: try NewsID("n\(sequence)"), title: "t"), likesCount: 0)))
            }
            try journal.append(next)
            last += 20
            if round % 20 == 19 { _ = try journal.dropEvents(through: last - 100, limit: 2_000) }
        }
        isOver.withLock { $0 = true }
        asker.join()
        #expect(failures.withLock { $0 }.isEmpty)
        #expect(try journal.keptEvents()?.upperBound == last)
    }
}
