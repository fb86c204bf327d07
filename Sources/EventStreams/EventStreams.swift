package import LikesCore
package import MicroHTTP
internal import Synchronization
internal import Threading

/// Live updates: every event, once it is durable and folded, to every reader that wants to hear of it.
///
/// Hears of every batch on the event bus. What it sends is in the order of the events, without a gap and without a repeat, from
/// the place where a reader begins, be that in the past: then out of the journal first.
package final class EventStreams: Sendable {
    /// What a service is asked for about its streams.
    package struct Settings: Sendable {
        /// Readers at one time.
        package var readers = StreamLimits.readers
        /// Readers from one address; nil for the usual number, which does not hold for this machine itself.
        package var readersPerAddress: Int?
        /// Milliseconds between two heartbeats.
        package var heartbeatMilliseconds = StreamLimits.heartbeatMilliseconds
        /// Milliseconds that a reader may take no bytes.
        package var stallMilliseconds = StreamLimits.stallMilliseconds

        /// The usual ones.
        package init() {}
    }

    /// The places for readers.
    package let places: StreamPlaces
    private let journal: any Journal
    private let merges: MergeHistory
    private let loop: StreamLoop
    private let replayer: Replayer
    private let thread = Locked<Thread?>(nil)

    /// Streams that nobody hears anything of before `start`.
    ///
    /// - Parameters:
    ///   - journal: asked for what is not in memory any more.
    ///   - position: the last event that is folded.
    ///   - format: how events look.
    ///   - report: called on the streams' thread when readers were refused or cut, once a minute at most.
    /// - Returns: nil when the system gives no more descriptors.
    package init?(
        _ journal: any Journal, position: @escaping @Sendable () -> UInt64, format: any EventFormat,
        _ settings: Settings, report: @escaping @Sendable (StreamReport) -> Void = { _ in }
    ) {
        let places = StreamPlaces(limit: settings.readers, addressLimit: settings.readersPerAddress)
        let reporter = StreamReporter(places, report)
        let replayer = Replayer(journal, format, position: position)
        let merges = MergeHistory()
        let loop = StreamLoop(format, replayer, merges, position: position(), settings) { cut, now in
            reporter.look(cut: cut, now: now)
        }
        guard let loop else { return nil }
        (self.journal, self.merges, self.places) = (journal, merges, places)
        (self.replayer, self.loop) = (replayer, loop)
    }

    /// Reads what has become of news, before `start`. Without that, a reader that comes back to a time before it, by the id of
    /// a merged news, follows only what that is now.
    package func readNewsEnds() throws(JournalError) {
        var last: UInt64 = 0
        while true {
            let events = try journal.newsEnds(after: last, limit: StreamLimits.newsEndsPerRead)
            guard let event = events.last else { return }
            merges.put(events)
            last = event.sequence
        }
    }

    /// Begins to listen and to send. The bus must not have told anything since `init`.
    package func start(_ bus: EventBus) {
        bus.subscribe(to: FoldedBatch.self, self) { streams, batch in
            // First: who is sent a merge may come back at once.
            streams.merges.put(batch.events)
            streams.loop.put(batch.events)
        }
        replayer.start()
        let thread = Thread { [loop] in loop.run() }
        self.thread.withLock { $0 = thread }
    }

    /// Sends what is due, ends all streams, and returns when that is done: after `StreamLimits.stopMilliseconds` at most.
    ///
    /// Whoever publishes and whoever lets readers in must have stopped before.
    package func stop() {
        loop.requestStop()
        thread.withLock { $0.take() }?.join()
        replayer.stop()
    }

    /// Numbers of the moment; cheap, and safe from any thread.
    package var statistics: StreamStatistics {
        StreamStatistics(
            open: places.taken, limit: places.limit, refused: places.refused,
            cut: loop.counts.cut.load(ordering: .relaxed), replays: loop.counts.replays.load(ordering: .relaxed),
            droppedEvents: loop.counts.dropped.load(ordering: .relaxed))
    }

    /// What a reader follows that asks for these news, and has had all events up to one: they and what they had become by then.
    package func followed(from news: [NewsID], through sequence: UInt64) -> [NewsID] {
        merges.followed(from: news, through: sequence)
    }

    /// Lets a reader in. Its socket gets the head of the answer first.
    package func join(
        _ socket: TakenSocket, _ place: StreamPlaces.Place, _ filter: EventFilter, from start: StreamStart
    ) {
        loop.join(JoiningReader(socket: socket, place: place, filter: filter, start: start))
    }
}

/// Where a stream begins.
package enum StreamStart: Sendable, Equatable {
    /// With what is new: behind the last event that is folded when the request is answered.
    case now(UInt64)
    /// Behind an event that the client has had.
    case after(UInt64)
    /// As `now`, for a client whose own place means nothing here: it is told to read everything again.
    case reset(UInt64)

    /// The event behind which it begins.
    package var position: UInt64 {
        switch self {
        case .now(let sequence), .after(let sequence), .reset(let sequence): sequence
        }
    }
    /// What a stream that begins here says first.
    func opening(_ format: some EventFormat) -> [UInt8] {
        var bytes = type(of: format).retry
        switch self {
        case .now(let position): format.appendPlace(position, to: &bytes)
        case .after: break
        case .reset(let position): format.appendReset(position, to: &bytes)
        }
        return bytes
    }
}
