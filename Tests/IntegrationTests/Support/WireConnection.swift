import Foundation
import Glibc

/// A connection to a server over which exactly these bytes go. Its waits block, up to a deadline: use it in `offPool`.
final class WireConnection {
    private let descriptor: Int32
    /// What has come and belongs to no answer that was taken.
    private(set) var unread: [UInt8] = []
    private var isEnded = false

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        guard Loopback.connect(descriptor, port: port, overIPv6: false) == 0 else {
            throw Failure("no connection to port \(port): \(errno)")
        }
        var on: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
    }

    deinit { close(descriptor) }

    /// Sends all bytes, and receives meanwhile. A server that takes no more is no failure: it may have answered.
    func send(_ bytes: [UInt8], deadline: Deadline = .seconds()) throws {
        var sent = 0
        while sent < bytes.count {
            try wait(POLLIN | POLLOUT, deadline)
            receive()
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                return unsafe Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
            }
            if count > 0 { sent += count } else if errno != EAGAIN && errno != EINTR { return }
        }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Says that nothing more comes, and goes on listening.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Leaves without a goodbye: what comes now is answered with a reset.
    func leaveAbruptly() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// The next final answer; nil when the server closes the connection without one.
    func answer(toHead: Bool = false, deadline: Deadline = .seconds()) throws -> Answer? {
        while true {
            var parser = WireParser(unread)
            if let answer = try parser.next(to: toHead ? "HEAD" : "GET") {
                unread = parser.unread
                return answer
            }
            if isEnded { return nil }
            try wait(POLLIN, deadline)
            receive()
        }
    }

    /// Waits for `100 Continue`; whether it came.
    func continues(deadline: Deadline = .seconds()) throws -> Bool {
        let expected = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        while unread.count < expected.count, !isEnded {
            try wait(POLLIN, deadline)
            receive()
        }
        guard unread.starts(with: expected) else { return false }
        unread.removeFirst(expected.count)
        return true
    }

    /// Waits until the server closes the connection; what came before that and belongs to no answer that was taken.
    func rest(deadline: Deadline = .seconds()) throws -> String {
        while !isEnded {
            try wait(POLLIN, deadline)
            receive()
        }
        return String(decoding: unread, as: UTF8.self)
    }

    private func wait(_ events: Int32, _ deadline: Deadline) throws {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        guard unsafe poll(&entry, 1, deadline.milliseconds) > 0 else {
            throw Failure("nothing comes any more, after \(String(decoding: unread.suffix(200), as: UTF8.self))")
        }
    }

    /// Takes what is there.
    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { unread += buffer[..<count] }
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { isEnded = true }
    }
}
