import EventStreams
import Glibc
import Threading

@testable import LikesCore
@testable import MicroHTTP

func news(_ id: String) -> NewsID { NewsID(stored: id) }
func user(_ id: String) -> UserID { UserID(stored: id) }

/// The like of a user, as an event.
func like(_ sequence: UInt64, _ user: String = "u", of news: String = "n") -> LikeEvent {
    LikeEvent(
        sequence: sequence, at: Timestamp(milliseconds: 0),
        change: .likeAdded(
            LikeChange(
                news: NewsID(stored: news), user: UserID(stored: user), likesCount: 1, numberOfGivenLikes: 1,
                firstTime: true)))
}

func likes(_ sequences: ClosedRange<UInt64>, of news: String = "n") -> [LikeEvent] {
    sequences.map { like($0, of: news) }
}

/// Events by their sequences, in words.
struct PlainFormat: EventFormat {
    func append(_ event: LikeEvent, to bytes: inout [UInt8]) {
        switch event.change {
        case .newsMergeStarted, .newsRemovalStarted, .likeRedated: break
        default: bytes += Array("[\(event.sequence)]".utf8)
        }
    }

    func appendPlace(_ sequence: UInt64, to bytes: inout [UInt8]) { bytes += Array("at\(sequence) ".utf8) }
    func appendReset(_ sequence: UInt64, to bytes: inout [UInt8]) { bytes += Array("reset\(sequence) ".utf8) }
    static let retry = Array("retry ".utf8)
    static let heartbeat = Array(":".utf8)
}

/// The same with kilobytes for each event, of a length of its own.
struct LongFormat: EventFormat {
    func append(_ event: LikeEvent, to bytes: inout [UInt8]) {
        let start = bytes.count
        PlainFormat().append(event, to: &bytes)
        guard bytes.count > start else { return }
        bytes.insert(contentsOf: Array(repeating: UInt8(ascii: "x"), count: 900 + 7 * Int(event.sequence)), at: start)
    }

    func appendPlace(_ sequence: UInt64, to bytes: inout [UInt8]) { PlainFormat().appendPlace(sequence, to: &bytes) }
    func appendReset(_ sequence: UInt64, to bytes: inout [UInt8]) { PlainFormat().appendReset(sequence, to: &bytes) }
    static let retry = PlainFormat.retry
    static let heartbeat = PlainFormat.heartbeat
}

/// A journal with these events, that fails or waits when a test says so.
final class ListJournal: Journal, Sendable {
    let epoch = Epoch(text: "0123456789abcdef")

    private struct State {
        var events: [LikeEvent]
        var failure: JournalError?
        var reads = 0
    }

    private let state: Locked<State>

    init(_ events: [LikeEvent] = []) { state = Locked(State(events: events)) }

    /// How often it was read.
    var reads: Int { state.withLock { $0.reads } }

    func fail(_ failure: JournalError?) { state.withLock { $0.failure = failure } }

    func dropEvents(through sequence: UInt64) { state.withLock { $0.events.removeAll { $0.sequence <= sequence } } }

    func events(after sequence: UInt64, limit: Int) throws(JournalError) -> [LikeEvent] {
        let (failure, events) = state.withLock { state in
            state.reads += 1
            return (state.failure, Array(state.events.drop { $0.sequence <= sequence }.prefix(limit)))
        }
        if let failure { throw failure }
        return events
    }

    func append(_ events: [LikeEvent]) { state.withLock { $0.events += events } }
    func keptEvents() -> ClosedRange<UInt64>? { nil }
    func replay(after sequence: UInt64, _ body: (LikeEvent) throws(JournalError) -> Void) {}
    func check() {}
    func dropEvents(through sequence: UInt64, limit: Int) -> Bool { false }
    func close() {}
}

/// Streams, and what they hear of.
final class House: Sendable {
    let journal: ListJournal
    let streams: EventStreams
    let bus = EventBus()
    private let last: Locked<UInt64>
    private let isStopped = Locked(false)

    /// - Parameter events: what has happened before, of sequences from 1.
    init(
        _ events: [LikeEvent] = [], _ settings: EventStreams.Settings = EventStreams.Settings(),
        format: any EventFormat = PlainFormat()
    ) throws {
        let last = Locked(UInt64(events.count))
        self.last = last
        journal = ListJournal(events)
        guard
            let streams = EventStreams(
                journal, position: { last.withLock { $0 } }, format: format, settings)
        else { throw NoDescriptors() }
        self.streams = streams
        streams.start(bus)
    }

    deinit { stop() }

    func stop() {
        if isStopped.withLock({ swap(&$0, to: true) }) { return }
        streams.stop()
    }

    /// Has these events happen.
    func tell(_ events: [LikeEvent]) {
        journal.append(events)
        guard let event = events.last else { return }
        last.withLock { $0 = event.sequence }
        bus.publish(FoldedBatch(events: events))
    }

    /// A reader that has come.
    func reader(_ start: StreamStart, _ filter: EventFilter = EventFilter()) throws -> TestReader {
        var ends: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0 else {
            throw NoDescriptors()
        }
        let place = try streams.places.take(ClientAddress(ipv4: 0x7F00_0001))
        streams.join(TakenSocket(descriptor: ends[0], head: Array("head ".utf8)), place, filter, from: start)
        return TestReader(ends[1])
    }
}

private func swap(_ value: inout Bool, to new: Bool) -> Bool {
    defer { value = new }
    return value
}

struct NoDescriptors: Error {}

/// The client's end of a stream.
final class TestReader: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Everything until a text has come; what has come if it does not.
    func read(until end: String) -> String {
        let end = Array(end.utf8)
        var hasEnded = false
        return read(ended: &hasEnded) { $0.suffix(end.count).elementsEqual(end) }
    }

    /// Everything until the stream ends; nil if it does not.
    func readToEnd() -> String? {
        var hasEnded = false
        let text = read(ended: &hasEnded) { _ in false }
        return hasEnded ? text : nil
    }

    private func read(ended: inout Bool, until isEnough: ([UInt8]) -> Bool) -> String {
        let deadline = MonotonicClock.milliseconds() + 20_000
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(bytes) {
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let patience = deadline - MonotonicClock.milliseconds()
            guard patience > 0, unsafe poll(&item, 1, Int32(patience)) > 0 else { break }
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                ended = count == 0
                break
            }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Waits until something holds; whether it does.
func becomesTrue(_ condition: () -> Bool) -> Bool {
    let end = MonotonicClock.milliseconds() + 20_000
    let nobody = Monitor(())
    while !condition() {
        guard MonotonicClock.milliseconds() < end else { return false }
        _ = nobody.wait(until: { _ in false }, milliseconds: 1)
    }
    return true
}

/// The text of events.
func text(_ sequences: ClosedRange<UInt64>) -> String { sequences.map { "[\($0)]" }.joined() }
