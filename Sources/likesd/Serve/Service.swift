internal import EventStreams
internal import LikesAPI
internal import LikesCore
internal import Logging
internal import Metrics
internal import MicroHTTP
internal import SnapshotFiles
internal import Threading

/// The service, wired by hand: journal, snapshots, mediator, audit, HTTP, brought up in this order and down in reverse.
final class Service {
    /// The part that all others belong to.
    let root = Coordinator("service")

    private let settings: ServeSettings
    private let log: Log
    private let bus = EventBus()
    private let mediatorMetrics = MediatorMetrics()
    private let snapshotMetrics = SnapshotMetrics()
    private let requestMetrics: RequestMetrics
    /// Filled as the parts come up. Nil for a service in memory only.
    private var store: DataStore?
    private var journal: (any Journal)?
    private var shared: SharedLikes?
    private var snapshotter: Snapshotter?
    private var streams: EventStreams?
    private let descriptors: DescriptorBudget
    private let auditor = Locked<Auditor?>(nil)
    private let mediator = Locked<LikesMediator?>(nil)
    private let server = Locked<HTTPServer?>(nil)
    private var rankings: Rankings?
    private var waits: SequenceWaits?
    private var stopDeadline = Int64.max

    /// Milliseconds that requests in hand have to be answered when the service stops; a container is killed after 10 s.
    private static let stopMilliseconds = 6_000

    /// Milliseconds that the whole stop may take, the last snapshot included.
    private static let wholeStopMilliseconds: Int64 = 9_000

    init(_ settings: ServeSettings, _ log: Log) {
        self.settings = settings
        self.log = log
        requestMetrics = RequestMetrics(workers: settings.workers)
        descriptors = DescriptorBudget(takenSockets: settings.streams.readers, workers: settings.workers)
        root.add(
            Coordinator("journal", onStart: { [unowned self] in try openJournal() }) { [unowned self] in
                journal?.close()
            })
        root.add(
            Coordinator("snapshots", onStart: { [unowned self] in startSnapshots() }) { [unowned self] in
                snapshotter?.stop(deadline: stopDeadline)
            })
        // Around the mediator, so that readers hear of the last events before their streams end.
        root.add(
            Coordinator("streams", onStart: { [unowned self] in try startStreams() }) { [unowned self] in
                streams?.stop()
            })
        root.add(
            Coordinator("mediator", onStart: { [unowned self] in startMediator() }) { [unowned self] in
                mediator.withLock { $0 }?.stop()
            })
        root.add(
            Coordinator("audit", onStart: { [unowned self] in startAuditor() }) { [unowned self] in
                auditor.withLock { $0 }?.stop()
            })
        root.add(
            Coordinator("http", onStart: { [unowned self] in try startServer() }) { [unowned self] in
                server.withLock { $0 }?.stop(deadlineMilliseconds: Self.stopMilliseconds)
            })
        // Behind HTTP, so that it stops first: who waits is answered while the connections are there.
        root.add(
            Coordinator("rankings", onStart: { [unowned self] in rankings?.start(bus) }) { [unowned self] in
                rankings?.stop()
            })
        root.add(
            Coordinator("waits", onStart: { [unowned self] in waits?.start(bus) }) { [unowned self] in
                waits?.stop()
            })
    }

    /// Descriptors that the system gives this process.
    var openFiles: Int { descriptors.limit }

    /// Where the service is reached.
    var urls: [String] { server.withLock { $0 }?.urls ?? [] }

    /// Brings everything down, in an orderly way and in bounded time.
    func stop() {
        stopDeadline = MonotonicClock.milliseconds() + Self.wholeStopMilliseconds
        root.stop()
    }

    private func openJournal() throws(Stop) {
        guard let folder = settings.dataFolder else {
            journal = MemoryJournal()
            shared = SharedLikes(LikesState())
            return
        }
        let start = MonotonicClock.milliseconds()
        let store = try DataStore(folder: folder)
        self.store = store
        journal = store.journal
        shared = store.shared
        for warning in store.warnings {
            log.write(.warning, "snapshot_unusable") { $0.add("reason", warning) }
        }
        let (restored, milliseconds) = (store.restored, MonotonicClock.milliseconds() - start)
        snapshotMetrics.restored(
            snapshot: restored.snapshot, replayed: restored.replayed, milliseconds: milliseconds)
        log.write(.info, "replayed") { fields in
            fields.add("sequence", restored.snapshot + restored.replayed)
            fields.add("snapshot", restored.snapshot)
            fields.add("replayed", restored.replayed)
            fields.add("milliseconds", milliseconds)
        }
    }

    private func startSnapshots() {
        snapshotter = store?.startSnapshots(
            bus, mediator: { [mediator] in mediator.withLock { $0 } },
            isSound: { [auditor] in auditor.withLock { $0 }?.status.isClean ?? true }
        ) { [log, snapshotMetrics] report in
            switch report {
            case .saved(let saved):
                snapshotMetrics.saved(saved.position)
                log.write(.info, "snapshot") { fields in
                    fields.add("sequence", saved.position)
                    fields.add("likes", saved.likes)
                    fields.add("milliseconds", saved.milliseconds)
                }
            case .failed(let reason):
                snapshotMetrics.failed()
                log.write(.error, "snapshot_failed") { $0.add("reason", reason) }
            }
        }
    }

    private func startStreams() throws(Stop) {
        guard let journal, let shared else { preconditionFailure("the journal comes first") }
        let reader = LikesReader(shared, epoch: journal.epoch)
        var settings = settings.streams
        if descriptors.takenSockets < settings.readers {
            settings.readers = descriptors.takenSockets
            log.write(.warning, "streams_limited") { fields in
                fields.add("streams", settings.readers)
                fields.add("reason", "the system allows too few open files")
            }
        }
        let streams = EventStreams(
            journal, position: { reader.position }, format: LikesAPI.eventFormat(journal.epoch), settings
        ) { [log] report in
            log.write(.warning, "streams") { fields in
                fields.add("open", report.open)
                fields.add("refused", report.refused)
                fields.add("cut", report.cut)
            }
        }
        guard let streams else { throw Stop(.unavailable, "the system gives no more descriptors") }
        do throws(JournalError) {
            try streams.readNewsEnds()
        } catch {
            // What is needed of the journal was read before, so this is no reason to stop.
            log.write(.error, "merges_unknown") { $0.add("reason", error.reason) }
        }
        streams.start(bus)
        self.streams = streams
    }

    private func startMediator() {
        guard let journal, let shared else { preconditionFailure("the journal comes first") }
        let mediator = LikesMediator(
            journal: journal, state: shared, bus: bus, createsUnknownNews: settings.createsUnknownNews,
            journalChanged: { [log] failure in Self.logJournal(failure, log) },
            dropFailed: { [log] reason in log.write(.error, "drop_failed") { $0.add("reason", reason) } },
            batchEnded: { [server] in server.withLock { $0 }?.wakeWorkers() })
        mediatorMetrics.start(bus)
        mediator.start()
        store?.dropOldEvents(mediator)
        self.mediator.withLock { $0 = mediator }
    }

    private func startAuditor() {
        guard let mediator = mediator.withLock({ $0 }), let shared else {
            preconditionFailure("the mediator comes first")
        }
        let auditor = Auditor(shared, mediator: mediator, keptEvents: store?.keptEvents) { [log] finding in
            log.write(.error, "drift") { fields in
                fields.add("place", finding.place)
                fields.add("detail", finding.detail)
            }
        }
        auditor.start()
        self.auditor.withLock { $0 = auditor }
    }

    /// Says that writes cannot be stored, and why, or that they can be again.
    private static func logJournal(_ failure: String?, _ log: Log) {
        guard let failure else { return log.write(.info, "journal_available") }
        log.write(.error, "journal_unavailable") { $0.add("reason", failure) }
    }

    /// Hears of every request: the metrics, and the log.
    private var observer: @Sendable (Observation, _ request: () -> Request) -> Void {
        let (metrics, log) = (requestMetrics, RequestLog(log, logsAccess: settings.logsAccess))
        return { observation, request in
            metrics.observe(observation, request)
            log.observe(observation, request)
        }
    }

    private func startServer() throws(Stop) {
        guard let mediator = mediator.withLock({ $0 }), let shared, let journal, let streams,
            let auditor = auditor.withLock({ $0 })
        else {
            preconditionFailure("the mediator comes first")
        }
        do throws(HTTPServerError) {
            let addresses = try ListenAddress.resolve(settings.host)
            let reader = LikesReader(shared, epoch: journal.epoch)
            let waits = SequenceWaits(reader)
            let rankings = Rankings(shared, mediator: mediator)
            (self.waits, self.rankings) = (waits, rankings)
            let page = MetricsPage(
                requests: requestMetrics, mediatorMetrics: mediatorMetrics,
                snapshots: store == nil ? nil : snapshotMetrics,
                mediator: mediator, reader: reader, auditor: auditor, streams: streams, log: log,
                server: { [server] in server.withLock { $0 } })
            let api = LikesAPI(
                mediator: mediator, reader: reader, auditor: auditor, readiness: Readiness(waits, rankings),
                streams: streams, halfLife: settings.halfLife, isLoopback: addresses.allSatisfy(\.isLoopback),
                crossOrigin: settings.crossOrigin, metrics: { page.text() })
            var configuration = HTTPServer.Configuration(
                hosts: [settings.host], port: settings.port, workers: settings.workers)
            configuration.descriptors = descriptors
            let server = try HTTPServer(
                configuration: configuration, application: api.application(observe: observer))
            self.server.withLock { $0 = server }
            server.start()
        } catch {
            throw Stop(.unavailable, "cannot listen: \(error)")
        }
    }
}

extension ListenAddress {
    /// Whether only this machine can reach it.
    fileprivate var isLoopback: Bool { family == .ipv4 ? host.hasPrefix("127.") : host == "::1" }
}

extension Stop {
    /// The end of a command that cannot use its journal.
    init(_ error: JournalError) {
        switch error {
        case .unavailable(let reason): self.init(.cannotCreate, reason)
        case .unusable(let reason): self.init(.badStorage, "the data cannot be used: \(reason)")
        case .inUse(let reason): self.init(.inUse, reason)
        }
    }
}
