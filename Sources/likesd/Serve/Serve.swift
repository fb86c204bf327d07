internal import EventStreams
internal import Glibc
internal import LikesAPI
internal import LikesCore
internal import Logging
internal import MicroHTTP

/// The command `serve`: runs the service until a signal ends it.
func serve(_ settings: Settings) throws(Stop) -> ExitStatus {
    // Before any thread starts, so that every thread inherits the mask and only this one takes the signals.
    let signals = TerminationSignals.block()
    let serveSettings = ServeSettings(settings)
    let log = Log(
        serveSettings.logFormat, to: STDERR_FILENO, isForJournal: Log.isJournal(STDERR_FILENO),
        timeText: { Timestamp(milliseconds: $0).rfc3339 })
    guard log.start() else { throw Stop(.unavailable, "the system gives no more threads") }
    defer { log.close() }
    let service = Service(serveSettings, log)
    do {
        try service.root.start()
    } catch let stop as Stop {
        throw stop
    } catch {
        throw Stop(.failure, "\(error)")
    }
    log.write(.info, "configuration") { fields in
        for (name, value) in settings.effective {
            fields.add(name, name == "workers" ? String(serveSettings.workers) : value)
        }
        fields.add("openFiles", service.openFiles)
    }
    log.write(.info, "listening") { fields in
        fields.add("url", service.urls.first ?? "")
        fields.add("urls", service.urls)
    }
    let signal = signals.wait()
    log.write(.info, "stopping") { $0.add("signal", signal) }
    service.stop()
    log.write(.info, "stopped")
    return .success
}

/// What `serve` was asked for.
struct ServeSettings {
    let host: String
    let port: UInt16
    /// Nil for a service in memory only.
    let dataFolder: String?
    let workers: Int
    let createsUnknownNews: Bool
    /// Of the order `trending` of the feed.
    let halfLife: HalfLife
    /// Nil when no other web pages may call.
    let crossOrigin: CrossOrigin?
    /// Of live updates.
    let streams: EventStreams.Settings
    let logFormat: LogFormat
    /// Whether each request is logged.
    let logsAccess: Bool

    init(_ settings: Settings) {
        host = settings.text("host")
        port = UInt16(settings.number("port"))
        workers = settings.optionalNumber("workers") ?? Self.cores
        createsUnknownNews = settings.isSet("create-unknown-news")
        halfLife = HalfLife(milliseconds: settings.milliseconds("trending-half-life"))
        let origins = settings.origins("cors-origin")
        crossOrigin = origins.isEmpty ? nil : CrossOrigin(origins)
        streams = Self.streams(settings)
        dataFolder = settings.isSet("in-memory") ? nil : settings.text("data")
        logFormat = settings.choice("log-format")
        logsAccess = settings.isSet("access-log")
    }

    private static func streams(_ settings: Settings) -> EventStreams.Settings {
        var streams = EventStreams.Settings()
        streams.readers = settings.number("max-streams")
        streams.readersPerAddress = settings.optionalNumber("max-streams-per-address")
        streams.heartbeatMilliseconds = settings.milliseconds("stream-heartbeat")
        streams.stallMilliseconds = settings.milliseconds("stream-stall")
        return streams
    }

    private static var cores: Int { min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), HTTPLimits.workers) }
}

/// The signals that end the service: SIGTERM and SIGINT.
struct TerminationSignals {
    private var set = sigset_t()

    /// Keeps the signals from being delivered to this thread and all that it starts from now on.
    static func block() -> TerminationSignals {
        var signals = TerminationSignals()
        unsafe sigemptyset(&signals.set)
        unsafe sigaddset(&signals.set, SIGTERM)
        unsafe sigaddset(&signals.set, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &signals.set, nil)
        return signals
    }

    /// Waits for one of them, and names it.
    func wait() -> String {
        var set = set
        var signal: Int32 = 0
        while unsafe sigwait(&set, &signal) != 0 {}
        return signal == SIGINT ? "SIGINT" : "SIGTERM"
    }
}
