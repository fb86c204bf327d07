internal import Glibc
internal import JournalSQLite
internal import LikesCore
internal import SnapshotFiles
internal import Threading

/// A data folder in use: the journal, the snapshots beside it, and what they add up to.
final class DataStore: Sendable {
    let journal: SQLiteJournal
    let restored: Restored
    private let snapshots: SnapshotFolder

    /// Takes a folder into use and brings back what is in it.
    init(folder: String) throws(Stop) {
        snapshots = SnapshotFolder(folder)
        do throws(JournalError) {
            if !Self.hasJournal(folder), try !snapshots.positions().isEmpty {
                throw .unusable("there are snapshots in \(folder), but the journal \(SQLiteJournal.fileName) is gone")
            }
            journal = try SQLiteJournal(folder: folder)
            restored = try snapshots.restore(journal)
        } catch {
            throw Stop(error)
        }
    }

    /// Whether there is a journal in a folder.
    static func hasJournal(_ folder: String) -> Bool {
        unsafe access("\(folder)/\(SQLiteJournal.fileName)", F_OK) == 0
    }

    /// The state, up to the last event that is kept.
    var shared: SharedLikes { restored.shared }

    /// What was wrong with snapshots.
    var warnings: [String] { restored.warnings }

    /// What is to be read of the state.
    var reader: LikesReader { LikesReader(shared, epoch: journal.epoch) }

    /// What the journal still keeps.
    var keptEvents: KeptEvents {
        let journal = journal
        return KeptEvents(
            // Not `keptEvents`: that is for the one thread that writes.
            first: { () throws(JournalError) in try journal.events(after: 0, limit: 1).first?.sequence },
            events: { after, limit throws(JournalError) in try journal.events(after: after, limit: limit) })
    }

    /// The state once more, built on something older than the newest snapshot; nil when there is nothing older.
    func rebuilt() throws(JournalError) -> LikesState? { try snapshots.rebuild(journal) }

    /// Takes snapshots from now on, and lets the journal let go of what they hold.
    ///
    /// - Parameters:
    ///   - bus: tells of events.
    ///   - mediator: asked for when the first snapshot is there.
    ///   - isSound: whether nothing is known to be wrong with the state. While something is, no snapshot is taken: a
    ///     restart then begins with what was right.
    ///   - report: told of each snapshot, and of each that failed.
    func startSnapshots(
        _ bus: EventBus, mediator: @escaping @Sendable () -> LikesMediator?,
        isSound: @escaping @Sendable () -> Bool = { true }, report: @escaping @Sendable (Snapshotter.Report) -> Void
    ) -> Snapshotter {
        let (snapshots, epoch) = (snapshots, journal.epoch)
        let snapshotter = Snapshotter(shared, snapshot: restored.snapshot) {
            frozen, isCancelled throws(JournalError) in
            guard isSound() else { throw .unavailable("the audit has found something wrong in memory") }
            return try snapshots.save(frozen, epoch: epoch, isCancelled: isCancelled)
        } report: { result in
            if case .saved(let saved) = result, let mediator = mediator() {
                Self.dropEvents(mediator, heldSince: saved.oldestKept, last: saved.position)
            }
            report(result)
        }
        snapshotter.start(bus)
        return snapshotter
    }

    /// Lets the journal let go of what an earlier run has left.
    func dropOldEvents(_ mediator: LikesMediator) {
        Self.dropEvents(mediator, heldSince: restored.oldestSnapshot, last: restored.snapshot + restored.replayed)
    }

    /// - Parameters:
    ///   - snapshot: the position of the oldest snapshot; 0 for none.
    ///   - last: the last event.
    private static func dropEvents(_ mediator: LikesMediator, heldSince snapshot: UInt64, last: UInt64) {
        guard let droppable = Snapshotter.droppable(oldestSnapshot: snapshot, last: last) else { return }
        mediator.dropEvents(through: droppable)
    }

    func close() { journal.close() }
}
