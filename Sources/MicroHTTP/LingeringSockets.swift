internal import Glibc
internal import Threading

/// Connections that get their last answer, and then are only read on, until the client has closed or time is up.
///
/// Closing them at once would make the kernel answer the bytes still coming with a reset, and the client would lose the
/// answer along with it.
struct LingeringSockets {
    private struct Entry {
        let descriptor: Int32
        /// What of the answer the kernel has not taken.
        var unsent: ArraySlice<UInt8>
        /// Whether the client sends nothing more. It may still listen.
        var hasEnded = false
        /// When it is cut at the latest, and when it is unless more of the answer goes.
        let end: Int64
        var deadline: Int64
        var bytesLeft = HTTPLimits.lingeredBytes

        var events: Int32 { (unsent.isEmpty ? 0 : POLLOUT) | (hasEnded ? 0 : POLLIN) }
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether an answer is still on its way.
    var isSending: Bool { entries.contains { !$0.unsent.isEmpty } }

    /// The descriptors to watch, and for what.
    var items: [pollfd] {
        entries.map { pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0) }
    }

    /// Tells the other side that nothing more comes.
    ///
    /// Here only: where CMicroHTTPD is imported too, the compiler takes `SHUT_WR` for its own, and hides it from others.
    static func endWriting(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Takes a descriptor over, one that does not block, and begins to send the answer.
    mutating func add(_ descriptor: Int32, _ answer: [UInt8]) {
        let now = MonotonicClock.milliseconds()
        var entry = Entry(
            descriptor: descriptor, unsent: answer[...], end: now + HTTPLimits.lastAnswerMilliseconds,
            deadline: now + HTTPLimits.lingerMilliseconds)
        guard send(&entry), entries.count < HTTPLimits.lingeringConnections else {
            close(descriptor)
            return
        }
        entries.append(entry)
    }

    /// Milliseconds until the first of them has to be cut; nil if there is none.
    func timeout(now: Int64) -> Int? { entries.map { Int(max($0.deadline - now, 0)) }.min() }

    /// Sends what goes, reads what is there and closes what is done.
    mutating func run(now: Int64) {
        guard !entries.isEmpty else { return }
        for index in entries.indices.reversed() where isDone(&entries[index], now) {
            close(entries[index].descriptor)
            entries.remove(at: index)
        }
    }

    /// Closes all of them.
    mutating func closeAll() {
        for entry in entries { close(entry.descriptor) }
        entries = []
    }

    private func isDone(_ entry: inout Entry, _ now: Int64) -> Bool {
        guard now < entry.deadline, entry.bytesLeft > 0 else { return true }
        let before = entry.unsent.count
        guard before == 0 || send(&entry) else { return true }
        // A client that reads gets all of it.
        if entry.unsent.count < before { entry.deadline = min(now + HTTPLimits.lingerMilliseconds, entry.end) }
        guard entry.hasEnded || receive(&entry) else { return true }
        return entry.hasEnded && entry.unsent.isEmpty
    }

    /// Sends what the kernel takes; false when the client is gone.
    private func send(_ entry: inout Entry) -> Bool {
        // Safety: `send` reads the bytes before it returns. It does not block: the socket is one of those.
        let count = unsafe entry.unsent.withUnsafeBytes { bytes in
            unsafe Glibc.send(entry.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 else { return errno == EAGAIN || errno == EINTR }
        entry.unsent = entry.unsent.dropFirst(count)
        if entry.unsent.isEmpty { LingeringSockets.endWriting(entry.descriptor) }
        return true
    }

    /// Reads, and forgets what was read; false when the client is gone.
    private func receive(_ entry: inout Entry) -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            // Safety: `recv` writes at most the length of the buffer. It does not block either.
            let count = unsafe recv(entry.descriptor, buffer.baseAddress, buffer.count, 0)
            entry.bytesLeft -= max(count, 0)
            entry.hasEnded = count == 0
            return count >= 0 || errno == EAGAIN || errno == EINTR
        }
    }
}
