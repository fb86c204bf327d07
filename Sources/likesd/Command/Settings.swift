internal import Glibc
internal import LikesAPI
internal import LikesCore

/// What the flags and the environment say, and the words that are no flags.
struct Settings {
    private struct Value {
        let text: String
        /// The flag or the variable that it comes from.
        let source: String
    }

    /// By the names of the flags; more than one value only of a flag that may be repeated.
    private var values: [String: [Value]] = [:]
    /// The words that are no flags: the files of an import.
    private(set) var words: [String] = []

    /// - Throws: a stop with status 64 for a flag that the command does not have, or one without its value.
    init(_ arguments: [String], for verb: Flag.Verb) throws(Stop) {
        let flags = Flag.table.filter { $0.verbs.contains(verb) }
        for flag in flags {
            if let text = unsafe getenv(flag.variable) {
                values[flag.name] = unsafe [Value(text: String(cString: text), source: flag.variable)]
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
            let value = Value(text: text, source: "--\(flag.name)")
            // A flag goes before its variable.
            let earlier = flag.isRepeatable && isFlag(flag.name) ? values[flag.name] ?? [] : []
            values[flag.name] = earlier + [value]
        }
        if verb != .import, let word = words.first {
            throw Stop(.usage, "\(verb.rawValue) takes no \"\(word)\"; see \"likesd help\"")
        }
    }

    /// Whether a flag was given on the command line, and not by the environment.
    func isFlag(_ name: String) -> Bool { values[name]?.last?.source.hasPrefix("--") ?? false }

    /// The text of a flag, if it was set.
    func text(_ name: String) throws(Stop) -> String? {
        guard let value = values[name]?.last else { return nil }
        guard !value.text.isEmpty else { throw Stop(.usage, "\(value.source): the value is empty") }
        return value.text
    }

    /// The ids of a flag that may be repeated, in order.
    func ids<Subject>(_ name: String) throws(Stop) -> [Identifier<Subject>] {
        var ids: [Identifier<Subject>] = []
        for value in values[name] ?? [] {
            do throws(IdentifierError) { ids.append(try Identifier(value.text)) } catch {
                throw Stop(.usage, "\(value.source): \(error.reason)")
            }
        }
        return ids
    }

    /// The origins of a flag that may be repeated, each value a list with commas.
    func origins(_ name: String) throws(Stop) -> [Origin] {
        var origins: [Origin] = []
        for value in values[name] ?? [] {
            for text in value.text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let origin = Origin(String(text)) else {
                    throw Stop(.usage, "\(value.source): \"\(text)\" is no origin; \(Origin.form) is allowed")
                }
                origins.append(origin)
            }
        }
        return origins
    }

    /// Whether a flag was set; nil when nothing was said of it.
    func isSet(_ name: String) throws(Stop) -> Bool? {
        guard let value = values[name]?.last else { return nil }
        switch value.text {
        case "true", "1": return true
        case "false", "0": return false
        default: throw Stop(.usage, "\(value.source): \"\(value.text)\" is neither true nor false")
        }
    }

    /// The milliseconds of a flag, if it was set: a number with its unit, which is s, m, h or d.
    func milliseconds(_ name: String, _ range: ClosedRange<Int64>) throws(Stop) -> Int64? {
        guard let value = values[name]?.last else { return nil }
        let unit: Int64? =
            switch value.text.last {
            case "s": 1_000
            case "m": 60_000
            case "h": 3_600_000
            case "d": 86_400_000
            default: nil
            }
        let digits = value.text.utf8.dropLast()
        guard let unit, 1...9 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            let number = Int64(value.text.dropLast()), range ~= number * unit
        else {
            throw Stop(
                .usage,
                "\(value.source): \"\(value.text)\" is not a time from \(Self.text(range.lowerBound)) to "
                    + "\(Self.text(range.upperBound)), such as 30s, 90m, 24h or 7d")
        }
        return number * unit
    }

    /// A time in the largest unit that divides it.
    private static func text(_ milliseconds: Int64) -> String {
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m")]
        guard let unit = units.first(where: { milliseconds % $0.0 == 0 }) else { return "\(milliseconds / 1_000)s" }
        return "\(milliseconds / unit.0)\(unit.1)"
    }

    /// The number of a flag, if it was set.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(Stop) -> Int? {
        guard let value = values[name]?.last else { return nil }
        guard let number = Int(value.text), range ~= number, !value.text.hasPrefix("+") else {
            throw Stop(
                .usage,
                "\(value.source): \"\(value.text)\" is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
