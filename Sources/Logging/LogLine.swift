internal import JSONText

/// How much an entry matters.
package enum LogLevel: String, Sendable {
    /// Something that belongs to the day's work.
    case info
    /// Something that somebody should look at when there is time.
    case warning
    /// Something that does not work.
    case error

    /// The number that syslog has for it.
    var priority: Int {
        switch self {
        case .info: 6
        case .warning: 4
        case .error: 3
        }
    }
}

/// How lines look.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case json
    /// `TIME LEVEL EVENT name=value …`, for people.
    case text
}

/// What an entry says beside its time, its level and its event, in order.
package struct LogFields: Sendable {
    enum Value: Sendable {
        case text(String)
        case number(Int64)
        case unsigned(UInt64)
        case truth(Bool)
        case list([String])
    }

    private(set) var all: [(name: String, value: Value)] = []

    /// Nothing.
    package init() {}

    /// Says a text; one that is too long is cut.
    package mutating func add(_ name: String, _ text: String) { all.append((name, .text(Self.cut(text)))) }

    /// Says a text, if there is one.
    package mutating func add(_ name: String, ifThere text: String?) {
        if let text { add(name, text) }
    }

    /// Says a number.
    package mutating func add(_ name: String, _ number: Int64) { all.append((name, .number(number))) }

    /// Says a number.
    package mutating func add(_ name: String, _ number: Int) { add(name, Int64(number)) }

    /// Says a number that is never negative.
    package mutating func add(_ name: String, _ number: UInt64) { all.append((name, .unsigned(number))) }

    /// Says whether.
    package mutating func add(_ name: String, _ truth: Bool) { all.append((name, .truth(truth))) }

    /// Says several texts.
    package mutating func add(_ name: String, _ list: [String]) { all.append((name, .list(list.map(Self.cut)))) }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > LogLimits.textBytes else { return text }
        // A scalar that is cut in two becomes a sign of replacement.
        return String(decoding: text.utf8.prefix(LogLimits.textBytes), as: UTF8.self) + "…"
    }
}

/// An entry of the log.
struct LogLine {
    /// RFC 3339.
    let time: String
    let level: LogLevel
    let event: String
    let fields: LogFields

    /// The bytes of the line, with its end.
    ///
    /// - Parameter isForJournal: whether it goes to systemd's journal, which takes the level from a number in front
    ///   (sd-daemon(3)), and knows the time.
    func bytes(_ format: LogFormat, isForJournal: Bool) -> [UInt8] {
        let prefix = isForJournal ? Array("<\(level.priority)>".utf8) : []
        switch format {
        case .json: return prefix + json + [UInt8(ascii: "\n")]
        case .text: return prefix + Array(text(isForJournal).utf8) + [UInt8(ascii: "\n")]
        }
    }

    private var json: [UInt8] {
        JSONWriter.object { json in
            json.member("time", time)
            json.member("level", level.rawValue)
            json.member("event", event)
            for (name, value) in fields.all {
                json.name(name)
                switch value {
                case .text(let text): json.value(text)
                case .number(let number): json.value(number)
                case .unsigned(let number): json.value(number)
                case .truth(let truth): json.value(truth)
                case .list(let list): json.array { json in for text in list { json.value(text) } }
                }
            }
        }
    }

    private func text(_ isForJournal: Bool) -> String {
        var words = isForJournal ? [event] : [time, level.rawValue, event]
        for (name, value) in fields.all {
            let text =
                switch value {
                case .text(let text): text
                case .number(let number): String(number)
                case .unsigned(let number): String(number)
                case .truth(let truth): String(truth)
                case .list(let list): list.joined(separator: ",")
                }
            words.append("\(name)=\(Self.isPlain(text) ? text : Self.quoted(text))")
        }
        return words.joined(separator: " ")
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && !isInvisible($0) }
    }

    /// The text in quotes, without anything that breaks a line, moves a terminal's cursor, or turns letters around.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case _ where isInvisible(scalar): quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
