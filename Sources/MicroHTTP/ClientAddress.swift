internal import Glibc

/// Who is at the other end of a connection, as far as limits go: an IPv4 address, or the first 64 bits of an IPv6 address.
///
/// A household, or a rented server, has the whole rest of an IPv6 address to itself.
package struct ClientAddress: Sendable, Hashable {
    private let network: UInt64
    private let isIPv4: Bool

    /// Whether it is this machine.
    package let isLoopback: Bool

    private init(network: UInt64, isIPv4: Bool, isLoopback: Bool) {
        self.network = network
        self.isIPv4 = isIPv4
        self.isLoopback = isLoopback
    }

    /// The address as people write it; of an IPv6 address, its network.
    package var text: String {
        if isIPv4 { return [24, 16, 8, 0].map { String(network >> $0 & 0xFF) }.joined(separator: ".") }
        if isLoopback { return "::1" }
        return [48, 32, 16, 0].map { String(network >> $0 & 0xFFFF, radix: 16) }.joined(separator: ":") + "::/64"
    }

    /// An address of four bytes.
    package init(ipv4 address: UInt32) {
        self.init(network: UInt64(address), isIPv4: true, isLoopback: address >> 24 == 127)
    }

    /// An address of sixteen bytes, in two halves. One that stands for an IPv4 address is that.
    package init(ipv6 high: UInt64, _ low: UInt64) {
        if high == 0, low >> 32 == 0xFFFF {
            self.init(ipv4: UInt32(truncatingIfNeeded: low))
        } else {
            self.init(network: high, isIPv4: false, isLoopback: high == 0 && low == 1)
        }
    }

    /// The other end of a socket; nil when it is there no more.
    init?(of descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found: ClientAddress? = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            // Safety: `getpeername` writes at most the length of the storage, which is larger than any address, in the form
            // that its family says.
            let address = unsafe UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self)
            guard unsafe getpeername(descriptor, address, &length) == 0 else { return nil }
            return unsafe ClientAddress(UnsafeRawPointer(storage), family: Int32(address.pointee.sa_family))
        }
        guard let found else { return nil }
        self = found
    }

    private init?(_ storage: UnsafeRawPointer, family: Int32) {
        switch family {
        case AF_INET:
            let address = unsafe storage.load(as: sockaddr_in.self)
            self.init(ipv4: UInt32(bigEndian: address.sin_addr.s_addr))
        case AF_INET6:
            let address = unsafe storage.load(as: sockaddr_in6.self)
            let (high, low) = unsafe withUnsafeBytes(of: address.sin6_addr) { bytes in
                unsafe (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            self.init(ipv6: UInt64(bigEndian: high), UInt64(bigEndian: low))
        default: return nil
        }
    }
}
