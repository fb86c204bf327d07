internal import Glibc
internal import MicroHTTP

/// A client that hears of events, as the loop knows it. Used on the loop's thread alone.
final class StreamReader {
    /// Where the events come from that it is sent.
    enum Source {
        /// The ring, behind its position.
        case ring
        /// A page of the journal, whose end leads to the next one or to the ring.
        case page(EventBlock)
        /// A page that it waits for, or that it can only be given when it takes bytes again.
        case awaitedPage
    }

    /// What has become of an attempt to send.
    enum Progress {
        /// Everything is with the kernel.
        case sent
        /// It can take more, but others have their turn.
        case paused
        /// It takes nothing just now.
        case blocked
        /// The connection is gone.
        case gone
    }

    let key: UInt64
    let socket: TakenSocket
    var filter: EventFilter
    var source = Source.ring
    /// It has had every event up to this one that it wants to hear of.
    var position: UInt64
    /// Whether it has had everything there is. Then the events that pass it by are had, too, whatever `position` says.
    var isCaughtUp = false
    /// The last place that it was told.
    var knownPlace: UInt64
    /// Whether it takes bytes, as far as is known.
    private(set) var isWritable = true
    /// Whether it waits in the queue of those to be served.
    var isQueued = false
    /// Whether a page of the journal is being read for it.
    var awaitsPage = false
    /// Since when it takes nothing though there is something, in monotonic milliseconds.
    private(set) var blockedSince: Int64?
    var nextHeartbeat: Int64
    /// The place in the list of those that hear of everything.
    var slot = -1
    /// Bytes that go before all events: head, heartbeats, places.
    private var notice: [UInt8]
    private var noticeSent = 0
    /// Bytes of the event behind `position` that were sent already.
    private var eventSent = 0
    private var inputLeft = StreamLimits.inputBytes
    private let place: StreamPlaces.Place

    init(key: UInt64, _ joining: JoiningReader, notice: [UInt8], nextHeartbeat: Int64) {
        self.key = key
        socket = joining.socket
        filter = joining.filter
        place = joining.place
        self.notice = joining.socket.head + notice
        position = joining.start.position
        knownPlace = position
        self.nextHeartbeat = nextHeartbeat
    }

    /// Whether it is between two events, with nothing left to send before the next.
    var isBetweenEvents: Bool { eventSent == 0 && noticeSent == notice.count }

    /// Whether a part of an event was sent, and the rest was not.
    var isWithinEvent: Bool { eventSent > 0 }

    /// Puts something behind what was sent. Only between events.
    func note(_ bytes: [UInt8]) {
        if noticeSent == notice.count {
            notice = bytes
            noticeSent = 0
        } else {
            notice += bytes
        }
    }

    /// Tells it a place, without an event.
    func tell(_ place: UInt64, _ bytes: [UInt8]) {
        note(bytes)
        knownPlace = place
    }

    /// Takes the socket into use for live events.
    ///
    /// - Parameter stallMilliseconds: after which the kernel, too, takes a client that confirms nothing for gone.
    func prepare(stallMilliseconds: Int64) {
        set(TCP_NODELAY, 1)
        set(TCP_NOTSENT_LOWAT, StreamLimits.unsentBytes)
        set(TCP_USER_TIMEOUT, Int32(clamping: stallMilliseconds))
    }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(socket.descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Notes that the kernel takes bytes again.
    func noteWritable() {
        isWritable = true
        blockedSince = nil
    }

    // MARK: Sending

    /// Sends what goes before the events.
    func sendNotice(now: Int64) -> Progress {
        guard noticeSent < notice.count else { return .sent }
        var budget = StreamLimits.bytesPerTurn
        let (count, progress) = send(notice, from: noticeSent, &budget, now)
        noticeSent += count
        if progress == .sent {
            // Nothing is kept of it while there are only events.
            notice = []
            noticeSent = 0
        }
        return progress
    }

    /// Sends what it has not had of some events; its position then moves on.
    ///
    /// - Parameters:
    ///   - run: events that it wants to hear of, with the one behind its position as the first that it has not had.
    ///   - through: what it has had when all of them are sent.
    func send(_ run: EventRun, through: UInt64, _ budget: inout Int, now: Int64) -> Progress {
        let first = run.index(after: position)
        let start = run.start(of: first) + eventSent
        let (count, progress) = send(run.bytes, from: start, &budget, now)
        let end = start + count
        var next = first
        while next < run.marks.count, run.marks[next].end <= end {
            position = run.marks[next].sequence
            // An event without text tells no place.
            if run.marks[next].end > run.start(of: next) { knownPlace = position }
            next += 1
        }
        eventSent = end - run.start(of: next)
        // So that the rest is found behind the position, whatever else the filter may let through by then.
        if eventSent > 0 { position = max(position, run.marks[next].sequence - 1) }
        if progress == .sent { position = max(position, through) }
        return progress
    }

    private func send(_ bytes: [UInt8], from start: Int, _ budget: inout Int, _ now: Int64) -> (Int, Progress) {
        var next = start
        while next < bytes.count {
            guard budget > 0 else { return (next - start, .paused) }
            let length = min(bytes.count - next, StreamLimits.bytesPerSend, budget)
            // Safety: `send` reads `length` bytes behind `next`, which the array has, before it returns.
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    socket.descriptor, bytes.baseAddress?.advanced(by: next), length, Int32(MSG_NOSIGNAL))
            }
            guard count >= 0 else {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { return (next - start, .gone) }
                isWritable = false
                blockedSince = blockedSince ?? now
                return (next - start, .blocked)
            }
            next += count
            budget -= count
            blockedSince = nil
        }
        return (next - start, .sent)
    }

    /// Reads and forgets what the client sends: there is nothing more that it could ask.
    ///
    /// - Returns: false when that is too much.
    func discardInput() -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while inputLeft > 0 {
                // Safety: `recv` writes at most the length of the buffer.
                let count = unsafe recv(socket.descriptor, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else { return true }
                inputLeft -= count
            }
            return false
        }
    }
}
