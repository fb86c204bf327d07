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
          likesd help [markdown]                   this, or the page of the documentation about flags

        Flags, and the variables of the environment that set them (a flag goes before its variable):

        \(Flag.table.map(line).joined(separator: "\n"))

        A flag without a value is set by being there; its variable is true or false. A TIME is a number with s, m, h or d behind it.

        A CSV file begins with a header line: "id,title" for news (author, url, publishedAt, baseLikes may follow),
        "user,news" for likes (at may follow). NDJSON lines are what export writes, and what
        POST /v1/news and POST /v1/likes take.

        verify prints {"drift", "orphans", "news", "users", "likes", "fixed", "sequence"} as one line of JSON. It only reports:
        the counts of a folder are made from its journal at each start. A running server sets its counts right with
        POST /v1/admin/verify?fix=true.

        """
    }

    /// Documentation/configuration.md.
    static var markdown: String {
        """
        # Configuration

        <!-- Written by `likesd help markdown`; a test sees that it is that. -->

        Flags, but for those that name ids, are also variables of the environment; a flag goes before its variable. There is no configuration file. A flag that
        does not exist, or a value that is not allowed, stops the program with exit status 64 and a line that names the flag or the
        variable, the value, and what is allowed. When the server starts, it logs what is in force (`"event":"configuration"`).

        A flag without a value is set by being there (`--in-memory`); its variable is `true` or `false`. A time is a number with its
        unit: `s`, `m`, `h` or `d`.

        \(Flag.Verb.allCases.map(section).joined(separator: "\n\n"))

        """
    }

    private static func section(_ verb: Flag.Verb) -> String {
        let rows = Flag.table.filter { $0.verbs.contains(verb) }.map { flag in
            let value = flag.placeholder.map { " \(escaped($0))" } ?? ""
            let initial = flag.initial.map { "`\($0)`" } ?? flag.initialNote ?? ""
            return
                "| `--\(flag.name)\(value)` | \(flag.variable.map { "`\($0)`" } ?? "none") | \(flag.help) | \(escaped(flag.allowed)) | \(initial) |"
        }
        return """
            ## likesd \(verb.rawValue)

            | flag | variable | what it does | allowed | when it is not set |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    /// Text for a cell of a table.
    private static func escaped(_ text: String) -> String {
        text.map { "|*".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static func line(_ flag: Flag) -> String {
        let left = "--\(flag.name)" + (flag.placeholder.map { " \($0)" } ?? "")
        let notes = [flag.initial ?? flag.initialNote].compactMap(\.self).filter { $0 != "false" }
        let initial = notes.isEmpty ? "" : " (\(notes.joined()))"
        let verbs = flag.verbs.map(\.rawValue).joined(separator: ", ")
        return
            "  \(pad(left, 29)) \(pad(flag.variable ?? "", 30)) \(pad(verbs, 29)) \(flag.help)\(range(flag))\(initial)"
    }

    /// What the value can be, where that is not known from what stands for it.
    private static func range(_ flag: Flag) -> String {
        switch flag.kind {
        case .number(let range): ", \(range.lowerBound) to \(range.upperBound)"
        case .time(let range): ", \(Duration.text(range.lowerBound)) to \(Duration.text(range.upperBound))"
        case .ids: "; may be repeated"
        case .origins: ": \(flag.allowed)"
        case .text, .toggle, .choice: ""
        }
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
