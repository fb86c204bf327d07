internal import JSONText
internal import JournalSQLite
internal import LikesAPI
internal import LikesCore
internal import MicroHTTP
internal import Threading

/// The service, wired by hand: journal, mediator, audit, HTTP, brought up in this order and down in reverse.
final class Service {
    /// The part that all others belong to.
    let root = Coordinator("service")

    private let settings: ServeSettings
    private let bus = EventBus()
    /// Filled as the parts come up.
    private var journal: (any Journal)?
    private var mediator: LikesMediator?
    private var auditor: Auditor?
    private let server = Locked<HTTPServer?>(nil)

    /// Milliseconds that requests in hand have to be answered when the service stops; a container is killed after 10 s.
    private static let stopMilliseconds = 6_000

    init(_ settings: ServeSettings) {
        self.settings = settings
        root.add(
            Coordinator("journal", onStart: { [unowned self] in try openJournal() }) { [unowned self] in
                journal?.close()
            })
        root.add(
            Coordinator("mediator", onStart: { [unowned self] in try startMediator() }) { [unowned self] in
                mediator?.stop()
            })
        root.add(
            Coordinator("audit", onStart: { [unowned self] in startAuditor() }) { [unowned self] in
                auditor?.stop()
            })
        root.add(
            Coordinator("http", onStart: { [unowned self] in try startServer() }) { [unowned self] in
                server.withLock { $0 }?.stop(deadlineMilliseconds: Self.stopMilliseconds)
            })
    }

    /// Where the service is reached.
    var urls: [String] { server.withLock { $0 }?.urls ?? [] }

    private var shared: SharedLikes?

    private func openJournal() throws(Stop) {
        guard let folder = settings.dataFolder else {
            journal = MemoryJournal()
            return
        }
        do throws(JournalError) { journal = try SQLiteJournal(folder: folder) } catch { throw Stop(error) }
    }

    private func startMediator() throws(Stop) {
        guard let journal else { preconditionFailure("the journal comes first") }
        let shared: SharedLikes
        do throws(JournalError) { shared = try replay(journal) } catch { throw Stop(error) }
        let position = LikesReader(shared, epoch: journal.epoch).position
        Log.entry(.info, "replayed") { json in
            json.member("sequence", position)
        }
        self.shared = shared
        let mediator = LikesMediator(
            journal: journal, state: shared, bus: bus, createsUnknownNews: settings.createsUnknownNews,
            journalChanged: Self.logJournal,
            batchEnded: { [server] in server.withLock { $0 }?.wakeWorkers() })
        mediator.start()
        self.mediator = mediator
    }

    private func startAuditor() {
        guard let mediator, let shared else { preconditionFailure("the mediator comes first") }
        let auditor = Auditor(shared, mediator: mediator) { finding in
            Log.entry(.error, "drift") { json in
                json.member("place", finding.place)
                json.member("detail", finding.detail)
            }
        }
        auditor.start()
        self.auditor = auditor
    }

    /// Says that writes cannot be stored, and why, or that they can be again.
    private static func logJournal(_ failure: String?) {
        guard let failure else { return Log.entry(.info, "journal_available") }
        Log.entry(.error, "journal_unavailable") { json in
            json.member("reason", failure)
        }
    }

    private func startServer() throws(Stop) {
        guard let mediator, let shared, let journal, let auditor else {
            preconditionFailure("the mediator comes first")
        }
        do throws(HTTPServerError) {
            let addresses = try ListenAddress.resolve(settings.host)
            let api = LikesAPI(
                mediator: mediator, reader: LikesReader(shared, epoch: journal.epoch), auditor: auditor,
                isLoopback: addresses.allSatisfy(\.isLoopback))
            let server = try HTTPServer(
                configuration: .init(hosts: [settings.host], port: settings.port, workers: settings.workers),
                application: api.application)
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
