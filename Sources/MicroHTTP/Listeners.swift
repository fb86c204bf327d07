/// The listening sockets of a server: one per worker and address, all on one port.
struct Listeners {
    let port: UInt16
    let addresses: [ListenAddress]
    /// One row per worker, in it one socket per address.
    let sockets: [[ListenSocket]]

    /// Binds every address of every host for every worker.
    ///
    /// Port 0 stands for a port that is free on all addresses: the first address picks one, and if another address
    /// does not have it free, the search starts again.
    static func open(hosts: [String], port: UInt16, workers: Int) throws(HTTPServerError) -> Listeners {
        let candidates = try Candidate.all(hosts)
        guard port == 0 else { return try Listeners(candidates, port: port, workers: workers) }
        for _ in 1..<HTTPLimits.freePortAttempts {
            do throws(HTTPServerError) {
                return try Listeners(candidates, port: 0, workers: workers)
            } catch .addressInUse {
                continue
            }
        }
        return try Listeners(candidates, port: 0, workers: workers)
    }

    private init(_ candidates: [Candidate], port: UInt16, workers: Int) throws(HTTPServerError) {
        var chosen = port
        var first: [ListenSocket] = []
        for candidate in candidates {
            do throws(HTTPServerError) {
                let socket = try ListenSocket(candidate.address, port: chosen, isFirst: true)
                chosen = socket.port
                first.append(socket)
            } catch .addressUnavailable where candidate.isOptional {
                continue
            }
        }
        guard !first.isEmpty else { throw .addressUnavailable(candidates.first.map { "\($0.address)" } ?? "at all") }
        var sockets = [first]
        for _ in 1..<max(workers, 1) {
            var row: [ListenSocket] = []
            for socket in first { row.append(try ListenSocket(socket.address, port: chosen, isFirst: false)) }
            sockets.append(row)
        }
        self.port = chosen
        self.addresses = first.map(\.address)
        self.sockets = sockets
    }

    /// An address to try.
    private struct Candidate {
        let address: ListenAddress
        /// Whether a machine without the address is fine: `localhost` where there is no IPv6.
        let isOptional: Bool

        static func all(_ hosts: [String]) throws(HTTPServerError) -> [Candidate] {
            var all: [Candidate] = []
            for host in hosts {
                for address in try ListenAddress.resolve(host) where !all.contains(where: { $0.address == address }) {
                    all.append(Candidate(address: address, isOptional: host == "localhost" && address.family == .ipv6))
                }
            }
            return all
        }
    }
}
