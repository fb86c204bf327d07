internal import Glibc
internal import Threading

/// Connections that have been answered and are only read on, until the client has closed or time is up.
///
/// Closing them at once would make the kernel answer the bytes still coming with a reset, and the client would lose the
/// answer along with it.
struct LingeringSockets {
    private struct Entry {
        let descriptor: Int32
        let deadline: Int64
        var bytesLeft: Int
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The descriptors to watch for readability.
    var descriptors: [Int32] { entries.map(\.descriptor) }

    /// Tells the other side that nothing more comes.
    ///
    /// Here only: where CMicroHTTPD is imported too, the compiler takes `SHUT_WR` for its own, and hides it from others.
    static func endWriting(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Takes a descriptor over, one that does not block; the answer has been written.
    mutating func add(_ descriptor: Int32) {
        Self.endWriting(descriptor)
        guard entries.count < HTTPLimits.lingeringConnections else {
            close(descriptor)
            return
        }
        entries.append(
            Entry(
                descriptor: descriptor, deadline: MonotonicClock.milliseconds() + HTTPLimits.lingerMilliseconds,
                bytesLeft: HTTPLimits.lingeredBytes))
    }

    /// Milliseconds until the first of them has to be cut; nil if there is none.
    func timeout(now: Int64) -> Int? { entries.map { Int(max($0.deadline - now, 0)) }.min() }

    /// Reads what is there and closes what is done.
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
        return unsafe withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            // Safety: `recv` writes at most the length of the buffer. It does not block: the socket is one of those.
            let count = unsafe recv(entry.descriptor, buffer.baseAddress, buffer.count, 0)
            entry.bytesLeft -= max(count, 0)
            return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
        }
    }
}
