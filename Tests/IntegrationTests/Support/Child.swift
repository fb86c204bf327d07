import Foundation
import Glibc

/// A process that a test has started, with all that it has printed.
///
/// A thread of its own reads what the process prints until it ends: nothing polls, nothing sleeps.
final class Child: @unchecked Sendable {
    // Safety: `lines`, `rest` and `status` are only touched while `condition` is locked; all else is constant.

    /// How a process ended.
    enum Status: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    let pid: pid_t
    private let condition = NSCondition()
    private var lines: [String] = []
    private var rest: [UInt8] = []
    private var status: Status?

    /// Starts the program; `environment` is added to what this process has, without its `LIKESD_…`.
    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let pipe = try Pipe()
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LIKESD_") }
        all.merge(environment) { _, new in new }
        defer { close(pipe.writing) }
        do {
            pid = try Child.spawn(program, arguments, all.map { "\($0.key)=\($0.value)" }, output: pipe.writing)
        } catch {
            close(pipe.reading)
            throw error
        }
        Thread.detachNewThread { self.follow(pipe.reading) }
    }

    /// All that was printed so far, on standard output and standard error.
    var output: String {
        condition.withLock { lines.joined(separator: "\n") }
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) {
        condition.withLock { if status == nil { _ = kill(pid, signal) } }
    }

    /// Waits for the end.
    func ended(_ deadline: Deadline = .seconds()) async throws -> Status {
        try await offPool { try self.waitForExit(deadline) }
    }

    /// Waits for the end; what it was, and when, however late the caller looks.
    func end(_ deadline: Deadline = .seconds()) async throws -> (status: Status, time: ContinuousClock.Instant) {
        try await offPool { (try self.waitForExit(deadline), .now) }
    }

    /// Waits for the end; it blocks.
    func waitForExit(_ deadline: Deadline) throws -> Status {
        try condition.withLock {
            while status == nil, condition.wait(until: deadline.date) {}
            guard let status else { throw Failure("process \(pid) does not end; it printed:\n\(lines)") }
            return status
        }
    }

    /// Waits for the first line that `read` makes something of.
    func waitForLine<Found>(_ deadline: Deadline = .seconds(), _ read: (String) -> Found?) throws -> Found {
        try condition.withLock {
            var looked = 0
            while true {
                while looked < lines.count {
                    if let found = read(lines[looked]) { return found }
                    looked += 1
                }
                guard status == nil, condition.wait(until: deadline.date) else {
                    throw Failure("the awaited line did not come (\(String(describing: status))):\n\(lines)")
                }
            }
        }
    }

    private func follow(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            condition.withLock { append(buffer[..<count]) }
        }
        close(descriptor)
        var state: Int32 = 0
        while unsafe waitpid(pid, &state, 0) < 0, errno == EINTR {}
        condition.withLock {
            if !rest.isEmpty { append([10]) }
            status = state & 0x7F == 0 ? .exit(state >> 8 & 0xFF) : .signal(state & 0x7F)
            condition.broadcast()
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>) {
        rest += bytes
        while let end = rest.firstIndex(of: 10) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
        condition.broadcast()
    }

    /// A pair of sockets, which other than a pipe can be kept from other processes from the start.
    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure("no pipe: \(errno)") }
            reading = ends[0]
            writing = ends[1]
        }
    }

    /// Starts a process with no signal blocked and no file inherited, whatever this process has.
    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String], output: Int32
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        // The sockets of URLSession would be inherited; closing what is not open is no error.
        for other in 3..<min(getdtablesize(), 1024) { unsafe posix_spawn_file_actions_addclose(&actions, other) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var texts = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var pairs = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (texts + pairs).forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let failure = unsafe posix_spawn(&pid, program, &actions, &attributes, &texts, &pairs)
        guard failure == 0 else { throw Failure("\(program) does not start (errno \(failure)); `make build` makes it") }
        return pid
    }
}
