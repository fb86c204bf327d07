import SnapshotFiles
import TestSupport
import Threading

@testable import LikesCore

/// A service that lives through random steps beside a model of it, and must agree with the model all the time.
///
/// Everything depends on the seed alone. A seed begins in the same way however many steps follow.
struct Simulation {
    private var random: SeededRandom
    private var commands: Commands
    private let house: House
    private var model = ReferenceModel()
    private var now: Int64 = 1_700_000_000_000
    /// The last events of the journal, to be folded again.
    private var recent: [LikeEvent] = []
    private var frozen: [Frozen] = []
    /// A place for copies that are read once.
    private let scratch: TemporaryFolder
    private(set) var stepNumber = 0
    private(set) var lastSteps: [String] = []
    /// How often each kind of step was taken: a simulation in which one never comes shows nothing.
    private(set) var tally: [String: Int] = [:]

    /// A copy with what it must be for ever.
    private struct Frozen {
        let likes: FrozenLikes
        let model: ReferenceModel
    }

    init(seed: UInt64, onDisk: Bool) throws {
        random = SeededRandom(seed: seed)
        commands = try Commands(SeededRandom(seed: seed ^ 0xC0FFEE), firstCrowd: Commands.FirstCrowd(seed: seed))
        house = try House(onDisk: onDisk)
        scratch = try TemporaryFolder(onDisk: false)
    }

    /// Steps between two complete comparisons.
    private static let comparisonSteps = 50

    /// Events after which a snapshot is taken in any case: starts would take too long without one.
    private static let snapshotEvents: UInt64 = 1_500

    /// Lives through some steps, and compares everything in the end.
    mutating func live(steps: Int) throws {
        for _ in 0..<steps {
            stepNumber += 1
            try step()
            if model.position > (house.snapshots.max() ?? 0) + Self.snapshotEvents {
                try house.save(FrozenLikes(try house.shared()))
            }
            if stepNumber % Self.comparisonSteps == 0 { try compareAll() }
        }
        note("the end", "end")
        while !frozen.isEmpty { try thaw() }
        try restart()
        house.end()
    }

    private mutating func restart() throws {
        if try house.restart(expecting: model.position) { tally["snapshot at a stop", default: 0] += 1 }
        try compareAll()
    }

    private mutating func note(_ words: String, _ kind: String) {
        lastSteps.append("step \(stepNumber): \(words)")
        if lastSteps.count > 6 { lastSteps.removeFirst() }
        tally[kind, default: 0] += 1
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<200, using: &random) {
        case 0..<6: try freeze()
        case 6..<12: try saveSnapshot()
        case 12..<14:
            note("a stop and a start", "restart")
            try restart()
        case 14..<17:
            note("a crash and a start", "crash")
            try house.crash(expecting: model.position, &random)
            try compareAll()
        case 17..<20: try damageSnapshot()
        case 20..<24: try foldAgain()
        case 24..<34: try batch(failing())
        case 34..<38: try batch(.crash(at: attempt(), keepsEvents: random.once(in: 2)))
        default: try batch(.nothing)
        }
    }

    private mutating func attempt() -> Int { random.once(in: 3) ? 1 : 0 }

    private mutating func failing() -> TroubledJournal.Trouble { .failing(from: attempt()) }

    // MARK: Steps

    private mutating func batch(_ trouble: TroubledJournal.Trouble) throws {
        now += Int64.random(in: 0...2_000, using: &random)
        let createsUnknownNews = random.once(in: 3)
        let batch = try commands.batch(at: now, isThere: { model.visible($0) != nil })
        let (commands, trouble) = (batch.commands, batch.trouble ?? trouble)
        let words = commands.map(\.words).joined(separator: "; ")
        note("\(trouble)\(createsUnknownNews ? ", unknown news are made" : ""): \(words)", "batch")
        let outcome = try house.play(commands, trouble, at: now, createsUnknownNews: createsUnknownNews)
        try checkFailures(outcome)
        var trial = try Trial(
            model, outcome.answered, now: Timestamp(milliseconds: now), createsUnknownNews: createsUnknownNews,
            isFrozen: !frozen.isEmpty)
        // From here on the model is changed in one place only, so that nothing large is copied.
        model = ReferenceModel()
        try trial.follow(outcome.commits)
        model = trial.model
        let events = outcome.commits.flatMap(\.self)
        noteMerges(outcome, events)
        recent = (recent + events).suffix(60)
        if case .crash = trouble, outcome.attempts.contains(where: { !$0.isTold }) {
            tally["crash while appending", default: 0] += 1
            try house.crash(expecting: model.position, &random)
            return try compareAll()
        }
        if outcome.attempts.allSatisfy(\.isTold), let id = model.unfinished {
            throw Finding("nobody goes on with the deletion or merge of \(id.text)")
        }
        try reading().compareTouched(events)
        try house.checkJournal(events, last: model.position)
    }

    /// Exactly the commands that took part in what could not be appended have failed, and for that reason. After it, commands that
    /// change nothing may still be carried out: they need no journal.
    private mutating func checkFailures(_ outcome: House.Outcome) throws {
        let failed = outcome.attempts.firstIndex { !$0.isTold }
        if failed != nil { tally["failed append", default: 0] += 1 }
        tally["commit", default: 0] += outcome.commits.count
        tally["event", default: 0] += outcome.commits.reduce(0) { $0 + $1.count }
        if outcome.commits.contains(where: { $0.count >= Limits.cascadeLikes }) {
            tally["cascade of several commits", default: 0] += 1
        }
        if outcome.commits.count > 1 { tally["batch of several commits", default: 0] += 1 }
        for answered in outcome.answered {
            let mustFail = failed.map { answered.attempts > $0 } ?? false
            switch answered.result {
            case .success(let receipt):
                try require(
                    !mustFail || receipt.sequence <= answered.position,
                    "\(answered.command.words) was answered \(answered.result), and is not kept")
            case .failure(.newsNotFound), .failure(.newsMerged), .failure(.mergeConflict): break
            case .failure(.journalUnavailable):
                try require(mustFail, "\(answered.command.words) failed though its events were kept")
            case .failure(let rejection): throw Finding("\(answered.command.words) was answered \(rejection)")
            }
        }
    }

    /// Counts what became of merges.
    private mutating func noteMerges(_ outcome: House.Outcome, _ events: [LikeEvent]) {
        if !model.merges.isEmpty { tally["merge that is cut", default: 0] += 1 }
        for event in events {
            switch event.change {
            case .newsMergeStarted(let id, _):
                tally["merge", default: 0] += 1
                if model.redirects.values.count(where: { $0 == model.redirects[id] }) > 1 {
                    tally["merge of a chain", default: 0] += 1
                }
            case .likeRedated: tally["redated like", default: 0] += 1
            case .newsMerged where event.operationID == nil: tally["merge that is gone on with", default: 0] += 1
            default: break
            }
        }
        for answered in outcome.answered {
            switch answered.result.failure {
            case .newsMerged: tally["old id refused", default: 0] += 1
            case .mergeConflict(.itself): tally["merge into itself", default: 0] += 1
            case .mergeConflict(.baseLikes): tally["merge of too many baseLikes", default: 0] += 1
            default: break
            }
        }
    }

    private mutating func freeze() throws {
        note("a frozen copy at \(model.position)", "freeze")
        if frozen.count == 3 { try thaw() }
        frozen.append(Frozen(likes: FrozenLikes(try house.shared()), model: model))
    }

    /// Looks whether the oldest frozen copy is still what it was, and lets it go.
    private mutating func thaw() throws {
        let copy = frozen.removeFirst()
        try compare(copy.likes.position, copy.model.position, "the position of a frozen copy")
        let folder = SnapshotFolder(scratch.path)
        _ = try folder.save(copy.likes, epoch: try house.epoch())
        let state = try folder.load(copy.likes.position, of: try house.epoch())
        try Reading(
            SharedLikes(state), try house.epoch(), copy.model, pageSize: pageSize(), viewer: commands.someUser()
        ).compareAll(news: commands.news, users: commands.users)
    }

    private mutating func saveSnapshot() throws {
        // An older copy than the newest snapshot is never saved: the snapshotter works on one after the other.
        if let copy = frozen.last, copy.likes.position > house.snapshots.max() ?? 0, random.once(in: 2) {
            note("a snapshot of the copy that was frozen at \(copy.likes.position)", "late snapshot")
            try house.save(copy.likes)
        } else if model.position > 0 {
            note("a snapshot at \(model.position)", "snapshot")
            try house.save(FrozenLikes(try house.shared()))
        }
    }

    private mutating func damageSnapshot() throws {
        guard try house.canLoseSnapshot() else { return }
        note("damage of the newest snapshot, and a crash", "damage")
        try house.damageSnapshot(&random)
        try house.crash(expecting: model.position, &random)
        try compareAll()
    }

    private mutating func foldAgain() throws {
        note("the last events are folded once more", "fold again")
        let events = recent
        try house.shared().write { state throws(FoldError) in
            for event in events { try state.fold(event) }
        }
        try reading().compareTouched(recent)
    }

    // MARK: Comparisons

    private mutating func pageSize() -> Int { Int.random(in: 1...9, using: &random) }

    private mutating func reading() throws -> Reading {
        Reading(
            try house.shared(), try house.epoch(), model, pageSize: pageSize(), viewer: commands.someUser())
    }

    private mutating func compareAll() throws {
        try reading().compareAll(news: commands.news, users: commands.users)
    }
}
