import LikesCore
import TestSupport
import Testing

@testable import JournalSQLite

@Suite("The database of a new data folder")
struct NewDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Bytes 18 and 19 of a database say how it is written and read: 2 is by a write-ahead log.
    private func expectWriteAheadLog() throws {
        #expect(try folder.read(SQLiteJournal.fileName)[18...19] == [2, 2])
    }

    @Test("is as it will be used, so that nothing has to be changed, and synced, when it is opened")
    func whole() throws {
        try NewDatabase.make(at: folder.database, in: DataFolder(folder.path))
        try expectWriteAheadLog()
        #expect(folder.names == [SQLiteJournal.fileName, "lock"])
    }

    @Test("is made anew over what a start left that was broken off")
    func leftovers() throws {
        let name = SQLiteJournal.fileName
        for leftover in ["\(name)-wal", "\(name)-shm", "\(name)-journal"] {
            try folder.write(Array("something".utf8), to: leftover)
        }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try folder.write([UInt8](repeating: 0x5A, count: 40_000), to: "\(name).unfinished\(suffix)")
        }
        let journal = try SQLiteJournal(folder: folder.path)
        #expect(try journal.keptEvents() == nil)
        try journal.check()
        try expectWriteAheadLog()
        #expect(!folder.names.contains { $0.contains("unfinished") })
        journal.close()
    }
}
