import Foundation
import Glibc
import Synchronization

/// How a stream has ended.
enum StreamEnd: Sendable, Equatable {
    /// The server has closed it, with all that it had sent.
    case closed
    /// The connection was broken off.
    case reset
}

/// The status and the headers that a stream begins with.
struct StreamHead: Sendable {
    let status: Int
    /// Names in small letters.
    let headers: [String: String]
}

/// A reader of `GET /v1/events` over a connection of its own.
final class EventStream: Sendable {
    let head: StreamHead
    /// What the first packet brought.
    let firstBytes: String
    private let reading: Mutex<Reading>

    private init(_ reading: consuming sending Reading, _ head: StreamHead, _ firstBytes: String) {
        self.head = head
        self.firstBytes = firstBytes
        self.reading = Mutex(reading)
    }

    /// Opens a stream and waits for its head; anything but 200 is a failure.
    ///
    /// - Parameters:
    ///   - query: of the target, with its question mark.
    ///   - place: what Last-Event-ID says.
    ///   - receiveBuffer: bytes that the system keeps until they are read.
    static func open(
        _ server: Server, _ query: String = "", after place: String? = nil, headers: [String: String] = [:],
        receiveBuffer: Int32? = nil
    ) async throws -> EventStream {
        let port = server.port
        return try await offPool {
            try open(
                port, streamRequest(query, after: place, headers: headers), receiveBuffer: receiveBuffer)
        }
    }

    private static func open(_ port: UInt16, _ request: WireRequest, receiveBuffer: Int32?) throws -> EventStream {
        let socket = try StreamSocket(port: port, receiveBuffer: receiveBuffer)
        socket.send(request.bytes)
        var (bytes, first) = ([UInt8](), [UInt8]())
        let deadline = Deadline.seconds(20)
        while true {
            try socket.wait(deadline, bytes)
            let end = socket.receive(into: &bytes)
            if first.isEmpty { first = bytes }
            if let (head, length) = try WireParser.streamHead(bytes) {
                guard head.status == 200 else { throw Failure("refused: \(String(decoding: bytes, as: UTF8.self))") }
                var parser = StreamParser()
                parser.append(bytes[length...])
                return EventStream(
                    Reading(socket: socket, parser: parser, end: end), head, String(decoding: first, as: UTF8.self))
            }
            if end != nil { throw Failure("closed without an answer: \(String(decoding: bytes, as: UTF8.self))") }
        }
    }

    /// The next block; nil when the stream has ended.
    func next(_ deadline: Deadline = .seconds(20)) async throws -> StreamBlock? {
        try await offPool { try self.reading.withLock { try $0.next(deadline) } }
    }

    /// The blocks up to the first that is what is looked for; it is the last of them.
    func blocks(
        _ deadline: Deadline = .seconds(20), until isFound: @escaping @Sendable (StreamBlock) throws -> Bool
    ) async throws -> [StreamBlock] {
        try await offPool {
            try self.reading.withLock { reading in
                var blocks: [StreamBlock] = []
                while let block = try reading.next(deadline) {
                    blocks.append(block)
                    if try isFound(block) { return blocks }
                }
                throw Failure("the stream ended before that, after \(blocks.suffix(3))")
            }
        }
    }

    /// The next so many events; blocks that are none are passed over.
    func events(_ count: Int, _ deadline: Deadline = .seconds(20)) async throws -> [LiveEvent] {
        try await offPool {
            try self.reading.withLock { reading in
                var events: [LiveEvent] = []
                while events.count < count { events.append(try reading.nextEvent(deadline)) }
                return events
            }
        }
    }

    /// All events up to the one of this sequence, which has to come.
    func events(through sequence: Int64?, _ deadline: Deadline = .seconds(30)) async throws -> [LiveEvent] {
        guard let sequence else { throw Failure("no sequence to wait for") }
        return try await offPool {
            try self.reading.withLock { reading in
                var events: [LiveEvent] = []
                repeat {
                    events.append(try reading.nextEvent(deadline))
                } while events[events.count - 1].sequence < sequence
                guard events[events.count - 1].sequence == sequence else {
                    throw Failure("event \(sequence) did not come, but \(events[events.count - 1])")
                }
                return events
            }
        }
    }

    /// Waits for the end; the blocks before it, how it was, and bytes of a block that was cut.
    func rest(
        _ deadline: Deadline = .seconds(30)
    ) async throws -> (blocks: [StreamBlock], end: StreamEnd, cut: String) {
        try await offPool {
            try self.reading.withLock { reading in
                var blocks: [StreamBlock] = []
                while let block = try reading.next(deadline) { blocks.append(block) }
                let cut = String(decoding: reading.parser.unread, as: UTF8.self)
                return (blocks, reading.end ?? .reset, cut)
            }
        }
    }

    /// The last place that the reader was given in what it has read.
    var place: String? { reading.withLock { $0.place?.description } }

    /// Closes the connection.
    func leave() { reading.withLock { $0.socket.leave() } }

    /// Breaks the connection off: the server's side is told by a reset.
    func vanish() { reading.withLock { $0.socket.vanish() } }

    /// What has come, and waits.
    private struct Reading {
        let socket: StreamSocket
        var parser: StreamParser
        var end: StreamEnd?
        var place: StreamPlace?

        mutating func next(_ deadline: Deadline) throws -> StreamBlock? {
            while true {
                if let block = parser.next() {
                    if let place = block.place { self.place = place }
                    return block
                }
                if end != nil { return nil }
                var more: [UInt8] = []
                try socket.wait(deadline, parser.unread)
                end = socket.receive(into: &more)
                parser.append(more)
            }
        }

        mutating func nextEvent(_ deadline: Deadline) throws -> LiveEvent {
            while let block = try next(deadline) {
                if let event = try LiveEvent(block) { return event }
            }
            throw Failure("the stream has ended, after \(place.map(\.description) ?? "nothing")")
        }
    }
}

/// A request for a stream, as an EventSource makes it.
func streamRequest(
    _ query: String = "", after place: String? = nil, method: String = "GET", headers: [String: String] = [:]
) -> WireRequest {
    var all = ["Accept": "text/event-stream"]
    if let place { all["Last-Event-ID"] = place }
    all.merge(headers) { _, own in own }
    return WireRequest(method, "/v1/events" + query, headers: all)
}
