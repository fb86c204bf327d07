import LikesCore
import SnapshotFiles
import Testing
import Threading

@Suite("Snapshots in a data folder")
struct SnapshotFolderTests {
    private let trial: SnapshotTrial

    init() throws { trial = try SnapshotTrial() }

    @Test("a start begins with the newest one, and replays what came after it")
    func newest() throws {
        try trial.save(at: 500)
        try trial.save(at: 800)
        let restored = try trial.folder.restore(trial.journal)
        #expect(restored.snapshot == 800)
        #expect(restored.oldestSnapshot == 500)
        #expect(restored.replayed == 301)
        #expect(restored.warnings.isEmpty)
        #expect(try trial.likesCount(restored) == 900)
    }

    @Test("the last two are kept, and nothing else lies around")
    func lastTwo() throws {
        #expect(try trial.save(at: 100) == 100)
        #expect(try trial.save(at: 200) == 100)
        #expect(try trial.save(at: 300) == 200)
        #expect(try trial.folder.positions() == [300, 200])
        #expect(trial.names.count == 2)
    }

    @Test("one that is given up leaves nothing behind")
    func cancelled() throws {
        try trial.save(at: 100)
        #expect(throws: JournalError.unavailable("the snapshot was given up")) {
            try trial.save(at: 200, isCancelled: { true })
        }
        #expect(trial.names == ["snapshot-00000000000000000100"])
    }

    @Test("one that was never finished is not there, and its room is used again")
    func unfinished() throws {
        trial.makeFile("snapshot.unfinished")
        #expect(try trial.folder.positions().isEmpty)
        try trial.save(at: 100)
        #expect(trial.names == ["snapshot-00000000000000000100"])
    }

    @Test("a damaged newest one: the one before it and the events after that, with a warning, wherever the damage is")
    func damagedNewest() throws {
        try trial.save(at: 500)
        try trial.save(at: 800)
        let size = trial.size(of: 800)
        for offset in [0, 9, 20, 45, 125, 130, 140, 150, size / 3, size / 2, size - 1] {
            try trial.damage(800, at: offset)
            let restored = try trial.folder.restore(trial.journal)
            #expect(restored.snapshot == 500, "damaged at \(offset)")
            #expect(restored.warnings.count == 1)
            #expect(try trial.likesCount(restored) == 900)
            try trial.damage(800, at: offset)
        }
        #expect(try trial.folder.restore(trial.journal).snapshot == 800)
    }

    @Test("a newest one with erased blocks: the same", arguments: [UInt8(0x00), 0xFF])
    func erasedBlocks(byte: UInt8) throws {
        for offset in [0, 8, 40, 120, 128, 132, 136, 144, 5_000] {
            let trial = try SnapshotTrial()
            try trial.save(at: 500)
            try trial.save(at: 800)
            try trial.overwrite(800, at: offset, with: [UInt8](repeating: byte, count: 16))
            let restored = try trial.folder.restore(trial.journal)
            #expect(restored.snapshot == 500, "at \(offset)")
            #expect(restored.warnings.count == 1)
        }
    }

    @Test("a newest one that is cut short: the same", arguments: [0, 50, 128, 135, 300, 5_000])
    func cutShort(length: Int) throws {
        try trial.save(at: 500)
        try trial.save(at: 800)
        trial.truncate(800, to: length)
        let restored = try trial.folder.restore(trial.journal)
        #expect(restored.snapshot == 500)
        #expect(restored.warnings.count == 1)
    }

    @Test("a damaged one is not one of the two that are kept")
    func damagedIsNotKept() throws {
        try trial.save(at: 500)
        try trial.save(at: 800)
        try trial.damage(800, at: 1_000)
        _ = try trial.folder.restore(trial.journal)
        #expect(try trial.save(at: 900) == 500)
        #expect(try trial.folder.positions() == [900, 500])
    }

    @Test("all damaged: the whole journal, or a refusal when its beginning is gone")
    func allDamaged() throws {
        try trial.save(at: 500)
        try trial.damage(500, at: 1_000)
        #expect(try trial.folder.restore(trial.journal).replayed == 1_101)
        _ = trial.journal.dropEvents(through: 500, limit: .max)
        do throws(JournalError) {
            _ = try trial.folder.restore(trial.journal)
            Issue.record("the data was taken")
        } catch {
            #expect(error.reason.hasPrefix("the events 1 to 500 are gone, and no snapshot holds them; the snapshot"))
            #expect(error.reason.hasSuffix("cannot be used: it is damaged at byte 128: the checksum is wrong"))
        }
    }

    @Test("events missing behind the newest: refused, with which")
    func missingEvents() throws {
        try trial.save(at: 500)
        _ = trial.journal.dropEvents(through: 600, limit: .max)
        #expect(throws: JournalError.unusable("the events 501 to 600 are gone, and no snapshot holds them")) {
            try trial.folder.restore(trial.journal)
        }
    }

    @Test("a journal that ends before the snapshot: refused")
    func shortJournal() throws {
        try trial.save(at: 500)
        let short = ListJournal(Array(trial.journal.events.prefix(400)))
        #expect(throws: JournalError.unusable("the journal ends at event 400, and a snapshot at event 500")) {
            try trial.folder.restore(short)
        }
    }

    @Test("a snapshot of another journal: refused")
    func foreign() throws {
        try trial.save(at: 500)
        let foreign = ListJournal(trial.journal.events, epoch: Epoch(text: "fedcba9876543210"))
        do throws(JournalError) {
            _ = try trial.folder.restore(foreign)
            Issue.record("the data was taken")
        } catch {
            #expect(error.reason.hasSuffix("snapshot-00000000000000000500 belongs to another journal"))
        }
    }

    @Test("a snapshot of a newer program: refused, not passed over")
    func newerFormat() throws {
        try trial.save(at: 400)
        try trial.save(at: 500)
        try trial.writeHeader(500, format: 9)
        do throws(JournalError) {
            _ = try trial.folder.restore(trial.journal)
            Issue.record("the data was taken")
        } catch {
            #expect(error.reason.hasSuffix("is of format 9, and this program knows formats up to 2"))
        }
    }

    @Test("no folder, no snapshots")
    func noFolder() throws {
        #expect(try SnapshotFolder("\(trial.path)/nowhere").positions().isEmpty)
        #expect(throws: JournalError.self) {
            try SnapshotFolder("\(trial.path)/nowhere").save(
                FrozenLikes(SharedLikes(LikesState())), epoch: trial.journal.epoch)
        }
    }
}
