internal import Glibc

/// A listening TCP socket, closed when its last owner lets go.
final class ListenSocket: Sendable {
    let descriptor: Int32
    let address: ListenAddress

    /// Binds and listens.
    ///
    /// Each worker has a socket of its own on the same address, and the kernel deals the connections out
    /// (SO_REUSEPORT). That option alone would also let a second server in, so the first socket does without it until it
    /// listens: `bind` or `listen` of a second server's first socket then meets a listener it may not join, whatever
    /// the order of the two, while our own further sockets may.
    ///
    /// - Parameter isFirst: whether this is the first socket on the address.
    init(_ address: ListenAddress, port: UInt16, isFirst: Bool) throws(HTTPServerError) {
        let place = "\(address):\(port)"
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family.system, type, 0)
        guard descriptor >= 0 else { throw HTTPServerError(operation: "socket", place: place, code: errno) }
        self.descriptor = descriptor
        self.address = address
        setOption(SOL_SOCKET, SO_REUSEADDR)
        // Otherwise `::` would also take the IPv4 port that belongs to the socket beside it.
        if address.family == .ipv6 { setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
        if !isFirst { setOption(SOL_SOCKET, SO_REUSEPORT) }
        let bound = unsafe address.withSystemAddress(port: port) { unsafe bind(descriptor, $0, $1) }
        guard let bound else { throw .addressUnavailable(place) }
        guard bound == 0 else { throw HTTPServerError(operation: "bind", place: place, code: errno) }
        guard listen(descriptor, Int32(HTTPLimits.backlog)) == 0 else {
            throw HTTPServerError(operation: "listen", place: place, code: errno)
        }
        if isFirst { setOption(SOL_SOCKET, SO_REUSEPORT) }
    }

    deinit { close(descriptor) }

    /// The port the socket is bound to.
    var port: UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            // Safety: the storage is large and aligned enough for every kind of address.
            _ = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        // The port stands at the same place in both families, after the 16-bit family.
        return unsafe withUnsafeBytes(of: storage) { bytes in
            unsafe UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Whether a connection waits to be accepted.
    var hasWaitingConnection: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&item, 1, 0) > 0 && item.revents & Int16(POLLIN) != 0
    }

    /// What comes of an attempt to accept.
    enum Accepted {
        case client(Int32)
        /// Nobody waits.
        case none
        /// The system gives no descriptor for who waits.
        case noDescriptor
    }

    /// Accepts one that waits, as it is, and tells its address.
    func accept(_ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t) -> Accepted {
        while true {
            let accepted = unsafe Glibc.accept(descriptor, address, &length)
            if accepted >= 0 { return .client(accepted) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .noDescriptor
            default: return .none
            }
        }
    }

    /// Refuses new connections from now on; those in the backlog are reset.
    func refuseConnections() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func setOption(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
