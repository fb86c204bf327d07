internal import Glibc

/// The open connections of a worker.
///
/// libmicrohttpd's own timeout begins anew with every byte, so a client that sends one now and then could keep its
/// connection for ever. Here a whole request has to arrive in time.
struct ConnectionList {
    private var connections: [Connection] = []
    private var nextLook: Int64 = 0

    var count: Int { connections.count }

    /// Takes a new connection in.
    mutating func add(_ handle: OpaquePointer, of daemon: MHDDaemon?, now: Int64) -> Connection {
        let connection = unsafe Connection(handle, of: daemon, owingSince: now, slot: connections.count)
        connections.append(connection)
        return connection
    }

    /// Forgets a connection that is about to be closed.
    mutating func remove(_ connection: Connection) {
        connection.close()
        let last = connections.removeLast()
        guard last !== connection else { return }
        connections[connection.slot] = last
        last.slot = connection.slot
    }

    /// Milliseconds until somebody has to look again; nil if there is no connection.
    func timeout(now: Int64) -> Int? { connections.isEmpty ? nil : Int(max(nextLook - now, 0)) }

    /// The connections on which a body in chunks has not gone on for a while.
    func withRestingChunks(now: Int64) -> [Connection] {
        connections.filter { $0.chunkSince.map { now - $0 >= HTTPLimits.stallMilliseconds } ?? false }
    }

    /// Cuts the connections whose request is late. The library then notices and closes them.
    ///
    /// Looks a few times per limit, not at every call: it goes through all connections.
    mutating func cutLate(now: Int64, limit: Int64) {
        guard now >= nextLook else { return }
        nextLook = now + max(limit / 8, 1)
        for connection in connections {
            guard let since = connection.owingSince, now - since > limit else { continue }
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
            connection.owingSince = nil
        }
    }
}
