import Checksum
import Glibc
import LikesCore
import SnapshotFiles
import TestSupport
import Threading

/// A folder of a test's own with snapshots in it, and a journal in memory that they belong to.
final class SnapshotTrial: Sendable {
    private let place: TemporaryFolder
    let folder: SnapshotFolder
    let journal: ListJournal

    init() throws {
        place = try TemporaryFolder()
        folder = SnapshotFolder(place.path)
        journal = ListJournal(Self.life)
    }

    var path: String { place.path }
    /// The files in the folder.
    var names: [String] { place.names }

    /// A thousand users like a news, and some take it back.
    private static let life: [LikeEvent] = {
        var events: [LikeEvent] = []
        func append(_ change: LikeEvent.Change) {
            let number = events.count + 1
            events.append(
                LikeEvent(
                    sequence: UInt64(number), at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)),
                    change: change))
        }
        guard let news = try? NewsID("n") else { return [] }
        append(
            .newsAdded(
                NewsChange(
                    news: News(id: news, title: "A title", properties: [News.Property(key: "k", value: "v")]),
                    likesCount: 0)))
        func like(_ number: Int, likesCount: Int, isAdded: Bool) {
            guard let user = try? UserID("user-\(number)") else { return }
            let change = LikeChange(
                news: news, user: user, likesCount: Int64(likesCount), numberOfGivenLikes: isAdded ? 1 : 0,
                firstTime: isAdded)
            append(isAdded ? .likeAdded(change) : .likeRemoved(change))
        }
        for number in 1...1_000 { like(number, likesCount: number, isAdded: true) }
        for number in 1...100 { like(number, likesCount: 1_000 - number, isAdded: false) }
        return events
    }()

    /// Takes a snapshot of the state after so many events.
    @discardableResult
    func save(at position: Int, isCancelled: @escaping @Sendable () -> Bool = { false }) throws -> UInt64 {
        let shared = try replay(ListJournal(Array(journal.events.prefix(position))))
        return try folder.save(FrozenLikes(shared), epoch: journal.epoch, isCancelled: isCancelled)
    }

    private func file(_ position: UInt64) -> String {
        let number = String(position)
        return "\(path)/snapshot-" + String(repeating: "0", count: 20 - number.count) + number
    }

    func size(of position: UInt64) -> Int {
        var status = stat()
        return unsafe stat(file(position), &status) == 0 ? Int(status.st_size) : 0
    }

    /// Changes one byte of a snapshot.
    func damage(_ position: UInt64, at offset: Int) throws {
        let descriptor = unsafe open(file(position), O_RDWR)
        guard descriptor >= 0 else { throw TemporaryFolder.SystemError(errno: errno) }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        guard unsafe pread(descriptor, &byte, 1, offset) == 1 else { throw TemporaryFolder.SystemError(errno: errno) }
        byte ^= 0x10
        guard unsafe pwrite(descriptor, &byte, 1, offset) == 1 else { throw TemporaryFolder.SystemError(errno: errno) }
    }

    /// Writes bytes into a snapshot.
    func overwrite(_ position: UInt64, at offset: Int, with bytes: [UInt8]) throws {
        let descriptor = unsafe open(file(position), O_WRONLY)
        guard descriptor >= 0 else { throw TemporaryFolder.SystemError(errno: errno) }
        defer { close(descriptor) }
        guard unsafe pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else {
            throw TemporaryFolder.SystemError(errno: errno)
        }
    }

    func truncate(_ position: UInt64, to length: Int) { unsafe _ = Glibc.truncate(file(position), length) }

    func makeFile(_ name: String) { close(unsafe creat("\(path)/\(name)", 0o600)) }

    /// Says of a snapshot that it is of another format, with the right checksum.
    func writeHeader(_ position: UInt64, format: UInt32) throws {
        let descriptor = unsafe open(file(position), O_RDWR)
        guard descriptor >= 0 else { throw TemporaryFolder.SystemError(errno: errno) }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 128)
        guard unsafe pread(descriptor, &header, 128, 0) == 128 else { throw TemporaryFolder.SystemError(errno: errno) }
        header[8] = UInt8(format)
        var checksum = unsafe header.withUnsafeBytes {
            unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<120]))
        }
        guard unsafe pwrite(descriptor, &header, 128, 0) == 128, unsafe pwrite(descriptor, &checksum, 8, 120) == 8
        else { throw TemporaryFolder.SystemError(errno: errno) }
    }

    /// What the restored state says of the news.
    func likesCount(_ restored: Restored) throws -> Int64? {
        LikesReader(restored.shared, epoch: journal.epoch).detail(try NewsID("n"), viewer: nil)?.entry.likesCount
    }
}

/// A journal that is a list.
final class ListJournal: Journal, Sendable {
    let epoch: Epoch
    private let list: Locked<[LikeEvent]>

    init(_ events: [LikeEvent], epoch: Epoch = Epoch(text: "0123456789abcdef")) {
        self.epoch = epoch
        list = Locked(events)
    }

    var events: [LikeEvent] { list.withLock { $0 } }

    func keptEvents() -> ClosedRange<UInt64>? {
        let events = events
        guard let first = events.first, let last = events.last else { return nil }
        return first.sequence...last.sequence
    }

    func replay(after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void) throws(JournalError) {
        for event in events where event.sequence > sequence { try body(event) }
    }

    func events(after sequence: UInt64, limit: Int) -> [LikeEvent] {
        Array(events.lazy.filter { $0.sequence > sequence }.prefix(limit))
    }

    func newsEnds(after sequence: UInt64, limit: Int) -> [LikeEvent] {
        Array(events(after: sequence, limit: .max).lazy.filter(\.endsNews).prefix(limit))
    }

    func append(_ events: [LikeEvent]) { list.withLock { $0 += events } }

    func check() {}

    func dropEvents(through sequence: UInt64, limit: Int) -> Bool {
        list.withLock { events in
            let old = events.prefix { $0.sequence <= sequence }.count
            events.removeFirst(min(old, limit))
            return old > limit
        }
    }

    func close() {}
}
