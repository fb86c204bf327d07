internal import LikesCore
internal import MicroHTTP
internal import Synchronization
internal import Threading

/// The loop, on a thread of its own, that sends events to readers.
///
/// It waits for the readers' sockets and for a signal. The mediator's thread only puts a batch into the intake; in rounds, with
/// a rest in between, the loop writes the text of what came, once, and sends it to each reader that it concerns, as much as its
/// socket takes. It blocks for nobody: what a reader has not taken is found in the ring again when it does.
final class StreamLoop: @unchecked Sendable {
    // Safety: other threads touch `inbox`, `intake`, `wakeup`, `counts` and the constants; all else belongs to the thread that runs
    // `run`.

    private enum Message: Sendable {
        case join(JoiningReader)
        case page(Replayer.Page, reader: UInt64)
        case stop
    }

    private let format: any EventFormat
    private let replayer: Replayer
    private let merges: MergeHistory
    private let heartbeatMilliseconds: Int64
    private let stallMilliseconds: Int64
    private let report: @Sendable (_ cut: Int, _ now: Int64) -> Void
    private let intake = EventIntake()
    private let inbox = Locked<[Message]>([])
    private let wakeup: WakeSignal
    private let poll: Poll

    private var ring: EventRing
    private var readers: [UInt64: StreamReader] = [:]
    private var index = ReaderIndex()
    private var queue = ServingQueue()
    private var nextKey: UInt64 = 0
    private var scratch = EventRun()
    /// Monotonic milliseconds of this turn.
    private var now: Int64
    /// When the next round begins; nil when nothing has happened.
    private var nextRound: Int64?
    /// When the round began of which some have not had their first portion.
    private var roundBegun: Int64?
    private var restUntil: Int64 = 0
    /// The end of the ring before the last round: who was caught up then has had everything up to here.
    private var caughtUpThrough: UInt64
    private var nextPatrol = Int64.max
    let counts = StreamCounts()
    private var stopDeadline: Int64?

    /// - Parameters:
    ///   - position: the last event that is folded.
    ///   - report: called with each look at all readers, with the number of those that were ever cut.
    /// - Returns: nil when the system gives no more descriptors.
    init?(
        _ format: any EventFormat, _ replayer: Replayer, _ merges: MergeHistory, position: UInt64,
        _ settings: EventStreams.Settings, report: @escaping @Sendable (_ cut: Int, _ now: Int64) -> Void
    ) {
        guard let wakeup = WakeSignal(), let poll = Poll(wokenBy: wakeup.descriptor) else { return nil }
        self.wakeup = wakeup
        self.poll = poll
        self.format = format
        self.replayer = replayer
        self.merges = merges
        self.report = report
        heartbeatMilliseconds = settings.heartbeatMilliseconds
        stallMilliseconds = settings.stallMilliseconds
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
            serveQueue()
            if now >= nextPatrol { patrol() }
        }
        for reader in readers.values { end(reader) }
    }

    /// Milliseconds to wait.
    private var patience: Int {
        guard queue.isEmpty else { return 0 }
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
        guard !change.isBroken, !change.isReadable || reader.discardInput() else { return end(reader) }
        // A client that is gone answers this with a reset; one that only sends nothing more does not mind.
        if change.hasEnded, reader.isBetweenEvents {
            reader.note(type(of: format).heartbeat)
            queue.addBehind(reader)
        }
        guard change.isWritable, !reader.isWritable else { return }
        reader.noteWritable()
        queue.addBehind(reader)
    }

    // MARK: Readers that come

    private func take(_ joining: JoiningReader) {
        // What came while there were no readers lies in the intake.
        if readers.isEmpty { playRound() }
        nextKey += 1
        // The first one comes sooner, so that those that came together have theirs at different times.
        let beat = now + Int64.random(in: heartbeatMilliseconds / 2...heartbeatMilliseconds)
        let reader = StreamReader(
            key: nextKey, joining, notice: joining.start.opening(format), nextHeartbeat: beat)
        reader.prepare(stallMilliseconds: stallMilliseconds)
        guard poll.add(reader.socket.descriptor, key: reader.key) else { return }
        readers[reader.key] = reader
        index.add(reader)
        nextPatrol = min(nextPatrol, now + StreamLimits.patrolMilliseconds)
        chooseSource(reader)
        queue.addFresh(reader)
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
        counts.replays.add(1, ordering: .relaxed)
        let key = reader.key
        replayer.read(after: reader.position, for: reader.socket) { [weak self] page in
            self?.send(.page(page, reader: key))
        }
    }

    private func take(_ page: Replayer.Page, for key: UInt64) {
        guard let reader = readers[key] else { return }
        reader.awaitsPage = false
        switch page {
        case .events(let block):
            // One that takes nothing asks again when it does, so that it keeps no page in memory.
            guard reader.isWritable else { return }
            reader.source = .page(block)
            queue.addBehind(reader)
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
        // The merges in between are among what it has missed.
        for news in merges.followed(from: reader.filter.newsIDs, through: ring.through) { follow(news, reader) }
        reader.source = .ring
        queue.addBehind(reader)
    }

    // MARK: Rounds

    /// Has a round played for what has happened, after a rest.
    private func planRound() {
        guard nextRound == nil, roundBegun == nil, !readers.isEmpty else { return }
        if intake.hasEventsOrWakes() { nextRound = max(now + StreamLimits.gatherMilliseconds, restUntil) }
    }

    /// Writes what has happened, and has it sent to those whom it concerns.
    private func playRound() {
        nextRound = nil
        caughtUpThrough = ring.through
        let blocks = EventBlock.blocks(of: intake.take(), format)
        for block in blocks { ring.append(block) }
        counts.dropped.store(ring.dropped, ordering: .relaxed)
        guard !readers.isEmpty, !blocks.isEmpty else { return }
        if ring.after > caughtUpThrough { leaveRing() }
        // First those who asked for little: they are few, and shall not wait for all others.
        let concerned = index.readers(concernedBy: blocks.lazy.flatMap(\.subjects)) + index.ofEverything
        for reader in concerned where reader.isCaughtUp {
            noteBehind(reader)
            queue.addFresh(reader)
        }
        roundBegun = now
    }

    /// So much has happened at once that it is more than the ring holds: who had everything before goes on out of the journal.
    private func leaveRing() {
        for reader in readers.values where reader.isCaughtUp {
            noteBehind(reader)
            chooseSource(reader)
            queue.addBehind(reader)
        }
    }

    /// Writes down what a reader has had that was caught up before the last round.
    private func noteBehind(_ reader: StreamReader) {
        guard reader.isCaughtUp else { return }
        reader.position = max(reader.position, caughtUpThrough)
        reader.isCaughtUp = false
    }

    private func serveQueue() {
        var end = now
        while end - now < StreamLimits.turnMilliseconds, let (reader, isFresh) = queue.next() {
            if readers[reader.key] === reader {
                serve(reader, isFresh ? StreamLimits.bytesPerRound : StreamLimits.bytesPerTurn)
            }
            end = MonotonicClock.milliseconds()
        }
        guard let begun = roundBegun, !queue.hasFresh else { return }
        roundBegun = nil
        restUntil = end + min((end - begun) / 2, StreamLimits.restMilliseconds)
    }

    /// Sends a reader what it has not had, as much as it takes in its turn.
    private func serve(_ reader: StreamReader, _ budget: Int) {
        guard reader.isWritable else { return }
        noteBehind(reader)
        switch progress(of: reader, budget) {
        case .sent: if case .ring = reader.source { reader.isCaughtUp = true }
        case .paused: queue.addBehind(reader)
        case .blocked: if case .page = reader.source { reader.source = .awaitedPage }
        case .gone: cut(reader)
        }
    }

    private func progress(of reader: StreamReader, _ bytes: Int) -> StreamReader.Progress {
        let progress = reader.sendNotice(now: now)
        guard progress == .sent else { return progress }
        var budget = bytes
        switch reader.source {
        case .ring:
            while let block = ring.block(after: reader.position) {
                let progress = send(block, to: reader, &budget)
                guard progress == .sent else { return progress }
            }
            guard reader.position < ring.after else { return .sent }
            // Others had their turn for so long that the ring has moved on. That is not this one's fault.
            chooseSource(reader)
        case .page(let block):
            while reader.position < block.through {
                let progress = send(block, to: reader, &budget)
                guard progress == .sent else { return progress }
            }
            tellPlace(reader, reader.position, ifOlderThan: StreamLimits.eventsPerPlace)
            chooseSource(reader)
            return .paused
        case .awaitedPage: askForPage(reader)
        }
        return .sent
    }

    /// Sends a reader what it has not had of a block, up to a merge that changes what it wants to hear of.
    private func send(_ block: EventBlock, to reader: StreamReader, _ budget: inout Int) -> StreamReader.Progress {
        if reader.filter.isEverything {
            return reader.send(block.run, through: block.through, &budget, now: now)
        }
        let selection = block.select(after: reader.position, reader.filter, into: &scratch)
        let progress = reader.send(scratch, through: selection.through, &budget, now: now)
        if progress == .sent, let news = selection.followed { follow(news, reader) }
        return progress
    }

    /// Lets a reader hear of a news, too, into which one of its own was merged.
    private func follow(_ news: NewsID, _ reader: StreamReader) {
        guard !reader.filter.follows(news) else { return }
        reader.filter.follow(news)
        index.add(reader, following: news)
    }

    // MARK: Time

    /// Looks at all readers: ends those that take nothing, and sends heartbeats and places.
    private func patrol() {
        nextPatrol = readers.isEmpty ? .max : now + StreamLimits.patrolMilliseconds
        for reader in readers.values {
            if isLost(reader) {
                counts.cut.add(1, ordering: .relaxed)
                cut(reader)
            } else if reader.isBetweenEvents, reader.isWritable {
                beat(reader)
            }
        }
        report(counts.cut.load(ordering: .relaxed), now)
    }

    /// Whether a reader takes nothing for too long, or has fallen out of the ring meanwhile.
    private func isLost(_ reader: StreamReader) -> Bool {
        guard let since = reader.blockedSince else { return false }
        if now - since >= stallMilliseconds { return true }
        guard case .ring = reader.source else { return false }
        return reader.position < ring.after
    }

    /// Sends a reader a heartbeat, if it is time to, and its place, if that is old.
    private func beat(_ reader: StreamReader) {
        let isTime = now >= reader.nextHeartbeat
        if reader.isCaughtUp {
            let age = isTime ? StreamLimits.eventsPerPlace : StreamLimits.eventsPerUrgentPlace
            tellPlace(reader, max(reader.position, ring.through), ifOlderThan: age)
        }
        if isTime {
            reader.nextHeartbeat = now + heartbeatMilliseconds
            reader.note(type(of: format).heartbeat)
        }
        if !reader.isBetweenEvents { queue.addBehind(reader) }
    }

    /// Tells a reader its place when it was told none for so many events, since none concerned it.
    private func tellPlace(_ reader: StreamReader, _ place: UInt64, ifOlderThan events: UInt64) {
        guard place - reader.knownPlace >= events, reader.isBetweenEvents else { return }
        var bytes: [UInt8] = []
        format.appendPlace(place, to: &bytes)
        reader.tell(place, bytes)
    }

    // MARK: The end

    /// Ends a stream whose reader gets all that was sent.
    private func end(_ reader: StreamReader) {
        guard remove(reader) else { return }
        // What is not read when it is closed would take with it what was sent.
        _ = reader.discardInput()
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
        // Without readers nobody wants the text of what came meanwhile.
        if !readers.isEmpty { playRound() }
    }

    /// Whether the loop shall end, and everybody has had what is due, or the time for that is over.
    private var isDone: Bool {
        guard let stopDeadline else { return false }
        if MonotonicClock.milliseconds() >= stopDeadline { return true }
        return nextRound == nil && queue.isEmpty && readers.values.allSatisfy { $0.isCaughtUp }
    }
}
