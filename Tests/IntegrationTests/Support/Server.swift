import Foundation
import Glibc
import Synchronization

/// The real binary, serving on a free port, with a data folder or in memory.
final class Server: Sendable {
    /// Where the server keeps its likes.
    enum Storage: Sendable {
        /// In memory: gone with the process.
        case memory
        /// In a data folder.
        case folder(String)
    }

    private struct Running {
        let child: Child
        let url: URL
    }

    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    private let running: Mutex<Running>

    private init(_ program: String, _ arguments: [String], _ environment: [String: String], _ first: Running) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        running = Mutex(first)
    }

    /// Starts a server and waits until it says that it listens.
    static func start(
        _ storage: Storage = .memory, _ flags: [String] = [], environment: [String: String] = [:]
    ) async throws -> Server {
        let place =
            switch storage {
            case .memory: ["--in-memory"]
            case .folder(let folder): ["--data", folder]
            }
        let arguments = ["serve", "--port", "0"] + place + flags
        return try await start(Places.binary, arguments, environment)
    }

    /// Starts a server on a data folder by a program that becomes it: in another mount namespace, or as another user.
    static func start(by launcher: [String], _ folder: String) async throws -> Server {
        let command = launcher + [Places.binary, "serve", "--port", "0", "--data", folder]
        return try await start(command[0], Array(command.dropFirst()), [:])
    }

    /// Starts a server that keeps no file longer than so many bytes, as if the disk were full then.
    static func start(_ folder: String, fileLimit bytes: Int) async throws -> Server {
        // The shell of Debian counts in blocks of 512 bytes, others of 1,024: it is full somewhat later there.
        let script = "trap '' XFSZ; ulimit -S -f \(bytes / 512) && exec \"$0\" serve --port 0 --data \"$1\""
        return try await start("/bin/sh", ["-c", script, Places.binary, folder], [:])
    }

    private static func start(
        _ program: String, _ arguments: [String], _ environment: [String: String]
    ) async throws -> Server {
        Server(program, arguments, environment, try await run(program, arguments, environment))
    }

    private static func run(
        _ program: String, _ arguments: [String], _ environment: [String: String]
    ) async throws -> Running {
        let child = try Child(program, arguments, environment: environment)
        do {
            // Under valgrind, on a busy machine, it takes long.
            let url = try await offPool { try child.waitForLine(.seconds(300)) { Server.url(listening: $0) } }
            return Running(child: child, url: url)
        } catch {
            child.send(SIGKILL)
            throw error
        }
    }

    /// The address in the line of the log that says that the server listens.
    static func url(listening line: String) -> URL? {
        guard let entry = JSON(text: Data(line.utf8)), entry["event"] == "listening" else { return nil }
        return entry["url"].string.flatMap { URL(string: $0) }
    }

    /// Where the server answers; another port after a restart.
    var url: URL { running.withLock { $0.url } }

    /// ``url`` as it is given to a program.
    var address: String { url.absoluteString }

    /// The port of ``url``.
    var port: UInt16 { UInt16(url.port ?? 0) }

    /// The process that is running, or was the last to run.
    var child: Child { running.withLock { $0.child } }

    /// A client of this server.
    var api: API { API(url) }

    /// Ends the process at once, if it has not ended, and waits until it has.
    func kill() async throws {
        let child = child
        child.send(SIGKILL)
        _ = try await child.ended()
    }

    /// Asks the process to end and waits for it.
    func stop() async throws -> Child.Status {
        let child = child
        child.send(SIGTERM)
        return try await child.ended()
    }

    /// Starts the server again, after it was stopped or killed, on the same data.
    func startAgain() async throws {
        let next = try await Server.run(program, arguments, environment)
        running.withLock { $0 = next }
    }
}

/// Starts a server for a test, and ends it after the test.
func withServer<Result>(
    _ storage: Server.Storage = .memory, _ flags: [String] = [], environment: [String: String] = [:],
    _ body: (Server) async throws -> Result
) async throws -> Result {
    try await withServer(body) { try await Server.start(storage, flags, environment: environment) }
}

/// Starts a server on an empty data folder whose files cannot grow beyond a limit.
func withServer<Result>(fileLimit: Int, _ body: (Server) async throws -> Result) async throws -> Result {
    try await Places.withFolder { folder in
        try await withServer(body) { try await Server.start(folder, fileLimit: fileLimit) }
    }
}

/// Starts a server on a data folder by a program that becomes it, and ends it after the test.
func withServer<Result>(
    by launcher: [String], _ folder: String, _ body: (Server) async throws -> Result
) async throws -> Result {
    try await withServer(body) { try await Server.start(by: launcher, folder) }
}

private func withServer<Result>(
    _ body: (Server) async throws -> Result, start: () async throws -> Server
) async throws -> Result {
    await Turnstile.shared.enter()
    defer { Turnstile.shared.leave() }
    return try await withServer(start(), body)
}

/// Starts an empty server beside the one that a test has: one place at the turnstile is enough for both, and to wait for
/// a second one while holding the first would be a deadlock.
func withAnotherServer<Result>(_ body: (Server) async throws -> Result) async throws -> Result {
    try await withServer(Server.start(), body)
}

private func withServer<Result>(_ server: Server, _ body: (Server) async throws -> Result) async throws -> Result {
    do {
        let result = try await body(server)
        try await server.kill()
        return result
    } catch {
        try await server.kill()
        throw error
    }
}

/// Starts a server on an empty data folder for a test; both go after the test.
func withDurableServer<Result>(
    _ flags: [String] = [], _ body: (Server) async throws -> Result
) async throws -> Result {
    try await Places.withFolder { folder in
        try await withServer(.folder(folder), flags, body)
    }
}

/// Runs the binary to its end; its exit status, and what it printed.
func likesd(
    _ arguments: String..., environment: [String: String] = [:], deadline: Deadline = .seconds()
) async throws -> (status: Child.Status, output: String) {
    let child = try Child(Places.binary, arguments, environment: environment)
    do {
        let status = try await child.ended(deadline)
        return (status, child.output)
    } catch {
        child.send(SIGKILL)
        throw error
    }
}
