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
    }

    private let shared: SharedLikes
    private let mediator: LikesMediator
    private let monotonicClock: Clock
    private let work = Monitor(Work())
    /// Monotonic milliseconds of the next look for rankings that nobody asks for.
    private let nextTidying = Atomic<Int64>(0)

    /// - Parameter monotonicClock: milliseconds that only grow; tests set it.
    package init(
        _ shared: SharedLikes, mediator: LikesMediator,
        monotonicClock: Clock = Clock { MonotonicClock.milliseconds() }
    ) {
        self.shared = shared
        self.mediator = mediator
        self.monotonicClock = monotonicClock
    }

    /// Begins to let go of what nobody asks for.
    package func start(_ bus: EventBus) {
        bus.subscribe(to: FoldedBatch.self, self) { rankings, _ in rankings.tidyUp() }
    }

    /// Ends what is being made, and refuses everybody who waits. To be called while the mediator still works.
    package func stop() {
        work.withLock { $0.isStopping = true }
        work.wait(until: { !$0.isRunning }, then: { _ in })
        let waiting = work.withLock { work in
            defer { work.waiting = [:] }
            return work.waiting
        }
        for done in waiting.values.joined() { done(.failure(.shuttingDown)) }
    }

    /// Has a ranking made, unless it is there.
    ///
    /// - Parameter done: called once, on a thread of its own, when it is there.
    /// - Throws: `.busy` when too many wait, or `.shuttingDown`; `done` is not called then.
    package func prepare(_ name: RankingName, done: @escaping Done) throws(Rejection) {
        let needsThread = try work.withLock { work throws(Rejection) in
            if work.isStopping { throw .shuttingDown }
            guard work.waitingCount < Limits.readsWaitingForRankings else { throw .busy }
            work.waiting[name, default: []].append(done)
            if work.waiting[name]?.count == 1 { work.queue.append(name) }
            defer { work.isRunning = true }
            return !work.isRunning
        }
        guard needsThread, !Thread.startDetached({ [self] in run() }) else { return }
        work.withLock { $0.isRunning = false }
        fail()
    }

    /// The system gives no thread: nobody shall wait for one.
    private func fail() {
        let waiting = work.withLock { work in
            defer { (work.waiting, work.queue) = ([:], []) }
            return work.waiting
        }
        for done in waiting.values.joined() { done(.failure(.busy)) }
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
            if try finish(draft, as: name) { return }
            if draft.ranking == nil { throw .shuttingDown }
        }
        throw .busy
    }

    /// How often a ranking is begun when more happens meanwhile than a tape holds.
    private static let attempts = 3

    /// A ranking, as it was when the tape began; nil when making it was called off.
    private struct Draft: @unchecked Sendable {
        // Safety: the ranking goes from the thread that made it to the mediator's, which waits for it meanwhile; the tape
        // is the mediator's.
        let ranking: (any Ranking)?
        let tape: FoldTape
    }

    /// Makes a ranking of the state as it is now; nil when it is there already.
    private func draw(_ name: RankingName) throws(Rejection) -> Draft? {
        let begun = Locked<(frozen: FrozenLikes, tape: Draft)?>(nil)
        try mediator.performBetweenRounds { [shared] in
            let isThere = shared.read { $0.rankings.has(name) }
            guard !isThere else { return }
            let tape = FoldTape()
            shared.write { $0.rankings.begin(tape) }
            // Nothing is folded between the two.
            begun.withLock { $0 = (FrozenLikes(shared), Draft(ranking: nil, tape: tape)) }
        }
        guard let (frozen, draft) = begun.withLock({ $0.take() }) else { return nil }
        let ranking = name.ranking(of: frozen.state) { [self] in isStopping }
        return Draft(ranking: ranking, tape: draft.tape)
    }

    /// Brings a ranking up to date and lets it join the projections.
    ///
    /// - Returns: false when it cannot be: it is to be made anew.
    private func finish(_ draft: Draft, as name: RankingName) throws(Rejection) -> Bool {
        let isDone = Locked(false)
        try mediator.performBetweenRounds { [shared, monotonicClock] in
            // Nobody reads it yet, so this needs no lock.
            let ranking = draft.tape.isFull ? nil : draft.ranking
            if let ranking { draft.tape.play(to: ranking) }
            shared.write { state in
                state.rankings.end(draft.tape)
                if let ranking { state.rankings.put(ranking, as: name, now: monotonicClock.now()) }
            }
            isDone.withLock { $0 = ranking != nil }
        }
        return isDone.withLock { $0 }
    }

    // MARK: Letting go

    /// Lets go of what nobody has asked for in a while. Called on the mediator's thread after each batch.
    private func tidyUp() {
        let now = monotonicClock.now()
        guard now >= nextTidying.load(ordering: .relaxed) else { return }
        nextTidying.store(now + Limits.rankingTidyingMilliseconds, ordering: .relaxed)
        let isDue = shared.read { $0.rankings.hasUnasked(now: now) }
        if isDue { shared.write { $0.rankings.dropUnasked(now: now) } }
    }
}

extension RankingName {
    /// The ranking of a state; nil when making it was called off.
    func ranking(of state: LikesState, isCancelled: () -> Bool) -> (any Ranking)? {
        switch self {
        case .trending(let halfLife): NewsRanking(of: state, by: DecayedLikes(halfLife), isCancelled: isCancelled)
        case .likes(let start): NewsRanking(of: state, by: LikesSince(start), isCancelled: isCancelled)
        }
    }
}
