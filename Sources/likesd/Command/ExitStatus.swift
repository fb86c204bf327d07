/// How the process ends, in the numbers of `sysexits.h`.
enum ExitStatus: Int32 {
    case success = 0
    /// What was asked about is not well (`health`).
    case failure = 1
    /// A flag or a value that is not allowed.
    case usage = 64
    /// Records of an import were refused; the good ones are in.
    case badData = 65
    /// A file to read is not there or cannot be read.
    case noInput = 66
    /// The address is in use or cannot be had, or the server does not answer.
    case unavailable = 69
    /// The data folder cannot be made or written.
    case cannotCreate = 73
    /// The data cannot be used: damaged, foreign, or of a newer version.
    case badStorage = 74
    /// The data folder is used by another process.
    case inUse = 75
}

/// Why a command ends early: a line for the person who started it.
struct Stop: Error {
    let status: ExitStatus
    let line: String

    init(_ status: ExitStatus, _ line: String) {
        self.status = status
        self.line = line
    }
}
