internal import CMicroHTTPD
internal import Glibc

/// A libmicrohttpd daemon on one listening socket, driven from outside by one thread.
///
/// Never one with the library's own threads: those freeze when a single `epoll_wait` returns exactly 128 events.
@safe final class MHDDaemon {
    // Safety: `handle` is live from `init` to `stop`, and only the worker's thread touches the object in between.
    private var handle: OpaquePointer?
    private let socket: ListenSocket
    private let connectionLimit: Int
    /// Readable when the daemon has something to do.
    let epollDescriptor: Int32
    /// Connections that it has.
    private(set) var connections = 0
    /// Connections of it that have been closed, ever.
    private(set) var closings = 0

    /// Starts a daemon that hands `worker` to the callbacks; nil if the library cannot.
    ///
    /// - Parameter complaint: where the library leaves a 1 when the system gives it no descriptor for a client.
    init?(
        socket: ListenSocket, worker: UnsafeMutableRawPointer, complaint: UnsafeMutablePointer<UInt8>,
        connectionLimit: Int, idleSeconds: Int
    ) {
        // Without the second, it would say nothing to `complaint` either.
        let flags =
            MHD_USE_EPOLL.rawValue | MHD_USE_ERROR_LOG.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_TURBO.rawValue
        var options = unsafe MHDDaemon.options(socket, worker, connectionLimit, idleSeconds)
        guard let handle = unsafe mhd_shim_start(flags, handleRequest, worker, &options, complaint) else { return nil }
        unsafe self.handle = unsafe handle
        self.socket = socket
        self.connectionLimit = connectionLimit
        self.epollDescriptor = unsafe mhd_shim_epoll_descriptor(handle)
    }

    private static func options(
        _ socket: ListenSocket, _ worker: UnsafeMutableRawPointer, _ connectionLimit: Int, _ idleSeconds: Int
    ) -> [MHD_OptionItem] {
        func item(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) -> MHD_OptionItem {
            unsafe MHD_OptionItem(option: option, value: value, ptr_value: pointer)
        }
        // Safety: the library takes function pointers as integers and casts them back to these very types.
        return unsafe [
            item(.LISTEN_SOCKET, Int(socket.descriptor)),
            item(.CONNECTION_LIMIT, connectionLimit),
            item(.CONNECTION_TIMEOUT, idleSeconds),
            item(.CONNECTION_MEMORY_LIMIT, HTTPLimits.connectionMemory),
            // In 0.9.75 the test is inverted: -1 is what refuses "Content-Length : 3", a way to smuggle requests.
            item(.STRICT_FOR_CLIENT, -1),
            item(.SIGPIPE_HANDLED_BY_APP, 1),
            item(.UNESCAPE_CALLBACK, unsafeBitCast(leaveEscaped as UnescapeCallback, to: Int.self)),
            item(.URI_LOG_CALLBACK, unsafeBitCast(beginRequest as TargetCallback, to: Int.self), worker),
            item(.NOTIFY_COMPLETED, unsafeBitCast(endRequest as CompletedCallback, to: Int.self), worker),
            item(.NOTIFY_CONNECTION, unsafeBitCast(noteConnection as ConnectionCallback, to: Int.self), worker),
            item(.END, 0),
        ]
    }

    /// Milliseconds until the daemon wants to run without an event; nil if it has no such wish.
    var timeout: Int? {
        var milliseconds: UInt64 = 0
        guard unsafe MHD_get_timeout(handle, &milliseconds) == .YES else { return nil }
        return Int(min(milliseconds, 60_000))
    }

    /// Serves what is ready, without waiting.
    func run() { _ = unsafe MHD_run(handle) }

    /// Whether a connection is one of this daemon's.
    func owns(_ connection: OpaquePointer) -> Bool { unsafe mhd_shim_daemon(connection) == handle }

    /// One more connection is there.
    func opened() { connections += 1 }

    /// One of its connections is about to be closed.
    func closed() { (connections, closings) = (connections - 1, closings + 1) }

    /// Whether a client waits though the daemon may have one more.
    var keepsClientWaiting: Bool { connections < connectionLimit && socket.hasWaitingConnection }

    /// Takes in those that wait, as far as the daemon and the system go; whether that was all of them that the daemon may have.
    func acceptWaiting() -> Bool {
        while connections < connectionLimit {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            // Safety: the storage is large and aligned enough for every kind of address, and is copied by the library, which has
            // the socket not block, too.
            let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let accepted = unsafe socket.accept(address, &length)
                    if case .client(let descriptor) = accepted {
                        _ = unsafe MHD_add_connection(handle, descriptor, address, length)
                    }
                    return accepted
                }
            }
            switch outcome {
            case .client: continue
            case .none: return true
            case .noDescriptor: return false
            }
        }
        return true
    }

    /// Accepts what already waits, then makes the kernel refuse new connections. Open ones are served on.
    func quiesce() {
        for _ in 0..<HTTPLimits.backlogRounds where socket.hasWaitingConnection { run() }
        _ = unsafe MHD_quiesce_daemon(handle)
        socket.refuseConnections()
    }

    /// Cuts all connections. No request may be suspended: the library would abort the process.
    func stop() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        // Without this the library would close the listening socket itself, and we a second time.
        _ = unsafe MHD_quiesce_daemon(handle)
        unsafe MHD_stop_daemon(handle)
    }
}
