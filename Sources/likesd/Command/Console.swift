internal import Glibc
internal import JSONText
internal import LikesCore
internal import Threading

/// The standard streams.
enum Console {
    /// Writes a line to the standard error stream, whole or not at all in one piece.
    static func error(_ line: String) { write(line + "\n") }

    /// Writes to the standard error stream as it is: progress that overwrites itself.
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            // What cannot be written to standard error has nowhere else to go.
            _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }

    /// Whether a person is watching the standard error stream.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// The log: one JSON object a line on the standard error stream.
enum Log {
    /// How much an entry matters.
    enum Level: String { case info, warning, error }

    /// Writes an entry.
    ///
    /// - Parameter body: writes members of its own.
    static func entry(_ level: Level, _ event: String, _ body: (inout JSONWriter) -> Void = { _ in }) {
        var json = JSONWriter()
        json.object { json in
            json.member("time", Timestamp(milliseconds: Clock.system.now()).rfc3339)
            json.member("level", level.rawValue)
            json.member("event", event)
            body(&json)
        }
        Console.error(String(decoding: json.bytes, as: UTF8.self))
    }
}
