internal import Glibc

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
