internal import LikesCore
internal import MicroHTTP
internal import Synchronization
internal import Threading

/// A client that comes to hear of events.
struct JoiningReader: Sendable {
    let socket: TakenSocket
    let place: StreamPlaces.Place
    let filter: EventFilter
    let start: StreamStart
}

/// The loop, on a thread of its own, that sends events to readers.
///
/// It waits for the readers' sockets and for a signal. The mediator's thread only puts a batch into the intake; in rounds, with
/// a rest in between, the loop writes the text of what came, once, and sends it to each reader that it concerns, as much as its
/// socket takes. It blocks for nobody: what a reader has not taken is found in the ring again when it does.
final class StreamLoop: @unchecked Sendable {
    // Safety: other threads touch `inbox`, `intake`, `isAsleepForGood`, `wakeup` and the constants; all else belongs to the
    // thread that runs `run`.

    private enum Message: Sendable {
        case join(JoiningReader)
        case page(Replayer.Page, reader: UInt64)
        case stop
    }

    private let format: any EventFormat
    private let replayer: Replayer
    private let heartbeatMilliseconds: Int64
    private let stallMilliseconds: Int64
    private let intake = EventIntake()
    private let inbox = Locked<[Message]>([])
    private let wakeup: WakeSignal
    private let poll: Poll
    private let heartbeat: [UInt8]

    private var ring: EventRing
    private var readers: [UInt64: StreamReader] = [:]
    private var index = ReaderIndex()
    /// Those that can be sent something, each once or more often.
    private var ready: [StreamReader] = []
    private var nextKey: UInt64 = 0
    private var scratch = EventRun()
    /// Monotonic milliseconds of this turn.
    private var now: Int64
    /// When the next round begins; nil when nothing has happened.
    private var nextRound: Int64?
    private var restUntil: Int64 = 0
    private var round: UInt64 = 0
    /// The end of the ring before the last round: who was caught up then has had everything up to here.
    private var caughtUpThrough: UInt64
    private var nextPatrol = Int64.max
    private var stopDeadline: Int64?

    /// - Parameter position: the last event that is folded.
    /// - Returns: nil when the system gives no more descriptors.
    init?(
        _ format: any EventFormat, _ replayer: Replayer, position: UInt64, heartbeatMilliseconds: Int64,
        stallMilliseconds: Int64
    ) {
        guard let wakeup = WakeSignal(), let poll = Poll(wokenBy: wakeup.descriptor) else { return nil }
        self.wakeup = wakeup
        self.poll = poll
        self.format = format
        self.replayer = replayer
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.stallMilliseconds = stallMilliseconds
        heartbeat = type(of: format).heartbeat
        ring = EventRing(after: position)
        caughtUpThrough = position
        now = MonotonicClock.milliseconds()
    }

    // MARK: Called by other threads

    /// Takes in what has happened; on the mediator's thread.
    func put(_ batch: [LikeEvent]) {
        if intake.put(batch) { wakeup.raise() }
    }

    /// Takes a reader in.
    func join(_ reader: JoiningReader) { send(.join(reader)) }

    /// Ends all streams once they have had what is due, and the loop.
    func requestStop() { send(.stop) }

    private func send(_ message: Message) {
        inbox.withLock { $0.append(message) }
        wakeup.raise()
    }

    // MARK: The loop

    func run() {
        while !isDone {
            planRound()
            var changes: [Poll.Change] = []
            if poll.wait(milliseconds: patience, { changes.append($0) }) { wakeup.lower() }
            now = MonotonicClock.milliseconds()
            for change in changes { take(change) }
            takeMessages()
            if let nextRound, now >= nextRound { playRound() }
            serveReady()
            if now >= nextPatrol { patrol() }
        }
        for reader in readers.values { end(reader) }
    }

    /// Milliseconds to wait.
    private var patience: Int {
        if !ready.isEmpty { return 0 }
        let next = min(nextRound ?? .max, nextPatrol, stopDeadline ?? .max)
        return next == .max ? -1 : Int(max(next - MonotonicClock.milliseconds(), 0))
    }

    private func takeMessages() {
        let messages = inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
        for message in messages {
            switch message {
            case .join(let reader): take(reader)
            case .page(let page, let key): take(page, for: key)
            case .stop: beginStop()
            }
        }
    }

    private func take(_ change: Poll.Change) {
        guard let reader = readers[change.key] else { return }
        guard !change.isBroken else { return end(reader) }
        if change.isReadable { reader.discardInput() }
        // A client that is gone answers this with a reset; one that only sends nothing more does not mind.
        if change.hasEnded, reader.isBetweenEvents { reader.note(heartbeat) }
        if change.isWritable { reader.isWritable = true }
        if change.isWritable || change.hasEnded { ready.append(reader) }
    }

    // MARK: Readers that come

    private func take(_ joining: JoiningReader) {
        // What came while there were no readers lies in the intake.
        if readers.isEmpty { playRound() }
        let position = joining.start.position ?? ring.through
        nextKey += 1
        let reader = StreamReader(
            key: nextKey, joining, notice: opening(joining.start, position), position: position,
            nextHeartbeat: now + heartbeatMilliseconds)
        reader.prepare(stallMilliseconds: stallMilliseconds)
        guard poll.add(reader.socket.descriptor, key: reader.key) else { return }
        readers[reader.key] = reader
        index.add(reader)
        nextPatrol = min(nextPatrol, now + StreamLimits.patrolMilliseconds)
        chooseSource(reader)
        ready.append(reader)
    }

    /// What a stream begins with.
    private func opening(_ start: StreamStart, _ position: UInt64) -> [UInt8] {
        var bytes = type(of: format).retry
        switch start {
        case .now: format.appendPlace(position, to: &bytes)
        case .after: break
        case .reset: format.appendReset(position, to: &bytes)
        }
        return bytes
    }

    /// Has a reader sent what follows its position: out of the ring, or what is older out of the journal.
    private func chooseSource(_ reader: StreamReader) {
        if reader.position >= ring.after {
            reader.source = .ring
        } else {
            reader.source = .awaitedPage
            askForPage(reader)
        }
    }

    private func askForPage(_ reader: StreamReader) {
        guard !reader.awaitsPage else { return }
        reader.awaitsPage = true
        let key = reader.key
        replayer.read(after: reader.position) { [weak self] page in self?.send(.page(page, reader: key)) }
    }

    private func take(_ page: Replayer.Page, for key: UInt64) {
        guard let reader = readers[key] else { return }
        reader.awaitsPage = false
        switch page {
        case .events(let block):
            // One that takes nothing asks again when it does, so that it keeps no page in memory.
            guard reader.isWritable else { return }
            reader.source = .page(block)
            ready.append(reader)
        case .gone: reset(reader)
        case .unavailable: end(reader)
        }
    }

    /// Tells a reader that it has missed something, and goes on with what is new.
    private func reset(_ reader: StreamReader) {
        guard !reader.isWithinEvent else { return end(reader) }
        var bytes: [UInt8] = []
        format.appendReset(ring.through, to: &bytes)
        reader.position = ring.through
        reader.tell(ring.through, bytes)
        reader.source = .ring
        ready.append(reader)
    }

    // MARK: Rounds

    /// Has a round played for what has happened, after a rest.
    private func planRound() {
        guard nextRound == nil, !readers.isEmpty || stopDeadline != nil, intake.hasEventsOrWakes() else { return }
        nextRound = max(now + StreamLimits.gatherMilliseconds, restUntil)
    }

    /// Writes what has happened, and sends it to those whom it concerns.
    private func playRound() {
        nextRound = nil
        round += 1
        caughtUpThrough = ring.through
        let blocks = EventBlock.blocks(of: intake.take(), format)
        for block in blocks { ring.append(block) }
        if ring.after > caughtUpThrough { leaveRing() }
        guard !readers.isEmpty, !blocks.isEmpty else { return }
        // Not the list itself: readers that are found to be gone leave it.
        for reader in index.ofEverything + concerned(by: blocks) where reader.isCaughtUp { serve(reader) }
        let end = MonotonicClock.milliseconds()
        restUntil = end + min(end - now, StreamLimits.restMilliseconds)
    }

    /// Those that do not hear of everything, but of some of this.
    private func concerned(by blocks: [EventBlock]) -> [StreamReader] {
        var readers: [StreamReader] = []
        for block in blocks {
            for subject in block.subjects {
                index.readers(concernedBy: subject) { reader in
                    guard reader.round != round else { return }
                    reader.round = round
                    readers.append(reader)
                }
            }
        }
        return readers
    }

    /// So much has happened at once that it is more than the ring holds: who had everything before goes on out of the journal.
    private func leaveRing() {
        for reader in readers.values where reader.isCaughtUp {
            noteCaughtUp(reader)
            reader.isCaughtUp = false
            chooseSource(reader)
            ready.append(reader)
        }
    }

    /// Writes down what has passed a reader by.
    private func noteCaughtUp(_ reader: StreamReader) { reader.position = max(reader.position, caughtUpThrough) }

    private func serveReady() {
        guard !ready.isEmpty else { return }
        var turn: [StreamReader] = []
        swap(&turn, &ready)
        for reader in turn where readers[reader.key] === reader { serve(reader) }
    }

    /// Sends a reader what it has not had, as much as it takes in its turn.
    private func serve(_ reader: StreamReader) {
        guard reader.isWritable else { return }
        if reader.isCaughtUp { noteCaughtUp(reader) }
        reader.isCaughtUp = false
        switch progress(of: reader) {
        case .sent: if case .ring = reader.source { reader.isCaughtUp = true }
        case .paused: ready.append(reader)
        case .blocked: if case .page = reader.source { reader.source = .awaitedPage }
        case .gone: cut(reader)
        }
    }

    private func progress(of reader: StreamReader) -> StreamReader.Progress {
        let progress = reader.sendNotice(now: now)
        guard progress == .sent else { return progress }
        var budget = StreamLimits.bytesPerTurn
        switch reader.source {
        case .ring:
            // One that has fallen out of the ring comes back with its last place.
            guard reader.position >= ring.after else { return .gone }
            while let block = ring.block(after: reader.position) {
                let progress = send(block, to: reader, &budget)
                guard progress == .sent else { return progress }
            }
        case .page(let block):
            let progress = send(block, to: reader, &budget)
            guard progress == .sent else { return progress }
            chooseSource(reader)
            return .paused
        case .awaitedPage: askForPage(reader)
        }
        return .sent
    }

    private func send(_ block: EventBlock, to reader: StreamReader, _ budget: inout Int) -> StreamReader.Progress {
        if reader.filter.isEverything {
            return reader.send(block.run, through: block.through, &budget, now: now)
        }
        for news in block.select(after: reader.position, &reader.filter, into: &scratch) {
            index.add(reader, following: news)
        }
        return reader.send(scratch, through: block.through, &budget, now: now)
    }

    // MARK: Time

    /// Looks at all readers: ends those that take nothing, and sends heartbeats.
    private func patrol() {
        nextPatrol = readers.isEmpty ? .max : now + StreamLimits.patrolMilliseconds
        for reader in readers.values {
            if isLost(reader) {
                cut(reader)
            } else if now >= reader.nextHeartbeat {
                reader.nextHeartbeat = now + heartbeatMilliseconds
                beat(reader)
            }
        }
    }

    /// Whether a reader takes nothing for too long, or has fallen out of the ring meanwhile.
    private func isLost(_ reader: StreamReader) -> Bool {
        if let since = reader.blockedSince, now - since >= stallMilliseconds { return true }
        guard case .ring = reader.source, !reader.isCaughtUp else { return false }
        return reader.position < ring.after
    }

    private func beat(_ reader: StreamReader) {
        guard reader.isBetweenEvents, reader.isWritable else { return }
        reader.note(heartbeat)
        if reader.isCaughtUp {
            let place = max(reader.position, ring.through)
            if place - reader.knownPlace >= StreamLimits.eventsPerPlace {
                var bytes: [UInt8] = []
                format.appendPlace(place, to: &bytes)
                reader.tell(place, bytes)
            }
        }
        serve(reader)
    }

    // MARK: The end

    /// Ends a stream whose reader gets all that was sent.
    private func end(_ reader: StreamReader) {
        guard remove(reader) else { return }
        reader.discardInput()
        reader.socket.finish()
    }

    /// Ends a stream whose reader does not take what was sent, or is not there any more.
    private func cut(_ reader: StreamReader) {
        if remove(reader) { reader.socket.abort() }
    }

    private func remove(_ reader: StreamReader) -> Bool {
        guard readers.removeValue(forKey: reader.key) != nil else { return false }
        index.remove(reader)
        poll.remove(reader.socket.descriptor)
        return true
    }

    private func beginStop() {
        guard stopDeadline == nil else { return }
        stopDeadline = now + StreamLimits.stopMilliseconds
        playRound()
    }

    /// Whether the loop shall end, and everybody has had what is due, or the time for that is over.
    private var isDone: Bool {
        guard let stopDeadline else { return false }
        if MonotonicClock.milliseconds() >= stopDeadline { return true }
        return nextRound == nil && ready.isEmpty && readers.values.allSatisfy { $0.isCaughtUp }
    }
}
