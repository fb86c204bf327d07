internal import Glibc

/// What the flags and the environment say, and the words that are no flags.
struct Settings {
    private var values: [String: (text: String, source: String)] = [:]
    /// The words that are no flags: the files of an import.
    private(set) var words: [String] = []

    /// - Throws: a stop with status 64 for a flag that the command does not have, or one without its value.
    init(_ arguments: [String], for verb: Flag.Verb) throws(Stop) {
        let flags = Flag.table.filter { $0.verbs.contains(verb) }
        for flag in flags {
            if let text = unsafe getenv(flag.variable) {
                values[flag.name] = unsafe (String(cString: text), flag.variable)
            }
        }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                words.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let flag = flags.first(where: { $0.name == parts[0] }) else {
                throw Stop(.usage, "\(verb.rawValue) has no flag --\(parts[0]); see \"likesd help\"")
            }
            let text: String
            if parts.count == 2 {
                text = String(parts[1])
            } else if flag.value == nil {
                text = "true"
            } else if let next = rest.popFirst() {
                text = next
            } else {
                throw Stop(.usage, "--\(flag.name) needs a value: \(flag.help)")
            }
            values[flag.name] = (text, "--\(flag.name)")
        }
        if verb != .import, let word = words.first {
            throw Stop(.usage, "\(verb.rawValue) takes no \"\(word)\"; see \"likesd help\"")
        }
    }

    /// Whether a flag was given on the command line, and not by the environment.
    func isFlag(_ name: String) -> Bool { values[name]?.source.hasPrefix("--") ?? false }

    /// The text of a flag, if it was set.
    func text(_ name: String) throws(Stop) -> String? {
        guard let value = values[name] else { return nil }
        guard !value.text.isEmpty else { throw Stop(.usage, "\(value.source): the value is empty") }
        return value.text
    }

    /// Whether a flag was set; nil when nothing was said of it.
    func isSet(_ name: String) throws(Stop) -> Bool? {
        guard let value = values[name] else { return nil }
        switch value.text {
        case "true", "1": return true
        case "false", "0": return false
        default: throw Stop(.usage, "\(value.source): \"\(value.text)\" is neither true nor false")
        }
    }

    /// The number of a flag, if it was set.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(Stop) -> Int? {
        guard let value = values[name] else { return nil }
        guard let number = Int(value.text), range ~= number, !value.text.hasPrefix("+") else {
            throw Stop(
                .usage,
                "\(value.source): \"\(value.text)\" is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
