internal import Glibc

/// A numeric address to listen on.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// The version of the protocol.
    package enum Family: Sendable, Equatable { case ipv4, ipv6 }

    /// The version of the protocol.
    package let family: Family
    /// The address in its usual form, such as `127.0.0.1` or `::1`, without brackets.
    package let host: String

    /// An address known to be numeric; `resolve` finds those of a name.
    package init(family: Family, host: String) {
        self.family = family
        self.host = host
    }

    /// The host as it stands in a URL.
    package var description: String { family == .ipv6 ? "[\(host)]" : host }

    /// The addresses a name or a literal stands for.
    ///
    /// `localhost` is the loopback address of both families, whatever the hosts file says.
    package static func resolve(_ host: String) throws(HTTPServerError) -> [ListenAddress] {
        if host == "localhost" {
            return [ListenAddress(family: .ipv4, host: "127.0.0.1"), ListenAddress(family: .ipv6, host: "::1")]
        }
        let found = lookUp(host)
        guard !found.isEmpty else { throw .unknownHost(host) }
        return found
    }

    private static func lookUp(_ host: String) -> [ListenAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: [ListenAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe ListenAddress(entry.pointee), !found.contains(address) { found.append(address) }
            unsafe next = unsafe entry.pointee.ai_next
        }
        return found
    }

    private init?(_ entry: addrinfo) {
        guard let family = unsafe Family(system: entry.ai_family) else { return nil }
        let length = Int(NI_MAXHOST)
        let name: String? = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { buffer in
            // Safety: `buffer` has room for `length` bytes, the end mark included.
            let status = unsafe getnameinfo(
                entry.ai_addr, entry.ai_addrlen, buffer.baseAddress, socklen_t(length), nil, 0, NI_NUMERICHOST)
            guard status == 0, let start = buffer.baseAddress else { return nil }
            return unsafe String(cString: start)
        }
        guard let name else { return nil }
        self.init(family: family, host: name)
    }
}

extension ListenAddress.Family {
    /// The family as the system numbers it.
    var system: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }

    fileprivate init?(system: Int32) {
        switch system {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }
}

extension ListenAddress {
    /// Runs `body` with the address and a port in the system's form.
    func withSystemAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = family.system
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
        defer { unsafe freeaddrinfo(list) }
        guard let entry = unsafe list?.pointee, let address = unsafe entry.ai_addr else { return nil }
        return unsafe body(address, entry.ai_addrlen)
    }
}
