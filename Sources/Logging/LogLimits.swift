/// The limits of the log, each with its reason.
package enum LogLimits {
    /// Lines about one event in `windowMilliseconds`; further ones are counted, and one line then says how many: whatever happens
    /// how often, the log does not fill the disk. Lines of the access log are not counted here.
    package static let linesPerEvent = 30

    /// Milliseconds after which an event may be told of again.
    package static let windowMilliseconds: Int64 = 60_000

    /// Lines of the access log a second about requests that were refused (400 and above); further ones are counted: those are what a
    /// flood is made of.
    package static let refusedRequestsPerSecond = 100

    /// Bytes of lines that wait to be written. When whoever reads the log is slower than that, lines are lost and counted, and
    /// nobody waits.
    package static let waitingBytes = 1 << 20

    /// Bytes of a text in a line; what is longer is cut, and ends in "…".
    package static let textBytes = 2_048

    /// Milliseconds that the end of the process waits for the last lines to be written.
    package static let closeMilliseconds = 1_000
}
