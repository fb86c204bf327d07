import Glibc
import MicroHTTP
import Threading

/// Bytes of which each place is known, so that a long body need not be kept to be compared.
enum Pattern {
    /// A prime number of bytes, so that no piece of a usual size repeats another.
    static let block: [UInt8] = {
        var seed: UInt32 = 1
        return (0..<65_521).map { _ in
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: seed >> 16)
        }
    }()

    /// The bytes from `start` on.
    static func bytes(_ count: Int, at start: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let place = (start + bytes.count) % block.count
            bytes += block[place..<min(block.count, place + count - bytes.count)]
        }
        return bytes
    }

    static func has(_ bytes: [UInt8], at start: Int) -> Bool {
        let expected = Pattern.bytes(bytes.count, at: start)
        return unsafe bytes.withUnsafeBytes { left in
            unsafe expected.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, bytes.count) == 0
            }
        }
    }
}

/// Waits for something that no lock announces.
func becomesTrue(_ condition: () -> Bool) -> Bool {
    let end = MonotonicClock.milliseconds() + 20_000
    while MonotonicClock.milliseconds() < end {
        if condition() { return true }
        sched_yield()
    }
    return false
}

/// A server with two routes that stream, and others beside them.
///
/// `/stream` answers with what `produce` writes on a thread of its own, `/later` does so out of a deferred answer, `/304`
/// with that status. `POST /upload` goes to a consumer made by `consume`. All else is answered at once.
final class StreamServer: Sendable {
    let server: HTTPServer
    private let threads: Locked<[Thread]>
    /// How many producers have been started.
    let started: Monitor<Int>

    init(
        receiveMilliseconds: Int = HTTPLimits.receiveMilliseconds, idleSeconds: Int = HTTPLimits.idleSeconds,
        consume: @escaping @Sendable () -> any BodyConsumer = { Tally() },
        produce: @escaping @Sendable (BodyStream) -> Void = { $0.finish() }
    ) throws {
        var configuration = HTTPServer.Configuration(hosts: ["127.0.0.1"], port: 0)
        configuration.receiveMilliseconds = receiveMilliseconds
        configuration.idleSeconds = idleSeconds
        let (threads, started) = (Locked<[Thread]>([]), Monitor(0))
        (self.threads, self.started) = (threads, started)
        @Sendable func streamed(_ status: Int) -> Response {
            Response(status: status, headers: [Header("Content-Type", "application/x-ndjson")]) { stream in
                let thread = Thread { produce(stream) }
                threads.withLock { $0.append(thread) }
                started.withLock { $0 += 1 }
                started.broadcast()
            }
        }
        server = try HTTPServer(
            configuration: configuration,
            application: Application(
                admit: { request in
                    text(request.uri) == "/upload" ? .stream(consume()) : .accept(maximumBody: 1000)
                },
                respond: { request in
                    switch text(request.uri) {
                    case "/stream": .now(streamed(200))
                    case "/later": .later { responder in responder.complete { streamed(200) } }
                    case "/304": .now(streamed(304))
                    default: .now(answer("other"))
                    }
                },
                refuse: { refusal in Response(status: 500, body: Array("\(refusal)".utf8)) }))
        server.start()
    }

    deinit { stop() }

    /// Stops the server, and waits until the producers have noticed.
    func stop(milliseconds: Int = 0) {
        server.stop(deadlineMilliseconds: milliseconds)
        let threads = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }

    func client(receiveBuffer: Int32 = 0) throws -> Client {
        guard let client = Client(port: server.port, receiveBuffer: receiveBuffer) else { throw NoConnection() }
        return client
    }

    /// A client that has been served and stays: libmicrohttpd likes to forget what it has closed behind an older one.
    func idleClient() throws -> Client {
        let client = try client()
        guard client.ask(get("/"))?.body == "other" else { throw NoConnection() }
        return client
    }

    /// Whether all connections but this one are closed.
    func closesAllBut(_ idle: Client) -> Bool {
        becomesTrue { server.statistics.openConnections == 1 } && idle.ask(get("/"))?.body == "other"
    }
}

/// What a producer has come to.
struct Produced {
    var written = 0
    /// The most that has waited to be sent.
    var peak = 0
    /// Whether a write was told that nobody reads.
    var isCancelled = false
}

/// A producer of so many bytes of the pattern.
func producer(of count: Int, _ produced: Monitor<Produced>) -> @Sendable (BodyStream) -> Void {
    { stream in
        var written = 0
        while written < count {
            let piece = Pattern.bytes(min(70_001, count - written), at: written)
            let goesOn = stream.write(piece)
            written += piece.count
            let (waiting, total) = (stream.waitingBytes, written)
            produced.withLock { produced in
                produced.written = total
                produced.peak = max(produced.peak, waiting)
                if !goesOn { produced.isCancelled = true }
            }
            produced.broadcast()
            if !goesOn { return }
        }
        stream.finish()
    }
}

extension Client {
    /// How a client leaves.
    enum Farewell: CaseIterable, Sendable { case close, reset, halfClose }

    /// Leaves, or gets ready to when the client is let go.
    func leave(_ how: Farewell) {
        switch how {
        case .close: break
        case .halfClose: shutdown(descriptor, Int32(SHUT_WR))
        case .reset:
            var now = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
    }

    /// Reads the next chunk of a body; an empty one is the last. Nil when the connection ends before it is whole.
    func chunk() -> [UInt8]? {
        var end = buffer.firstIndex(of: 10)
        while end == nil {
            guard fill() else { return nil }
            end = buffer.firstIndex(of: 10)
        }
        guard let end, let size = Int(text(Array(buffer[..<max(end - 1, 0)])), radix: 16) else { return nil }
        while buffer.count < end + 1 + size + 2 { guard fill() else { return nil } }
        let chunk = Array(buffer[(end + 1)...].prefix(size))
        buffer.removeFirst(end + 1 + size + 2)
        return chunk
    }

    /// Reads a chunked body of the pattern, to its end or to `limit`.
    ///
    /// - Returns: its length, and whether the last chunk came; nil if a byte is wrong.
    func patternInChunks(from start: Int = 0, limit: Int = .max, each: (Int) -> Void = { _ in }) -> (Int, Bool)? {
        var count = start
        while count < limit {
            guard let chunk = chunk() else { return (count, false) }
            if chunk.isEmpty { return (count, true) }
            guard Pattern.has(chunk, at: count) else { return nil }
            count += chunk.count
            each(count)
        }
        return (count, false)
    }

    /// Reads until the peer closes.
    func rest() -> [UInt8] {
        while fill() {}
        defer { buffer = [] }
        return buffer
    }
}

/// A consumer that counts, and does to the body what the test wants.
final class Tally: BodyConsumer {
    struct Seen {
        var bytes = 0
        var isRight = true
        var longestPiece = 0
        var waits = 0
        var resumptions: [Resumption] = []
        var finished = 0
        var cancelled = 0
        /// After so many bytes, and again after each as many more, it waits.
        var waitsEach = Int.max
        fileprivate var untilWait = 0
    }

    let seen: Monitor<Seen>
    private let resumer: OtherThread?
    private let answersAt: Int
    private let reply: @Sendable (Int) -> Reply

    /// - Parameter resumer: resumes at once; without it, the resumptions are kept for the test.
    /// - Parameter answersAt: after so many bytes, it answers 422.
    init(
        waitsEach: Int = .max, resumer: OtherThread? = nil, answersAt: Int = .max,
        reply: @escaping @Sendable (Int) -> Reply = { .now(answer("\($0)")) }
    ) {
        var seen = Seen()
        seen.waitsEach = waitsEach
        seen.untilWait = waitsEach
        self.seen = Monitor(seen)
        self.resumer = resumer
        self.answersAt = answersAt
        self.reply = reply
    }

    func consume(_ piece: [UInt8]) -> Intake {
        defer { seen.broadcast() }
        let (count, waits) = seen.withLock { seen in
            if !Pattern.has(piece, at: seen.bytes) { seen.isRight = false }
            seen.bytes += piece.count
            seen.longestPiece = max(seen.longestPiece, piece.count)
            seen.untilWait -= piece.count
            guard seen.untilWait <= 0 else { return (seen.bytes, false) }
            seen.untilWait = seen.waitsEach
            seen.waits += 1
            return (seen.bytes, true)
        }
        if count >= answersAt { return .answer(Response(status: 422, body: Array("enough".utf8))) }
        guard waits else { return .more }
        return .wait { [self] resumption in
            if let resumer { return resumer.run { resumption.resume() } }
            seen.withLock { $0.resumptions.append(resumption) }
            seen.broadcast()
        }
    }

    func finish(_ request: borrowing Request) -> Reply {
        seen.withLock { $0.finished += 1 }
        seen.broadcast()
        return reply(seen.withLock { $0.bytes })
    }

    func cancel() {
        seen.withLock { $0.cancelled += 1 }
        seen.broadcast()
    }

    var now: Seen { seen.withLock { $0 } }

    func becomes(_ condition: (Seen) -> Bool) -> Bool { seen.wait(until: condition, milliseconds: 20_000) }
}
