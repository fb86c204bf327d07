/// A flag: the one table that the parser, the environment and the help come from.
struct Flag {
    let name: String
    /// What stands for the value in the help; nil for a flag without one.
    let value: String?
    let help: String
    /// As the help shows it; empty for none.
    let initial: String
    let verbs: [Verb]
    /// Whether it may come more than once, for one value each; of another one the last counts.
    var isRepeatable = false

    /// The commands that take flags.
    enum Verb: String, CaseIterable { case serve, `import`, export, verify, health }

    /// The variable of the environment that sets it: `--in-memory` is `LIKESD_IN_MEMORY`.
    var variable: String { "LIKESD_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() }

    static let table = [
        Flag(
            name: "host", value: "HOST", help: "name or address to listen on", initial: "localhost", verbs: [.serve]),
        Flag(
            name: "port", value: "PORT", help: "port to listen on; 0 picks one that is free", initial: "8080",
            verbs: [.serve]),
        Flag(
            name: "data", value: "DIR", help: "folder of the data; serve and import make it", initial: "./data",
            verbs: [.serve, .import, .export, .verify]),
        Flag(
            name: "in-memory", value: nil, help: "keep everything in memory only: gone when the process ends",
            initial: "", verbs: [.serve]),
        Flag(
            name: "create-unknown-news", value: nil, help: "a like of a news that nobody made makes it", initial: "",
            verbs: [.serve]),
        Flag(
            name: "cors-origin", value: "ORIGIN",
            help: "web pages of this origin may call: https://a.example, or *; may be repeated, or a list with commas",
            initial: "none", verbs: [.serve], isRepeatable: true),
        Flag(
            name: "trending-half-life", value: "TIME", help: "in which a like loses half of its weight in trending",
            initial: "24h", verbs: [.serve]),
        Flag(
            name: "max-streams", value: "N", help: "live streams at one time; one more is 503", initial: "10000",
            verbs: [.serve]),
        Flag(
            name: "max-streams-per-address", value: "N", help: "live streams from one address; one more is 429",
            initial: "1000; from this machine any number", verbs: [.serve]),
        Flag(
            name: "stream-heartbeat", value: "TIME", help: "between two signs of life on a live stream, 1s to 1h",
            initial: "15s", verbs: [.serve]),
        Flag(
            name: "stream-stall", value: "TIME",
            help: "for which a client may take nothing of a live stream, 1s to 1h; then it ends", initial: "30s",
            verbs: [.serve]),
        Flag(
            name: "workers", value: "N", help: "threads that serve HTTP, 1 to 256", initial: "one per core",
            verbs: [.serve]),
        Flag(
            name: "fix", value: nil, help: "taken, but changes nothing: see below", initial: "", verbs: [.verify]),
        Flag(
            name: "url", value: "URL", help: "a running server to speak to, over plain HTTP",
            initial: "health: the local one", verbs: [.import, .export, .health]),
        Flag(
            name: "news", value: "ID", help: "only this news, with its likes; may be repeated", initial: "all",
            verbs: [.export], isRepeatable: true),
        Flag(
            name: "user", value: "ID", help: "only this user's likes, with their news; may be repeated",
            initial: "all", verbs: [.export], isRepeatable: true),
    ]
}

/// The text of `likesd help`.
enum Help {
    static var text: String {
        """
        likesd: a likes backend. Exact counts, durable before it answers.

          likesd serve                             run the server
          likesd import FILE... (--data | --url)   take in news and likes from CSV or NDJSON files
          likesd export (--data | --url)           write news and likes to the standard output, as NDJSON lines
          likesd verify --data DIR                 recount a folder that no server uses; exit 0 when all is right, else 1
          likesd health                            exit 0 when the server is well, else 1
          likesd version
          likesd help

        Flags, each also as a variable of the environment (a flag goes before its variable):

        \(Flag.table.map(line).joined(separator: "\n"))

        A CSV file begins with a header line: "id,title" for news (author, url, publishedAt, baseLikes may follow),
        "user,news" for likes (at may follow). NDJSON lines are what export writes, and what
        POST /v1/news and POST /v1/likes take.

        verify prints {"drift", "orphans", "news", "users", "likes", "fixed", "sequence"} as one line of JSON. It only reports:
        the counts of a folder are made from its journal at each start. A running server sets its counts right with
        POST /v1/admin/verify?fix=true.

        """
    }

    private static func line(_ flag: Flag) -> String {
        let left = "--\(flag.name)" + (flag.value.map { " \($0)" } ?? "")
        let initial = flag.initial.isEmpty ? "" : " (\(flag.initial))"
        let verbs = flag.verbs.map(\.rawValue).joined(separator: ", ")
        return "  \(pad(left, 25)) \(pad(flag.variable, 26)) \(pad(verbs, 29)) \(flag.help)\(initial)"
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
