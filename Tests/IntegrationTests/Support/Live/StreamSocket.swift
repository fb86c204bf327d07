import Foundation
import Glibc
import Synchronization

/// A connection to the server that is read without waiting, or after a wait up to a deadline.
final class StreamSocket: Sendable {
    let descriptor: Int32
    private let isOpen = Mutex(true)

    /// - Parameters:
    ///   - receiveBuffer: bytes that the system keeps until they are read.
    ///   - source: the last number of the client's address 127.0.0.x.
    init(port: UInt16, receiveBuffer: Int32? = nil, from source: UInt8 = 1, overIPv6: Bool = false) throws {
        descriptor = socket(overIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        if var size = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if source != 1 { try Loopback.bind(descriptor, to: source) }
        guard Loopback.connect(descriptor, port: port, overIPv6: overIPv6) == 0 else {
            let reason = errno
            leave()
            throw Failure("no connection to port \(port): \(reason)")
        }
    }

    deinit { leave() }

    /// Sends a request, which is small enough to be taken at once.
    func send(_ bytes: [UInt8]) {
        unsafe _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Waits until there is something to receive; `before` is what the failure tells.
    func wait(_ deadline: Deadline, _ before: some Collection<UInt8>) throws {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, deadline.milliseconds) > 0 else {
            throw Failure("nothing comes any more, after \(String(decoding: before.suffix(300), as: UTF8.self))")
        }
    }

    /// Takes what is there; how the connection has ended, if it has.
    func receive(into bytes: inout [UInt8]) -> StreamEnd? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count])) }
            if count == 0 { return .closed }
            return count < 0 && errno != EAGAIN && errno != EINTR ? .reset : nil
        }
    }

    /// Closes the connection.
    func leave() {
        isOpen.withLock { isOpen in
            if isOpen { close(descriptor) }
            isOpen = false
        }
    }

    /// Closes the connection without a goodbye: what comes now is answered with a reset.
    func vanish() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        leave()
    }
}
