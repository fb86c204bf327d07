internal import EventStreams
internal import Glibc
internal import JSONText
internal import LikesAPI
internal import LikesCore
internal import MicroHTTP

/// The command `serve`: runs the service until a signal ends it.
func serve(_ settings: Settings) throws(Stop) -> ExitStatus {
    // Before any thread starts, so that every thread inherits the mask and only this one takes the signals.
    let signals = TerminationSignals.block()
    let service = Service(try ServeSettings(settings))
    do {
        try service.root.start()
    } catch let stop as Stop {
        throw stop
    } catch {
        throw Stop(.failure, "\(error)")
    }
    Log.entry(.info, "listening") { json in
        json.member("url", service.urls.first ?? "")
        json.name("urls")
        json.array { json in for url in service.urls { json.value(url) } }
    }
    let signal = signals.wait()
    Log.entry(.info, "stopping") { json in
        json.member("signal", signal)
    }
    service.stop()
    Log.entry(.info, "stopped")
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

    init(_ settings: Settings) throws(Stop) {
        host = try settings.text("host") ?? "localhost"
        port = UInt16(try settings.number("port", 0...65_535) ?? 8080)
        workers = try settings.number("workers", 1...HTTPLimits.workers) ?? Self.cores
        createsUnknownNews = try settings.isSet("create-unknown-news") ?? false
        halfLife =
            try settings.milliseconds("trending-half-life", HalfLife.allowed).map(HalfLife.init(milliseconds:))
            ?? .standard
        let origins = try settings.origins("cors-origin")
        crossOrigin = origins.isEmpty ? nil : CrossOrigin(origins)
        streams = try Self.streams(settings)
        let isInMemory = try settings.isSet("in-memory") ?? false
        let folder = try settings.text("data")
        dataFolder = isInMemory ? nil : folder ?? "./data"
    }

    private static func streams(_ settings: Settings) throws(Stop) -> EventStreams.Settings {
        var streams = EventStreams.Settings()
        streams.readers = try settings.number("max-streams", 0...StreamLimits.readersMaximum) ?? streams.readers
        streams.readersPerAddress = try settings.number("max-streams-per-address", 0...StreamLimits.readersMaximum)
        streams.heartbeatMilliseconds =
            try settings.milliseconds("stream-heartbeat", StreamLimits.allowedMilliseconds)
            ?? streams.heartbeatMilliseconds
        streams.stallMilliseconds =
            try settings.milliseconds("stream-stall", StreamLimits.allowedMilliseconds) ?? streams.stallMilliseconds
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
