internal import CMicroHTTPD
internal import Glibc
internal import Synchronization
internal import Threading

/// One thread's share of the server: a daemon per listening socket, and the loop that drives them.
///
/// The loop waits on each daemon's epoll descriptor and on one eventfd, by which other threads wake it.
@safe final class Worker: @unchecked Sendable {
    // Safety: other threads touch only `outbox`, the two gauges, `wakeup` and the other constants; everything else belongs to
    // the thread that runs `run`, or before it has started and instead of it, to the server's owner. `complaint` is there as
    // long as the object.

    let application: Application
    /// From 0.
    let number: Int
    let budget: BodyBudget
    let openConnections = Atomic<Int>(0)
    let suspendedRequests = Atomic<Int>(0)

    /// Whether answers carry `Connection: close`.
    private(set) var isStopping = false
    /// Whether the deadline is over: nothing is suspended any more.
    private(set) var isAbandoning = false
    /// Exchanges whose headers have been seen and that are not over.
    var activeExchanges = 0
    /// Calls about a request, or a piece of one or of its answer, ever.
    var calls = 0
    var lingering = LingeringSockets()
    /// The time of this turn of the loop, in monotonic milliseconds.
    private(set) var now = MonotonicClock.milliseconds()

    private let outbox = Locked(Outbox())
    private let wakeup: WakeSignal
    private var daemons: [MHDDaemon] = []
    private var connections = ConnectionList()
    private var spinWatch = SpinWatch()
    private var starved = StarvedDaemons()
    /// Where the daemons leave a 1 when the library says that it could not accept.
    private let complaint: UnsafeMutablePointer<UInt8>
    /// Whether a connection has been resumed, or closed, since all daemons have run.
    private var hasChanged = false
    /// When all daemons have to run again, whoever has events.
    private var nextFullTurn: Int64 = 0
    /// Whether a daemon did not want to wait before this turn.
    private var isHurried = false
    private let receiveMilliseconds: Int64
    private var suspended: [Exchange] = []
    private var batch: [Exchange] = []
    private var streamBatch: [Resumption] = []
    /// What the loop waits on: the eventfd and the daemons, and behind them the lingering connections.
    private var items: [pollfd] = []
    private var deadline = Int64.max

    init(
        number: Int, sockets: [ListenSocket], application: Application, budget: BodyBudget, connectionLimit: Int,
        receiveMilliseconds: Int, idleSeconds: Int
    ) throws(HTTPServerError) {
        self.application = application
        self.number = number
        self.receiveMilliseconds = Int64(receiveMilliseconds)
        self.budget = budget
        guard let wakeup = WakeSignal() else { throw .system(operation: "eventfd", code: errno) }
        self.wakeup = wakeup
        unsafe complaint = .allocate(capacity: 1)
        unsafe complaint.initialize(to: 0)
        // Safety: the daemons are stopped in `close` or `deinit`, so the pointer to self outlives their use of it.
        let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
        for socket in sockets {
            let daemon = unsafe MHDDaemon(
                socket: socket, worker: pointer, complaint: complaint, connectionLimit: connectionLimit,
                idleSeconds: idleSeconds)
            guard let daemon else { throw .system(operation: "MHD_start_daemon", code: errno) }
            daemons.append(daemon)
        }
        items = ([wakeup.descriptor] + daemons.map(\.epollDescriptor)).map(Worker.item)
    }

    deinit {
        for daemon in daemons { daemon.stop() }
        unsafe complaint.deallocate()
    }

    // MARK: called by other threads

    /// Files an answer; the worker sends it when it is woken or looks by itself.
    func complete(_ exchange: Exchange, _ render: @escaping @Sendable () -> Response) {
        outbox.withLock { $0.complete(exchange, render) }
    }

    /// Files that a stream can go on.
    func resume(_ stream: Resumption) { outbox.withLock { $0.resume(stream) } }

    /// Wakes the loop if there is something for it that it has not been woken for.
    func wakeIfNeeded() {
        if outbox.withLock({ $0.takeWake() }) { wakeup.raise() }
    }

    /// Asks the loop to end by `deadline`, in monotonic milliseconds.
    func requestStop(deadline: Int64) {
        outbox.withLock { $0.stop(deadline: deadline) }
        wakeIfNeeded()
    }

    // MARK: the loop

    /// Serves until it is asked to stop and has stopped.
    func run() {
        repeat {
            wait()
            now = MonotonicClock.milliseconds()
            resumeCompleted()
            runDaemons()
            if !isStopping { feedStarved() }
            lingering.run(now: now)
            connections.cutLate(now: now, limit: receiveMilliseconds)
        } while !isStopping || !isDrained()
        close()
    }

    private func runDaemons() {
        let callsBefore = calls
        let all = mustRunAll()
        for (index, daemon) in daemons.enumerated() where all || items[index + 1].revents != 0 { daemon.run() }
        if spinWatch.maySpin(isIdle: isHurried && calls == callsBefore, now: now) {
            StuckSearch(worker: self, daemons: daemons).run(among: connections.withRestingChunks(now: now))
        }
    }

    /// Whether daemons without an event have to run, too.
    ///
    /// Each would ask the kernel for events once more, and most servers have two, for IPv4 and IPv6. But the library does not
    /// say that it has connections to resume, and not always that one is late; and one that was full listens again only in
    /// the run after a connection was closed.
    private func mustRunAll() -> Bool {
        let isQuiet = items[...daemons.count].allSatisfy { $0.revents == 0 }
        guard isQuiet || hasChanged || isHurried || isStopping || now >= nextFullTurn else { return false }
        hasChanged = false
        nextFullTurn = now + HTTPLimits.fullTurnMilliseconds
        return true
    }

    /// Waits for an event on a daemon, on a lingering connection or from another thread.
    private func wait() {
        let fixed = daemons.count + 1
        if items.count > fixed { items.removeSubrange(fixed...) }
        if !lingering.isEmpty { items += lingering.items }
        let timeout = Int32(timeout())
        if starved.isEmpty {
            unsafe poll(&items, nfds_t(items.count), timeout)
        } else {
            waitWithoutPaused(timeout)
        }
        if items[0].revents != 0 { wakeup.lower() }
    }

    private func waitWithoutPaused(_ timeout: Int32) {
        for (index, daemon) in daemons.enumerated() where starved.isPaused(daemon) { items[index + 1].fd = -1 }
        unsafe poll(&items, nfds_t(items.count), timeout)
        for (index, daemon) in daemons.enumerated() { items[index + 1].fd = daemon.epollDescriptor }
    }

    /// Looks after clients for which the system gives no descriptor.
    private func feedStarved() {
        if unsafe complaint.pointee != 0 {
            unsafe complaint.pointee = 0
            starved.note(daemons, now: now)
        }
        if starved.run(now: now) { hasChanged = true }
    }

    private static func item(_ descriptor: Int32) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// Milliseconds the loop may sleep; -1 without end.
    private func timeout() -> Int {
        var shortest = Int.max
        for daemon in daemons { shortest = min(shortest, daemon.timeout ?? .max) }
        isHurried = shortest == 0
        if hasChanged { return 0 }
        shortest = min(shortest, lingering.timeout(now: now) ?? .max, connections.timeout(now: now) ?? .max)
        shortest = min(shortest, starved.timeout(now: now) ?? .max)
        if isStopping { shortest = min(shortest, Int(max(deadline - now, 0))) }
        return shortest == .max ? -1 : shortest
    }

    /// Takes in what other threads have done: answers, and streams that can go on.
    private func resumeCompleted() {
        let stopDeadline = outbox.withLock { box in
            box.take(answers: &batch, streams: &streamBatch)
            return box.stopDeadline
        }
        for exchange in batch { resume(exchange) }
        batch.removeAll(keepingCapacity: true)
        // A number that is not the present one belongs to a suspension that is over.
        for stream in streamBatch where stream.exchange.isParked && stream.exchange.parkings == stream.number {
            resume(stream.exchange)
        }
        streamBatch.removeAll(keepingCapacity: true)
        if let stopDeadline, !isStopping { beginStop(stopDeadline) }
    }

    private func resume(_ exchange: Exchange) {
        let last = suspended.removeLast()
        if last !== exchange {
            suspended[exchange.slot] = last
            last.slot = exchange.slot
        }
        suspendedRequests.store(suspended.count, ordering: .relaxed)
        hasChanged = true
        exchange.resume()
    }

    // MARK: called by the exchanges, on the loop

    /// Remembers an exchange that waits for its answer, or for the other end of its stream.
    func suspended(_ exchange: Exchange) {
        exchange.slot = suspended.count
        suspended.append(exchange)
        suspendedRequests.store(suspended.count, ordering: .relaxed)
    }

    /// Remembers a connection that has been accepted.
    func opened(_ handle: OpaquePointer) -> Connection {
        defer { openConnections.store(connections.count, ordering: .relaxed) }
        let daemon = daemons.first { unsafe $0.owns(handle) }
        daemon?.opened()
        return unsafe connections.add(handle, of: daemon, now: now)
    }

    /// Forgets a connection that is about to be closed.
    func closed(_ connection: Connection) {
        connections.remove(connection)
        connection.daemon?.closed()
        hasChanged = true
        openConnections.store(connections.count, ordering: .relaxed)
    }

    // MARK: the end

    private func beginStop(_ stopDeadline: Int64) {
        for daemon in daemons { daemon.quiesce() }
        starved = StarvedDaemons()
        isStopping = true
        deadline = stopDeadline
    }

    /// Whether every request is answered, and every last answer has left; at the deadline, answers what still waits, cuts
    /// the streams, and says yes a moment later.
    private func isDrained() -> Bool {
        if activeExchanges == 0 && !lingering.isSending { return true }
        guard now >= deadline else { return false }
        if isAbandoning { return suspended.isEmpty }
        isAbandoning = true
        deadline = now + HTTPLimits.stopGraceMilliseconds
        // Those completed in this very moment are in the outbox and are resumed in the next turn.
        let parked = suspended.filter(\.isParked)
        let waiting = suspended.filter { !$0.isParked }
        for exchange in parked + outbox.withLock({ $0.abandon(waiting) }) { resume(exchange) }
        return false
    }

    /// Cuts what is left. Nothing is suspended any more.
    func close() {
        for daemon in daemons { daemon.stop() }
        daemons = []
        lingering.closeAll()
        outbox.withLock { $0.close() }
    }
}
