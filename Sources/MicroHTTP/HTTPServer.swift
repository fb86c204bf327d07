internal import CMicroHTTPD
internal import Glibc
internal import Synchronization
internal import Threading

/// An HTTP/1.1 server: a number of workers that share one port.
///
/// `init` binds and listens, `start` serves, `stop` ends it for good. A started server must be stopped.
package final class HTTPServer: Sendable {
    /// Where to listen, and with how many threads.
    package struct Configuration: Sendable {
        /// Names or addresses; `localhost` stands for both loopback addresses.
        package var hosts: [String]
        /// The port; 0 stands for one that is free on every address.
        package var port: UInt16
        /// The number of threads, 1...`HTTPLimits.workers`.
        package var workers: Int
        /// Milliseconds a client may take for a whole request, or for the next piece of a streamed body.
        package var receiveMilliseconds = HTTPLimits.receiveMilliseconds
        /// Seconds without a byte in either direction until a connection is closed.
        package var idleSeconds = HTTPLimits.idleSeconds
        /// How many connections there may be.
        package var descriptors = DescriptorBudget()

        /// A server on every address of `hosts`.
        package init(hosts: [String] = ["localhost"], port: UInt16, workers: Int = 1) {
            self.hosts = hosts
            self.port = port
            self.workers = workers
        }
    }

    /// Gauges of the moment, added up over the workers.
    package struct Statistics: Sendable {
        /// Connections that are open.
        package let openConnections: Int
        /// Requests that are suspended: for their answer, or for the program's end of a stream.
        package let inFlightRequests: Int
    }

    /// The port that is listened on, on every address.
    package let port: UInt16
    /// The addresses that are listened on.
    package let addresses: [ListenAddress]
    private let workers: [Worker]
    private let phase = Locked(Phase.ready)

    private enum Phase {
        case ready
        case running([Thread])
        case stopped
    }

    /// Binds every address and listens. Clients that connect before `start` wait.
    package init(configuration: Configuration, application: Application) throws(HTTPServerError) {
        signal(SIGPIPE, SIG_IGN)
        let count = min(max(configuration.workers, 1), HTTPLimits.workers)
        let listeners = try Listeners.open(hosts: configuration.hosts, port: configuration.port, workers: count)
        let budget = BodyBudget(limit: HTTPLimits.totalBodyBytes)
        let limit = configuration.descriptors.connections(ofEach: count * listeners.addresses.count)
        var workers: [Worker] = []
        for (number, sockets) in listeners.sockets.enumerated() {
            workers.append(
                try Worker(
                    number: number, sockets: sockets, application: application, budget: budget,
                    connectionLimit: limit, receiveMilliseconds: configuration.receiveMilliseconds,
                    idleSeconds: configuration.idleSeconds))
        }
        self.workers = workers
        port = listeners.port
        addresses = listeners.addresses
    }

    /// The server's addresses as URLs, such as `http://127.0.0.1:8080`.
    package var urls: [String] { addresses.map { "http://\($0):\(port)" } }

    /// The version of the library that speaks HTTP.
    package static var libraryVersion: String { unsafe MHD_get_version().map { unsafe String(cString: $0) } ?? "" }

    /// Gauges of the moment; cheap, and safe from any thread.
    package var statistics: Statistics {
        Statistics(
            openConnections: workers.reduce(0) { $0 + $1.openConnections.load(ordering: .relaxed) },
            inFlightRequests: workers.reduce(0) { $0 + $1.suspendedRequests.load(ordering: .relaxed) })
    }

    /// Lets the workers serve. Does nothing the second time, nor after `stop`.
    package func start() {
        phase.withLock { phase in
            guard case .ready = phase else { return }
            phase = .running(workers.map { worker in Thread { worker.run() } })
        }
    }

    /// Wakes each worker that has answers from `Responder.completeInBatch` waiting.
    package func wakeWorkers() {
        for worker in workers { worker.wakeIfNeeded() }
    }

    /// Stops serving, and returns when it is done.
    ///
    /// New connections are refused at once. Requests that have begun are answered, with `Connection: close`, until the
    /// deadline; those still suspended then are answered with `Refusal.shuttingDown`. A later answer is dropped. Streams
    /// that are not through at the deadline are cut, in either direction.
    ///
    /// - Parameter deadlineMilliseconds: how long answers may take from now.
    package func stop(deadlineMilliseconds: Int) {
        let before = phase.withLock { phase in
            defer { phase = .stopped }
            return phase
        }
        switch before {
        case .ready: for worker in workers { worker.close() }
        case .running(let threads):
            let deadline = MonotonicClock.milliseconds() + Int64(max(deadlineMilliseconds, 0))
            for worker in workers { worker.requestStop(deadline: deadline) }
            for thread in threads { thread.join() }
        case .stopped: break
        }
    }
}
