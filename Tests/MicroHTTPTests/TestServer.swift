import MicroHTTP
import Threading

/// A started server with a small program behind it.
///
/// `/echo` answers with method, target and body; `/later` waits for `release`; `/never` waits for ever; `/thread` is
/// answered by another thread; `/refused` is turned away by the program on its headers; `/header` shows `X-Test`;
/// `/status/N` answers so.
final class TestServer: Sendable {
    let server: HTTPServer
    let held = Monitor<[Responder]>([])
    private let other = OtherThread()

    init(
        workers: Int = 1, hosts: [String] = ["localhost"], maximumBody: Int = 100_000, starts: Bool = true,
        receiveMilliseconds: Int = HTTPLimits.receiveMilliseconds
    ) throws {
        var configuration = HTTPServer.Configuration(hosts: hosts, port: 0, workers: workers)
        configuration.receiveMilliseconds = receiveMilliseconds
        let held = self.held
        let other = self.other
        server = try HTTPServer(
            configuration: configuration,
            application: Application(
                admit: { request in
                    text(request.uri) == "/refused"
                        ? .refuse(Response(status: 403, body: Array("no".utf8))) : .accept(maximumBody: maximumBody)
                },
                respond: { TestServer.reply($0, held, other) },
                refuse: { refusal in TestServer.response(to: refusal) }))
        if starts { server.start() }
    }

    deinit {
        server.stop(deadlineMilliseconds: 0)
        other.stop()
    }

    var port: UInt16 { server.port }

    func client(ipv6: Bool = false, seconds: Int = 10) throws -> Client {
        guard let client = Client(port: port, ipv6: ipv6, seconds: seconds) else { throw NoConnection() }
        return client
    }

    /// Waits until so many requests are held, then takes them.
    func takeHeld(_ count: Int) -> [Responder] {
        guard held.wait(until: { $0.count >= count }, milliseconds: 20_000) else { return [] }
        return held.withLock { list in
            defer { list = [] }
            return list
        }
    }

    private static func reply(_ request: borrowing Request, _ held: Monitor<[Responder]>, _ other: OtherThread) -> Reply
    {
        let target = text(request.uri)
        let echo = Response(
            status: 200, headers: [Header("Content-Type", "text/plain")],
            body: Array("\(request.method.name) \(target) ".utf8) + request.body)
        if target.hasPrefix("/later") || target == "/never" {
            return .later { responder in
                held.withLock { $0.append(responder) }
                held.broadcast()
            }
        }
        if target == "/thread" {
            return .later { responder in other.run { responder.complete { echo } } }
        }
        if target == "/header" {
            return .now(Response(status: 200, body: Array((request.header("X-Test") ?? "-").utf8)))
        }
        if target == "/large" { return .now(Response(status: 200, body: Array(repeating: 120, count: 3_000_000))) }
        if target.hasPrefix("/status/") {
            return .now(
                Response(
                    status: Int(target.dropFirst(8)) ?? 500, headers: [Header("ETag", "\"1\"")],
                    body: Array("entity".utf8)))
        }
        return .now(echo)
    }

    private static func response(to refusal: Refusal) -> Response {
        let (status, reason) =
            switch refusal {
            case .badRequest(let reason): (400, reason)
            case .bodyTooLarge(let limit): (413, "limit \(limit)")
            case .uriTooLong: (414, "")
            case .headTooLarge: (431, "")
            case .notImplemented: (501, "")
            case .expectationFailed: (417, "")
            case .tooBusy: (503, "busy")
            case .shuttingDown: (503, "stopping")
            }
        return Response(status: status, headers: [Header("X-Refused", "yes")], body: Array(reason.utf8))
    }
}

/// A thread that runs what it is given, in order.
final class OtherThread: Sendable {
    private let jobs = Monitor<[(@Sendable () -> Void)?]>([])
    private let thread: Thread

    init() {
        let jobs = self.jobs
        thread = Thread {
            while let job = jobs.wait(until: { !$0.isEmpty }, then: { $0.removeFirst() }) { job() }
        }
    }

    func run(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        jobs.signal()
    }

    /// Ends the thread, once, when it has run what it has.
    func stop() {
        jobs.withLock { $0.append(nil) }
        jobs.signal()
        thread.join()
    }
}

/// The server did not take a connection.
struct NoConnection: Error {}

/// Bytes as text.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A request without surprises.
func get(_ target: String, method: String = "GET", headers: String = "", body: String = "") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(headers)"
        + (body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n") + "\r\n\(body)"
}
