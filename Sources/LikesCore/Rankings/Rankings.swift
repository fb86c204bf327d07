internal import Synchronization
package import Threading

/// Makes the rankings that somebody asks for, and lets go of those that nobody asks for any more.
///
/// A ranking is made by a thread from a frozen copy of the state, one after the other; what is folded meanwhile is recorded,
/// and played to it before it joins the projections. Writes and other reads go on all the time.
package final class Rankings: Sendable {
    /// Hears that a ranking is there, or why it is not.
    package typealias Done = @Sendable (Result<Void, Rejection>) -> Void

    private struct Work {
        /// Who waits for what.
        var waiting: [RankingName: [Done]] = [:]
        /// What is still to be made, in the order in which it was asked for.
        var queue: [RankingName] = []
        var isRunning = false
        var isStopping = false

        var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

        /// Takes all who wait; nothing is made for them any more.
        mutating func takeWaiting() -> [Done] {
            defer { (waiting, queue) = ([:], []) }
            return waiting.values.flatMap(\.self)
        }
    }

    private let shared: SharedLikes
    private let mediator: LikesMediator
    private let monotonicClock: Clock
    private let recordedChanges: Int
    private let work = Monitor(Work())
    /// Monotonic milliseconds of the next look for rankings that nobody asks for.
    private let nextTidying = Atomic<Int64>(0)

    /// - Parameters:
    ///   - monotonicClock: milliseconds that only grow; the same as the reader's. Tests set it.
    ///   - recordedChanges: what a tape holds; tests make it small.
    package init(
        _ shared: SharedLikes, mediator: LikesMediator, monotonicClock: Clock = .monotonic,
        recordedChanges: Int = Limits.recordedChanges
    ) {
        self.shared = shared
        self.mediator = mediator
        self.monotonicClock = monotonicClock
        self.recordedChanges = recordedChanges
    }

    /// Begins to let go of what nobody asks for.
    package func start(_ bus: EventBus) {
        bus.subscribe(to: FoldedBatch.self, self) { rankings, _ in rankings.tidyUp() }
    }

    /// Refuses everybody who waits, now and from now on, and ends what is being made. To be called while the mediator
    /// still works.
    package func stop() {
        let waiting = work.withLock { work in
            work.isStopping = true
            return work.takeWaiting()
        }
        for done in waiting { done(.failure(.shuttingDown)) }
        _ = work.wait(until: { !$0.isRunning }, milliseconds: Limits.rankingStopMilliseconds)
    }

    /// Has a ranking made, unless it is there. `done` is called once when it is: at once, or from a thread of its own.
    ///
    /// - Throws: `.busy` when too many wait, or `.shuttingDown`; `done` is not called then.
    package func prepare(_ name: RankingName, done: @escaping Done) throws(Rejection) {
        if shared.read({ $0.rankings.has(name) }) { return done(.success(())) }
        try enqueue(name, done)
    }

    /// Has a ranking made for those who will ask for it; nobody waits for that.
    package func prepareAhead(_ name: RankingName) { try? enqueue(name, nil) }

    private func enqueue(_ name: RankingName, _ done: Done?) throws(Rejection) {
        let needsThread = try work.withLock { work throws(Rejection) in
            if work.isStopping { throw .shuttingDown }
            guard work.waitingCount < Limits.readsWaitingForRankings else { throw .busy }
            if work.waiting[name] == nil { work.queue.append(name) }
            work.waiting[name, default: []].append(contentsOf: done.map { [$0] } ?? [])
            defer { work.isRunning = true }
            return !work.isRunning
        }
        guard needsThread, !Thread.startDetached({ [self] in run() }) else { return }
        // The system gives no thread: nobody shall wait for one.
        let waiting = work.withLock { work in
            work.isRunning = false
            return work.takeWaiting()
        }
        work.broadcast()
        for done in waiting { done(.failure(.busy)) }
    }

    // MARK: Making

    private func run() {
        while let name = next() {
            let result: Result<Void, Rejection>
            do throws(Rejection) {
                try make(name)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            let waiting = work.withLock { $0.waiting.removeValue(forKey: name) ?? [] }
            for done in waiting { done(result) }
        }
    }

    /// What is to be made next; nil when the thread may end.
    private func next() -> RankingName? {
        let name: RankingName? = work.withLock { work in
            guard !work.isStopping, !work.queue.isEmpty else {
                work.isRunning = false
                return nil
            }
            return work.queue.removeFirst()
        }
        if name == nil { work.broadcast() }
        return name
    }

    private var isStopping: Bool { work.withLock { $0.isStopping } }

    private func make(_ name: RankingName) throws(Rejection) {
        for _ in 0..<Self.attempts {
            guard let draft = try draw(name) else { return }
            let isWhole = try catchUp(draft)
            // Released here, on a thread for which nobody waits.
            let dropped = try finish(draft, as: name, isWhole: isWhole)
            if dropped.isIn { return }
            if isStopping { throw .shuttingDown }
        }
        throw .busy
    }

    /// How often a ranking is begun when more happens meanwhile than a tape holds.
    private static let attempts = 3

    /// How often the tape is played beside running traffic; what is on it then is played between two rounds.
    private static let catchingUps = 20

    /// A ranking, as it was when the tape began; nil when making it was called off.
    private struct Draft: @unchecked Sendable {
        // Safety: the ranking is used by the thread that makes it, and between two rounds by the mediator's, for which that
        // one waits; the tape by the mediator's alone.
        let ranking: (any Ranking)?
        let tape: FoldTape
    }

    /// Makes a ranking of the state as it is now; nil when it is there already, or nobody is to have it any more.
    private func draw(_ name: RankingName) throws(Rejection) -> Draft? {
        let begun = Locked<(frozen: FrozenLikes, tape: Draft)?>(nil)
        try mediator.performBetweenRounds { [self] in
            guard !isStopping, !shared.read({ $0.rankings.has(name) }) else { return }
            let tape = FoldTape(limit: recordedChanges)
            shared.write { $0.rankings.begin(tape) }
            // Nothing is folded between the two.
            let frozen = FrozenLikes(shared)
            begun.withLock { $0 = (frozen, Draft(ranking: nil, tape: tape)) }
        }
        guard let (frozen, draft) = begun.withLock({ $0.take() }) else { return nil }
        let ranking = name.ranking(of: frozen.state) { [self] in isStopping }
        return Draft(ranking: ranking, tape: draft.tape)
    }

    /// Plays what was folded meanwhile to a ranking, until little is left.
    ///
    /// - Returns: false when it cannot be: the tape was too short, or the service stops.
    private func catchUp(_ draft: Draft) throws(Rejection) -> Bool {
        guard let ranking = draft.ranking else { return false }
        for _ in 0..<Self.catchingUps {
            if isStopping { return false }
            let taken = Locked<Recorded?>(nil)
            try mediator.performBetweenRounds {
                let recorded = draft.tape.isFull ? nil : Recorded(changes: draft.tape.take())
                taken.withLock { $0 = recorded }
            }
            guard let recorded = taken.withLock({ $0.take() }) else { return false }
            recorded.changes.play(to: ranking)
            if recorded.changes.count <= Limits.changesPlayedBetweenRounds { break }
        }
        return true
    }

    /// What a tape held, on its way to another thread.
    private struct Recorded: @unchecked Sendable {
        // Safety: handed over; the mediator's thread keeps nothing of it.
        let changes: FoldTape.Recording
    }

    /// What came of a finished ranking.
    private struct Ending: @unchecked Sendable {
        // Safety: nobody else has the rankings that were let go of.
        var isIn = false
        var dropped: [any Ranking] = []
    }

    /// Lets a ranking join the projections, unless it is not whole.
    private func finish(_ draft: Draft, as name: RankingName, isWhole: Bool) throws(Rejection) -> Ending {
        let ending = Locked(Ending())
        try mediator.performBetweenRounds { [shared, monotonicClock] in
            let ranking = isWhole && !draft.tape.isFull ? draft.ranking : nil
            // Nobody reads it yet, so this needs no lock.
            if let ranking { draft.tape.take().play(to: ranking) }
            let dropped = shared.write { state -> [any Ranking] in
                state.rankings.end(draft.tape)
                return ranking.map { state.rankings.put($0, as: name, now: monotonicClock.now()) } ?? []
            }
            let result = Ending(isIn: ranking != nil, dropped: dropped)
            ending.withLock { $0 = result }
        }
        return ending.withLock { $0 }
    }

    // MARK: Letting go

    /// Lets go of what nobody has asked for in a while. Called on the mediator's thread after each batch.
    private func tidyUp() {
        let now = monotonicClock.now()
        guard now >= nextTidying.load(ordering: .relaxed) else { return }
        nextTidying.store(now + Limits.rankingTidyingMilliseconds, ordering: .relaxed)
        guard shared.read({ $0.rankings.hasUnasked(now: now) }) else { return }
        let unasked = Ending(dropped: shared.write { $0.rankings.dropUnasked(now: now) })
        // Writes shall not wait until they are released.
        _ = Thread.startDetached { withExtendedLifetime(unasked) {} }
    }
}

extension RankingName {
    /// The ranking of a state; nil when making it was called off.
    func ranking(of state: LikesState, isCancelled: () -> Bool) -> (any Ranking)? {
        switch self {
        case .trending(let halfLife): NewsRanking(of: state, by: DecayedLikes(halfLife), isCancelled: isCancelled)
        case .likes(_, let start): NewsRanking(of: state, by: LikesSince(start), isCancelled: isCancelled)
        }
    }
}
