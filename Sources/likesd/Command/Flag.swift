internal import EventStreams
internal import LikesAPI
internal import LikesCore
internal import Logging
internal import MicroHTTP

/// A flag: the one table that the parser, the environment, the help and Documentation/configuration.md come from.
struct Flag {
    let name: String
    let kind: Kind
    let help: String
    /// The value when it is not set; nil when there is none, or when it depends.
    var initial: String?
    /// What the value is when it is not set, where `initial` cannot say it.
    var initialNote: String?
    let verbs: [Verb]

    /// The commands that take flags.
    enum Verb: String, CaseIterable { case serve, `import`, export, verify, health }

    /// What values it takes.
    enum Kind {
        /// Any text but an empty one; `placeholder` stands for it in the help.
        case text(placeholder: String)
        /// A whole number.
        case number(ClosedRange<Int>)
        /// Milliseconds, written with a unit.
        case time(ClosedRange<Int64>)
        /// It is set, or not.
        case toggle
        /// One of some words.
        case choice([String])
        /// Ids: it may come more than once, for one each.
        case ids
        /// Origins of web pages: it may come more than once, for one each, or a list with commas.
        case origins
    }

    /// The variable of the environment that sets it: `--in-memory` is `LIKESD_IN_MEMORY`. Ids have none: what is in the
    /// environment for another reason, such as a user's name, must not make a part of a backup.
    var variable: String? {
        if case .ids = kind { return nil }
        return "LIKESD_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// What stands for the value in the help; nil for a flag without one.
    var placeholder: String? {
        switch kind {
        case .text(let placeholder): placeholder
        case .number: "N"
        case .time: "TIME"
        case .toggle: nil
        case .choice(let words): words.joined(separator: "|")
        case .ids: "ID"
        case .origins: "ORIGIN"
        }
    }

    /// Whether it may come more than once, for one value each; of another one the last counts.
    var isRepeatable: Bool {
        switch kind {
        case .ids, .origins: true
        default: false
        }
    }

    /// What a value can be, in words.
    var allowed: String {
        switch kind {
        case .text: "a text that is not empty"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .time(let range):
            "a time from \(Duration.text(range.lowerBound)) to \(Duration.text(range.upperBound)), such as 30s, 90m, 24h or 7d"
        case .toggle: "true or false"
        case .choice(let words): words.joined(separator: " or ")
        case .ids: "an id of 1 to \(Limits.identifierBytes) bytes; may be repeated"
        case .origins: "\(Origin.form); may be repeated, or a list with commas"
        }
    }

    static let table = [
        Flag(
            name: "host", kind: .text(placeholder: "HOST"), help: "name or address to listen on", initial: "localhost",
            verbs: [.serve]),
        Flag(
            name: "port", kind: .number(0...65_535), help: "port to listen on; 0 picks one that is free",
            initial: "8080", verbs: [.serve]),
        Flag(
            name: "data", kind: .text(placeholder: "DIR"), help: "folder of the data; serve and import make it",
            initial: "./data", verbs: [.serve, .import, .export, .verify]),
        Flag(
            name: "in-memory", kind: .toggle, help: "keep everything in memory only: gone when the process ends",
            initial: "false", verbs: [.serve]),
        Flag(
            name: "create-unknown-news", kind: .toggle, help: "a like of a news that nobody made makes it",
            initial: "false", verbs: [.serve]),
        Flag(
            name: "cors-origin", kind: .origins, help: "web pages of this origin may call", initialNote: "none",
            verbs: [.serve]),
        Flag(
            name: "trending-half-life", kind: .time(HalfLife.allowed),
            help: "in which a like loses half of its weight in trending",
            initial: Duration.text(HalfLife.standard.milliseconds), verbs: [.serve]),
        Flag(
            name: "max-streams", kind: .number(0...StreamLimits.readersMaximum),
            help: "live streams at one time; one more is 503", initial: String(StreamLimits.readers), verbs: [.serve]),
        Flag(
            name: "max-streams-per-address", kind: .number(0...StreamLimits.readersMaximum),
            help: "live streams from one address; one more is 429",
            initialNote: "\(StreamLimits.readersPerAddress); from this machine any number", verbs: [.serve]),
        Flag(
            name: "stream-heartbeat", kind: .time(StreamLimits.allowedMilliseconds),
            help: "between two signs of life on a live stream",
            initial: Duration.text(EventStreams.Settings().heartbeatMilliseconds), verbs: [.serve]),
        Flag(
            name: "stream-stall", kind: .time(StreamLimits.allowedMilliseconds),
            help: "for which a client may take nothing of a live stream; then it ends",
            initial: Duration.text(EventStreams.Settings().stallMilliseconds),
            verbs: [.serve]),
        Flag(
            name: "workers", kind: .number(1...HTTPLimits.workers), help: "threads that serve HTTP",
            initialNote: "one per core", verbs: [.serve]),
        Flag(
            name: "log-format", kind: .choice(LogFormat.allCases.map(\.rawValue)),
            help: "how lines of the log look, on the standard error stream", initial: LogFormat.json.rawValue,
            verbs: [.serve]),
        Flag(
            name: "access-log", kind: .toggle, help: "write a line about each request", initial: "false",
            verbs: [.serve]),
        Flag(
            name: "fix", kind: .toggle, help: "taken, but changes nothing: verify only reports", initial: "false",
            verbs: [.verify]),
        Flag(
            name: "url", kind: .text(placeholder: "URL"), help: "a running server to speak to, over plain HTTP",
            initialNote: "none; for health the local one", verbs: [.import, .export, .health]),
        Flag(
            name: "news", kind: .ids, help: "only this news, with its likes", initialNote: "all", verbs: [.export]),
        Flag(
            name: "user", kind: .ids, help: "only this user's likes, with their news", initialNote: "all",
            verbs: [.export]),
    ]

    /// A flag of the table.
    static func named(_ name: String) -> Flag {
        guard let flag = table.first(where: { $0.name == name }) else {
            preconditionFailure("there is no flag --\(name) in the table")
        }
        return flag
    }
}
