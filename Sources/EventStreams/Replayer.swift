internal import LikesCore
internal import MicroHTTP
internal import Threading

/// Reads the journal for readers that come back: on a thread of its own, a page at a time.
///
/// Nobody is given a page before the last one was sent, so what is in memory at one time is what the readers in hand are
/// being sent, and some pages that are kept. Those that ask at one time are served in the order of their places, so that they share
/// pages: after a restart all of them come back.
final class Replayer: Sendable {
    /// What there is after a place.
    enum Page: Sendable {
        case events(EventBlock)
        /// The events there are not kept any more, or cannot be read for good.
        case gone
        /// They cannot be read just now.
        case unavailable
    }

    private struct Job {
        let after: UInt64
        /// The reader, as long as it is there.
        weak let socket: TakenSocket?
        let done: @Sendable (Page) -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var isStopping = false
    }

    private let journal: any Journal
    private let format: any EventFormat
    private let position: @Sendable () -> UInt64
    private let state = Monitor(State())
    private let thread = Locked<Thread?>(nil)

    /// - Parameter position: the last event that is folded: a later one is nobody's business yet.
    init(_ journal: any Journal, _ format: any EventFormat, position: @escaping @Sendable () -> UInt64) {
        self.journal = journal
        self.format = format
        self.position = position
    }

    func start() {
        let thread = Thread { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends the thread, after the page in hand. Who waits hears nothing more.
    func stop() {
        state.withLock { state in
            state.isStopping = true
            state.jobs = []
        }
        state.signal()
        thread.withLock { $0.take() }?.join()
    }

    /// Asks for the events after one that is not the last.
    ///
    /// - Parameters:
    ///   - socket: for whom; when it is gone by then, nothing is read.
    ///   - done: called on the replayer's thread; must not block.
    func read(after sequence: UInt64, for socket: TakenSocket, done: @escaping @Sendable (Page) -> Void) {
        state.withLock { $0.jobs.append(Job(after: sequence, socket: socket, done: done)) }
        state.signal()
    }

    private func run() {
        var kept: [EventBlock] = []
        while true {
            let isBusy = state.wait(
                until: { $0.isStopping || !$0.jobs.isEmpty }, milliseconds: StreamLimits.keptPagesMilliseconds)
            if !isBusy { kept = [] }
            guard let jobs = takeJobs() else { return }
            for job in jobs where job.socket != nil {
                if state.withLock({ $0.isStopping }) { return }
                job.done(page(after: job.after, &kept))
            }
        }
    }

    private func takeJobs() -> [Job]? {
        state.wait(until: { $0.isStopping || !$0.jobs.isEmpty }) { state in
            guard !state.isStopping else { return nil }
            defer { state.jobs = [] }
            return state.jobs.sorted { $0.after < $1.after }
        }
    }

    private func page(after sequence: UInt64, _ kept: inout [EventBlock]) -> Page {
        if let block = kept.first(where: { $0.after <= sequence && sequence < $0.through }) { return .events(block) }
        let events: [LikeEvent]
        do throws(JournalError) {
            let position = position()
            events = try journal.events(after: sequence, limit: StreamLimits.pageEvents)
                .filter { $0.sequence <= position }
        } catch {
            if case .unavailable = error { return .unavailable }
            return .gone
        }
        guard let first = events.first, first.sequence == sequence + 1 else { return .gone }
        let blocks = EventBlock.blocks(of: events, format)
        kept += blocks
        if kept.count > StreamLimits.keptPages { kept.removeFirst(kept.count - StreamLimits.keptPages) }
        return .events(blocks[0])
    }
}
