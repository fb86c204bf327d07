import Foundation
import Glibc

/// Many keep-alive connections to a server in one thread, each sending its next request when its last is answered.
///
/// It blocks: call it in `offPool`.
struct WireClient {
    /// What a connection sends: the request of this number, or nil at the end.
    typealias Script = (Int) -> WireRequest?

    /// What happened on a connection.
    struct Log: Sendable {
        var exchanges: [WireExchange] = []
        /// What was sent and not answered when the server closed the connection.
        var unanswered: WireRequest?
    }

    private let connections: [Connection]

    /// Opens the connections, over IPv6 when asked to.
    init(port: UInt16, connections count: Int, overIPv6: Bool = false) throws {
        connections = try (0..<count).map { _ in try Connection(port: port, overIPv6: overIPv6) }
    }

    /// Runs one script on each connection until all are at their end, or closed by the server.
    ///
    /// `onAnswer` is told how many answers have come in all, right after each.
    func run(_ scripts: [Script], deadline: Deadline = .seconds(), onAnswer: (Int) throws -> Void = { _ in }) throws
        -> [Log]
    {
        var answers = 0
        for (connection, script) in zip(connections, scripts) { connection.begin(script) }
        while true {
            let busy = connections.filter(\.isBusy)
            if busy.isEmpty { break }
            var descriptors = busy.map(\.interest)
            let ready = unsafe poll(&descriptors, nfds_t(descriptors.count), deadline.milliseconds)
            guard ready > 0 || (ready < 0 && errno == EINTR) else {
                throw Failure("a stall: \(busy.count) connections wait, after \(answers) answers")
            }
            for (connection, descriptor) in zip(busy, descriptors) where descriptor.revents != 0 {
                guard try connection.progress() else { continue }
                answers += 1
                try onAnswer(answers)
            }
        }
        return connections.map(\.log)
    }

    /// Sends one request on a connection of its own.
    static func send(_ request: WireRequest, port: UInt16, overIPv6: Bool = false) async throws -> Answer {
        try await offPool {
            let logs = try WireClient(port: port, connections: 1, overIPv6: overIPv6)
                .run([{ $0 == 0 ? request : nil }])
            guard let exchange = logs[0].exchanges.first else {
                throw Failure("closed without an answer: \(String(decoding: request.bytes.prefix(200), as: UTF8.self))")
            }
            return exchange.answer
        }
    }

    /// Sends a request and closes the connection without waiting for the answer.
    static func sendAndLeave(_ request: WireRequest, port: UInt16) throws {
        try Connection(port: port, overIPv6: false).begin { $0 == 0 ? request : nil }
    }

    /// Sends these requests, one after the other, on one connection; fails when the server closes it before the end.
    static func send(_ requests: [WireRequest], port: UInt16) async throws -> [Answer] {
        try await offPool {
            let logs = try WireClient(port: port, connections: 1)
                .run([{ requests.indices.contains($0) ? requests[$0] : nil }])
            guard logs[0].exchanges.count == requests.count else { throw Failure("closed too early: \(logs[0])") }
            return logs[0].exchanges.map(\.answer)
        }
    }

    /// One connection, with what is on its way in both directions.
    private final class Connection {
        private let descriptor: Int32
        private var script: Script = { _ in nil }
        private var current: WireRequest?
        private var sent = 0
        private var parser = WireParser()
        private(set) var log = Log()

        init(port: UInt16, overIPv6: Bool) throws {
            descriptor = socket(overIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
            guard Loopback.connect(descriptor, port: port, overIPv6: overIPv6) == 0 else {
                throw Failure("no connection to port \(port): \(errno)")
            }
        }

        deinit { close(descriptor) }

        var isBusy: Bool { current != nil }

        var interest: pollfd {
            let unsent = sent < (current?.bytes.count ?? 0)
            return pollfd(fd: descriptor, events: Int16(unsent ? POLLIN | POLLOUT : POLLIN), revents: 0)
        }

        func begin(_ script: @escaping Script) {
            self.script = script
            log = Log()
            current = script(0)
            sent = 0
            write()
        }

        /// Sends and receives what is possible now; whether an answer came.
        func progress() throws -> Bool {
            write()
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return false }
            guard count > 0, let request = current else {
                log.unanswered = current
                current = nil
                return false
            }
            parser.append(buffer[..<count])
            guard let answer = try parser.next(to: request.method) else { return false }
            guard parser.isEmpty else { throw Failure("more bytes than the answer has, after \(answer)") }
            log.exchanges.append(WireExchange(request: request, answer: answer))
            current = script(log.exchanges.count)
            sent = 0
            write()
            return true
        }

        /// A failure to send is no end: the server may have answered before it closed.
        private func write() {
            guard let current, sent < current.bytes.count else { return }
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let count = unsafe current.bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
            }
            if count > 0 { sent += count } else if errno != EAGAIN { sent = current.bytes.count }
        }
    }
}
