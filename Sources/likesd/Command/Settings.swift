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
    private let flags: [Flag]
    /// The words that are no flags: the files of an import.
    private(set) var words: [String] = []

    /// - Throws: a stop with status 64 for a flag that the command does not have, one without its value, and a value that
    ///   is not allowed.
    init(_ arguments: [String], for verb: Flag.Verb) throws(Stop) {
        flags = Flag.table.filter { $0.verbs.contains(verb) }
        for flag in flags {
            if let variable = flag.variable, let text = unsafe getenv(variable) {
                values[flag.name] = unsafe [Value(text: String(cString: text), source: variable)]
            }
        }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument.hasPrefix("--") { try take(argument, &rest, verb) } else { words.append(argument) }
        }
        if verb != .import, let word = words.first {
            throw Stop(.usage, "\(verb.rawValue) takes no \"\(word)\"; see \"likesd help\"")
        }
        for flag in flags {
            for value in values[flag.name] ?? [] { try check(value, flag) }
        }
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>, _ verb: Flag.Verb) throws(Stop) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let flag = flags.first(where: { $0.name == parts[0] }) else {
            throw Stop(.usage, "\(verb.rawValue) has no flag --\(parts[0]); see \"likesd help\"")
        }
        let text: String
        if parts.count == 2 {
            text = String(parts[1])
        } else if flag.placeholder == nil {
            text = "true"
        } else if let next = rest.popFirst() {
            text = next
        } else {
            throw Stop(.usage, "--\(flag.name) needs a value: \(flag.help); allowed is \(flag.allowed)")
        }
        // A flag goes before its variable.
        let earlier = flag.isRepeatable && isFlag(flag.name) ? values[flag.name] ?? [] : []
        let value = Value(text: text, source: "--\(flag.name)")
        try check(value, flag)
        values[flag.name] = earlier + [value]
    }

    /// Sees to it that a value is one that its flag takes; of a list, that each is.
    private func check(_ value: Value, _ flag: Flag) throws(Stop) {
        var parts = [value.text]
        if case .origins = flag.kind { parts = Self.parts(value.text) }
        for part in parts where !Self.isAllowed(part, flag.kind) {
            throw Stop(.usage, "\(value.source): \"\(part)\" is not allowed; allowed is \(flag.allowed)")
        }
    }

    private static func isAllowed(_ text: String, _ kind: Flag.Kind) -> Bool {
        switch kind {
        case .text: !text.isEmpty
        case .number(let range): number(text).map { range ~= $0 } ?? false
        case .time(let range): Duration.milliseconds(text).map { range ~= $0 } ?? false
        case .toggle: truth(text) != nil
        case .choice(let words): words.contains(text)
        case .ids: (try? Identifier<Never>(text)) != nil
        case .origins: Origin(text) != nil
        }
    }

    // MARK: Values

    /// Whether a flag was given on the command line, and not by the environment.
    func isFlag(_ name: String) -> Bool { values[name]?.last?.source.hasPrefix("--") ?? false }

    /// The text of a flag that was set.
    private func given(_ name: String) -> String? { values[name]?.last?.text }

    /// The text of a flag, or what it is when it is not set. Every value was checked, and the table has none but good ones.
    private func value<Parsed>(_ name: String, _ parse: (String) -> Parsed?) -> Parsed {
        guard let text = given(name) ?? Flag.named(name).initial, let parsed = parse(text) else {
            preconditionFailure("--\(name) has no value, and the table none for it")
        }
        return parsed
    }

    /// The text of a flag.
    func text(_ name: String) -> String { value(name) { $0 } }

    /// The text of a flag that need not be set.
    func optionalText(_ name: String) -> String? { given(name) }

    /// The number of a flag.
    func number(_ name: String) -> Int { value(name, Self.number) }

    /// The number of a flag that need not be set.
    func optionalNumber(_ name: String) -> Int? { given(name).flatMap(Self.number) }

    /// The milliseconds of a flag.
    func milliseconds(_ name: String) -> Int64 { value(name, Duration.milliseconds) }

    /// The word of a flag that takes one of some.
    func choice<Choice: RawRepresentable<String>>(_ name: String) -> Choice { value(name, Choice.init(rawValue:)) }

    /// Whether a flag is set.
    func isSet(_ name: String) -> Bool { value(name, Self.truth) }

    /// The ids of a flag, in order.
    func ids<Subject>(_ name: String) -> [Identifier<Subject>] {
        (values[name] ?? []).compactMap { try? Identifier($0.text) }
    }

    /// The origins of a flag, in order.
    func origins(_ name: String) -> [Origin] {
        (values[name] ?? []).flatMap { Self.parts($0.text).compactMap(Origin.init) }
    }

    /// All flags of the command as they are in force, in the order of the table.
    var effective: [(name: String, value: String)] {
        flags.map { flag in
            let given = values[flag.name].map { $0.map(\.text).joined(separator: ",") }
            return (flag.name, given ?? flag.initial ?? flag.initialNote ?? "")
        }
    }

    private static func number(_ text: String) -> Int? { text.hasPrefix("+") ? nil : Int(text) }

    private static func truth(_ text: String) -> Bool? {
        switch text {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    /// What stands between the commas.
    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
