import Foundation
import Glibc

/// Sockets on the machine's own addresses, by the C interface.
enum Loopback {
    /// Connects a socket to 127.0.0.1 or ::1; 0, or -1 with `errno`.
    static func connect(_ descriptor: Int32, port: UInt16, overIPv6: Bool) -> Int32 {
        unsafe withAddress(port: port, overIPv6: overIPv6) { unsafe Glibc.connect(descriptor, $0, $1) }
    }

    /// Lets a socket that is not connected yet come from 127.0.0.x.
    static func bind(_ descriptor: Int32, to last: UInt8) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(last)).bigEndian
        let bound = unsafe call(with: &address) { unsafe Glibc.bind(descriptor, $0, $1) }
        guard bound == 0 else { throw Failure("cannot be 127.0.0.\(last): \(errno)") }
    }

    /// Whether this machine has ::1.
    static let hasIPv6: Bool = {
        guard let probe = try? Listener(overIPv6: true) else { return false }
        return probe.port > 0
    }()

    /// A socket that listens on a free port, and answers nobody.
    final class Listener {
        let port: UInt16
        private let descriptor: Int32

        init(overIPv6: Bool = false) throws {
            descriptor = socket(overIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
            let descriptor = descriptor
            let bound = unsafe Loopback.withAddress(port: 0, overIPv6: overIPv6) {
                unsafe Glibc.bind(descriptor, $0, $1)
            }
            guard bound == 0, listen(descriptor, 1) == 0 else {
                close(descriptor)
                throw Failure("cannot listen: \(errno)")
            }
            port = Loopback.port(of: descriptor)
        }

        deinit { close(descriptor) }
    }

    private static func withAddress(
        port: UInt16, overIPv6: Bool, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        if overIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return unsafe call(with: &address, body)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe call(with: &address, body)
    }

    private static func call<Address>(
        with address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        // The port stands at the same place in the addresses of both families.
        var bytes = [UInt8](repeating: 0, count: 28)
        var length = socklen_t(bytes.count)
        let known = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        return known == 0 ? UInt16(bytes[2]) << 8 | UInt16(bytes[3]) : 0
    }
}
