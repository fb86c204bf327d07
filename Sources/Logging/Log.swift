internal import Glibc
package import Threading

/// The log: one entry a line, on a descriptor.
///
/// Nobody waits for it: lines go into a buffer that a thread of its own writes out, since whoever reads the other end of a pipe may
/// stop to. Of an event that comes often only some lines are written, and how many were not.
package final class Log: Sendable {
    private let format: LogFormat
    private let isForJournal: Bool
    private let descriptor: Int32
    private let clock: Clock
    private let timeText: @Sendable (Int64) -> String
    private let state = Monitor(State())

    private struct State {
        var waiting: [UInt8] = []
        var limiter = LogLimiter()
        var refusals = RefusalLimiter()
        /// Lines for which there was no room, and of which nobody was told yet.
        var lost = 0
        /// Lines that were not written for whatever reason, ever.
        var leftOut = 0
        var isClosing = false
        var isClosed = false

        /// When it is time to tell of lines that were left out; nil when none were.
        var nextEnd: Int64? { [limiter.nextEnd, refusals.nextEnd].compactMap(\.self).min() }
    }

    /// A log that writes nothing before `start`.
    ///
    /// - Parameters:
    ///   - descriptor: stays open, and stays the caller's.
    ///   - isForJournal: whether systemd's journal reads it.
    ///   - timeText: of milliseconds since 1970, in the form of RFC 3339.
    package init(
        _ format: LogFormat, to descriptor: Int32, isForJournal: Bool, clock: Clock = .system,
        timeText: @escaping @Sendable (Int64) -> String
    ) {
        self.format = format
        self.descriptor = descriptor
        self.isForJournal = isForJournal
        self.clock = clock
        self.timeText = timeText
    }

    /// Begins to write.
    ///
    /// - Returns: false when the system gives no more threads.
    package func start() -> Bool {
        // A reader that goes away must not take the process with it.
        signal(SIGPIPE, SIG_IGN)
        return Thread.startDetached { self.run() }
    }

    /// Writes an entry, unless there were many about the same event lately.
    ///
    /// - Parameters:
    ///   - level: how much it matters.
    ///   - event: what has happened, in a word that people can search for.
    ///   - body: adds what the entry says.
    package func write(_ level: LogLevel, _ event: String, _ body: (inout LogFields) -> Void = { _ in }) {
        let now = MonotonicClock.milliseconds()
        if isAdmitted({ $0.limiter.admits(event, now: now) }) { put(line(level, event, body)) }
    }

    /// Writes an entry about a request; of those that were refused, some in a second.
    package func writeRequest(isRefused: Bool, _ body: (inout LogFields) -> Void) {
        if isRefused {
            let second = MonotonicClock.milliseconds() / 1_000
            guard isAdmitted({ $0.refusals.admits(second: second) }) else { return }
        }
        put(line(.info, "request", body))
    }

    /// Lines that were not written, since there were too many of them, ever.
    package var leftOutLines: Int { state.withLock { $0.leftOut } }

    /// Writes what waits, and says what was left out; later entries are dropped. Returns after `LogLimits.closeMilliseconds` at
    /// most, also when nobody reads.
    package func close() {
        state.withLock { $0.isClosing = true }
        state.signal()
        _ = state.wait(until: { $0.isClosed }, milliseconds: LogLimits.closeMilliseconds)
    }

    /// Asks a limiter for a line, and counts it if it is left out.
    private func isAdmitted(_ admits: (inout State) -> Bool) -> Bool {
        let (isAdmitted, isFirstLeftOut) = state.withLock { state in
            let wasQuiet = state.nextEnd == nil
            let isAdmitted = admits(&state)
            if !isAdmitted { state.leftOut += 1 }
            return (isAdmitted, !isAdmitted && wasQuiet)
        }
        // The thread has to know when it is time to tell of it.
        if isFirstLeftOut { state.signal() }
        return isAdmitted
    }

    private func line(_ level: LogLevel, _ event: String, _ body: (inout LogFields) -> Void) -> [UInt8] {
        var fields = LogFields()
        body(&fields)
        return LogLine(time: timeText(clock.now()), level: level, event: event, fields: fields)
            .bytes(format, isForJournal: isForJournal)
    }

    private func put(_ line: [UInt8]) {
        state.withLock { state in
            if state.isClosing { return }
            guard state.waiting.count + line.count <= LogLimits.waitingBytes else {
                state.lost += 1
                state.leftOut += 1
                return
            }
            state.waiting += line
        }
        state.signal()
    }

    // MARK: The log's thread

    private func run() {
        var bytes: [UInt8] = []
        var isOpen = true
        var isWithinLine = false
        while isOpen {
            waitForLines()
            isOpen = state.withLock { state in
                bytes = state.waiting
                state.waiting = []
                return !state.isClosing
            }
            bytes += linesAboutMissing(all: !isOpen)
            if isWithinLine { bytes.insert(UInt8(ascii: "\n"), at: 0) }
            let rest = bytes[write(bytes)...]
            isWithinLine = !rest.isEmpty && rest.startIndex > 0 && bytes[rest.startIndex - 1] != UInt8(ascii: "\n")
            // They have nowhere else to go; the metrics tell of them.
            if !rest.isEmpty { state.withLock { $0.leftOut += rest.count { $0 == UInt8(ascii: "\n") } } }
        }
        state.withLock { $0.isClosed = true }
        state.broadcast()
    }

    /// Waits until there is something to write.
    private func waitForLines() {
        let isReady: (State) -> Bool = { !$0.waiting.isEmpty || $0.lost > 0 || $0.isClosing }
        // What is left out wakes this, too, so that it knows when to tell of it.
        state.wait(until: { isReady($0) || $0.nextEnd != nil }, then: { _ in })
        guard let end = state.withLock({ $0.nextEnd }) else { return }
        _ = state.wait(until: isReady, milliseconds: Int(max(end - MonotonicClock.milliseconds(), 0)))
    }

    /// What to say of lines that were not written.
    private func linesAboutMissing(all: Bool) -> [UInt8] {
        let now = MonotonicClock.milliseconds()
        let (ended, lost) = state.withLock { state in
            defer { state.lost = 0 }
            var ended = state.limiter.end(now: all ? nil : now)
            let refusals = state.refusals.end(second: all ? nil : now / 1_000)
            if refusals > 0 { ended.append(("request", refusals)) }
            return (ended, state.lost)
        }
        var bytes: [UInt8] = []
        for (event, lines) in ended {
            bytes += line(.warning, "log_left_out") { fields in
                fields.add("of", event)
                fields.add("lines", lines)
            }
        }
        if lost > 0 { bytes += line(.warning, "log_lost") { $0.add("lines", lost) } }
        return bytes
    }

    /// Writes bytes, and returns how many could be written.
    private func write(_ bytes: [UInt8]) -> Int {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&item, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return written
    }

    /// Whether systemd's journal reads a descriptor: JOURNAL_STREAM names its device and inode (systemd.exec(5)).
    package static func isJournal(_ descriptor: Int32) -> Bool {
        guard let text = unsafe getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return false }
        return unsafe String(cString: text) == "\(status.st_dev):\(status.st_ino)"
    }
}
