internal import CLinux
internal import Glibc

/// The readers' sockets, as the kernel watches them: each change is told once.
@safe final class Poll {
    /// What has changed about a socket.
    struct Change {
        /// What it was added under.
        let key: UInt64
        private let events: UInt32

        fileprivate init(_ event: epoll_event) {
            key = unsafe event.data.u64
            unsafe events = event.events
        }

        /// It takes bytes again.
        var isWritable: Bool { events & EPOLLOUT.rawValue != 0 }
        /// The client has sent something, or says that it sends nothing more.
        var isReadable: Bool { events & EPOLLIN.rawValue != 0 }
        /// The client sends nothing more. It may be gone, or still listen.
        var hasEnded: Bool { events & EPOLLRDHUP.rawValue != 0 }
        /// The connection is broken.
        var isBroken: Bool { events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 }
    }

    private static let interest =
        EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue

    private let descriptor: Int32
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 256)

    /// - Parameter signal: wakes `wait`.
    /// - Returns: nil when the system gives no more descriptors.
    init?(wokenBy signal: Int32) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard control(EPOLL_CTL_ADD, signal, EPOLLIN.rawValue, Self.signalKey) else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static let signalKey = UInt64.max

    /// Watches a socket; false when the system cannot.
    func add(_ socket: Int32, key: UInt64) -> Bool { control(EPOLL_CTL_ADD, socket, Self.interest, key) }

    /// Watches it no more.
    func remove(_ socket: Int32) { _ = control(EPOLL_CTL_DEL, socket, 0, 0) }

    private func control(_ operation: Int32, _ socket: Int32, _ interest: UInt32, _ key: UInt64) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = interest
        unsafe event.data.u64 = key
        return unsafe epoll_ctl(descriptor, operation, socket, &event) == 0
    }

    /// Waits until something happens, for so many milliseconds at most; without end for -1.
    ///
    /// - Parameter body: called for each change of a socket.
    /// - Returns: whether the signal is raised.
    func wait(milliseconds: Int, _ body: (Change) -> Void) -> Bool {
        let count = unsafe epoll_wait(descriptor, &events, Int32(events.count), Int32(clamping: milliseconds))
        var isSignalled = false
        for place in 0..<Int(max(count, 0)) {
            let change = unsafe Change(events[place])
            if change.key == Self.signalKey { isSignalled = true } else { body(change) }
        }
        return isSignalled
    }
}
