import JournalSQLite
import SnapshotFiles
import TestSupport
import Threading

@testable import LikesCore

/// All that the service stands on, wired as it is there: a journal, snapshots beside it, the state, a bus.
final class House {
    private(set) var folder: TemporaryFolder
    private let isOnDisk: Bool
    /// The events of a house that is not on the disk.
    private let memory = EventsInMemory()
    private var life: Life?
    /// The positions of the snapshots that can be used.
    private(set) var snapshots: [UInt64] = []
    /// The positions of those that are damaged; they go with the next one that is saved.
    private var damaged: [UInt64] = []
    private var isDroppable: UInt64?

    /// Small, so that sweeps are common.
    private static let dustLimit: UInt32 = 60
    /// Events that the journal keeps for live streams.
    private static let keptEvents: UInt64 = 150

    /// What lives from a start to the next one.
    private struct Life {
        let journal: TroubledJournal
        let snapshots: SnapshotFolder
        let shared: SharedLikes
        let bus: EventBus
        let snapshotter: Snapshotter
        let reports: Locked<[Snapshotter.Report]>
        let listener: Listener
    }

    /// What was heard on the bus during a batch.
    final class Listener: Sendable {
        let batches = Locked<[[LikeEvent]]>([])
    }

    init(onDisk: Bool) throws {
        isOnDisk = onDisk
        folder = try TemporaryFolder(onDisk: onDisk)
        try open(expecting: 0)
    }

    private func running() throws(Finding) -> Life {
        guard let life else { throw Finding("the service does not run") }
        return life
    }

    func shared() throws(Finding) -> SharedLikes { try running().shared }
    func epoch() throws(Finding) -> Epoch { try running().journal.epoch }

    /// Starts, from what is there.
    private func open(expecting position: UInt64) throws {
        let folder = SnapshotFolder(folder.path, dustLimit: Self.dustLimit)
        let journal = TroubledJournal(isOnDisk ? try SQLiteJournal(folder: self.folder.path) : memory)
        let restored = try folder.restore(journal)
        try compare(restored.shared.read { $0.position }, position, "the position after a start")
        try compare(restored.snapshot, snapshots.max() ?? 0, "the snapshot that a start began with")
        let passedOver = damaged.count { $0 > restored.snapshot }
        try compare(restored.warnings.count, passedOver, "the number of damaged snapshots")
        let (bus, listener, reports) = (EventBus(), Listener(), Locked<[Snapshotter.Report]>([]))
        bus.subscribe(to: FoldedBatch.self, listener) { listener, batch in
            listener.batches.withLock { $0.append(batch.events) }
        }
        let snapshotter = Snapshotter(restored.shared, snapshot: restored.snapshot) {
            frozen, isCancelled throws(JournalError) in
            try folder.save(frozen, epoch: journal.epoch, isCancelled: isCancelled)
        } report: { report in
            reports.withLock { $0.append(report) }
        }
        snapshotter.start(bus)
        life = Life(
            journal: journal, snapshots: folder, shared: restored.shared, bus: bus, snapshotter: snapshotter,
            reports: reports, listener: listener)
        isDroppable = Snapshotter.droppable(
            oldestSnapshot: restored.oldestSnapshot, last: position, keeping: Self.keptEvents)
    }

    // MARK: Batches

    /// What came of a batch.
    struct Outcome {
        let answered: [Answered]
        let attempts: [TroubledJournal.Attempt]

        /// What the journal holds of it.
        var commits: [[LikeEvent]] { attempts.filter(\.isKept).map(\.events) }
    }

    /// Carries out a batch: what is submitted before the mediator starts is decided together.
    func play(
        _ commands: [LikeCommand], _ trouble: TroubledJournal.Trouble, at now: Int64, createsUnknownNews: Bool
    ) throws -> Outcome {
        let life = try running()
        let (journal, shared) = (life.journal, life.shared)
        journal.begin(trouble)
        life.listener.batches.withLock { $0 = [] }
        let mediator = LikesMediator(
            journal: journal, state: shared, bus: life.bus, createsUnknownNews: createsUnknownNews,
            clock: Clock { now })
        let answers = Monitor<[Int: [Answered]]>([:])
        for (number, command) in commands.enumerated() {
            try mediator.submit(command) { result in
                let answered = Answered(
                    command: command, result: result, position: shared.read { $0.position },
                    attempts: journal.attemptCount)
                answers.withLock { $0[number, default: []].append(answered) }
                answers.broadcast()
            }
        }
        if let isDroppable { mediator.dropEvents(through: isDroppable) }
        mediator.start()
        let areComplete = answers.wait(until: { $0.count == commands.count }, milliseconds: Self.patience)
        mediator.stop()
        try require(areComplete, "a command was not answered")
        let all = answers.withLock { $0 }
        try require(all.values.allSatisfy { $0.count == 1 }, "a command was answered twice")
        let outcome = Outcome(
            answered: commands.indices.compactMap { all[$0]?.first }, attempts: journal.attempts)
        let heard = life.listener.batches.withLock { $0 }
        try compare(heard, outcome.attempts.filter(\.isTold).map(\.events), "what the bus told")
        return outcome
    }

    /// How long to wait for what must come. Nothing takes that long when all is well.
    private static let patience = 60_000

    /// Sees that the journal holds what it must hold, and not much more.
    func checkJournal(_ events: [LikeEvent], last: UInt64) throws {
        let journal = try running().journal
        guard let kept = try journal.keptEvents() else { return try compare(last, 0, "the last event") }
        try compare(kept.upperBound, last, "the last event of the journal")
        try require(
            kept.lowerBound <= (isDroppable ?? 0) + 1,
            "the journal begins with event \(kept.lowerBound), and only those up to \(isDroppable ?? 0) may go")
        let recent = events.suffix(40)
        guard let first = recent.first else { return }
        try compare(try journal.events(after: first.sequence - 1, limit: 100), Array(recent), "the journal's events")
    }

    // MARK: Snapshots

    /// Keeps a snapshot, as the snapshotter does.
    func save(_ frozen: FrozenLikes) throws {
        let life = try running()
        let oldest = try life.snapshots.save(frozen, epoch: life.journal.epoch)
        try noteSaved(frozen.position, oldest: oldest, last: life.shared.read { $0.position })
    }

    private func noteSaved(_ position: UInt64, oldest: UInt64, last: UInt64) throws {
        let there = try running().snapshots.positions()
        snapshots = (snapshots.filter { $0 != position } + [position]).filter { there.contains($0) }
        damaged = damaged.filter { $0 != position && there.contains($0) }
        try compare(oldest, snapshots.min() ?? 0, "the oldest snapshot that is kept")
        isDroppable = Snapshotter.droppable(oldestSnapshot: oldest, last: last, keeping: Self.keptEvents)
    }

    /// Whether a start would work without the newest snapshot.
    func canLoseSnapshot() throws -> Bool {
        guard !snapshots.isEmpty else { return false }
        if snapshots.count > 1 { return true }
        return try running().journal.keptEvents()?.lowerBound == 1 && (isDroppable ?? 0) == 0
    }

    /// Turns a bit of the newest snapshot's file around, or cuts the file short.
    func damageSnapshot(_ random: inout SeededRandom) throws {
        guard let newest = snapshots.max(), let name = folder.names.last(where: { $0.hasSuffix(String(newest)) }) else {
            throw Finding("the file of the newest snapshot is gone")
        }
        var bytes = try folder.read(name)
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        try folder.write([bytes[place]], to: name, at: place)
        snapshots.removeAll { $0 == newest }
        damaged.append(newest)
    }

    // MARK: The end

    /// Stops in an orderly way, and starts again.
    ///
    /// - Returns: whether the stop took a snapshot.
    func restart(expecting position: UInt64) throws -> Bool {
        let hasSaved = try saveAtStop(position)
        end()
        try open(expecting: position)
        return hasSaved
    }

    /// Lets the snapshotter take its last snapshot, if it finds that worth it.
    private func saveAtStop(_ position: UInt64) throws -> Bool {
        let ended = try running()
        ended.snapshotter.stop(deadline: .max)
        let reports = ended.reports.withLock { $0 }
        for report in reports {
            guard case .saved(let saved) = report else { throw Finding("a snapshot failed: \(report)") }
            try noteSaved(saved.position, oldest: saved.oldestKept, last: position)
        }
        return !reports.isEmpty
    }

    /// The process dies where it stands: only files are left, as they are at this moment.
    func crash(expecting position: UInt64, _ random: inout SeededRandom) throws {
        let copy = isOnDisk ? try folder.copy(onDisk: true) : nil
        end()
        if let copy { folder = copy }
        if random.once(in: 2) { try folder.write(Array("LIKESNAP".utf8), to: "snapshot.unfinished") }
        try open(expecting: position)
    }

    /// Lets go of threads and files without letting anything happen. Nothing may hold the journal afterwards, since
    /// the lock on its folder goes with it.
    func end() {
        life?.snapshotter.stop(deadline: 0)
        life?.journal.close()
        life = nil
    }
}
