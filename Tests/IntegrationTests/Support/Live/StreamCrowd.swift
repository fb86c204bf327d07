import Foundation
import Glibc

/// Thousands of streams in one thread, which reads them when it is told to. It blocks: use it in `offPool`.
final class StreamCrowd {
    /// One of the readers.
    struct Member {
        let socket: StreamSocket
        /// All that has come, the head included.
        fileprivate(set) var received: [UInt8] = []
        /// Where the head ends, once it has come.
        fileprivate(set) var start: Int?
        fileprivate(set) var end: StreamEnd?

        /// What has come after the head.
        var body: ArraySlice<UInt8> { start.map { received[$0...] } ?? [] }

        /// Whether these bytes are among the last that came.
        func isLately(_ text: String) -> Bool {
            let from = max(0, received.count - 16_384)
            return unsafe received.withUnsafeBytes { unsafe $0.firstPlace(of: text, from: from) != nil }
        }

        /// The blocks that have come.
        var blocks: [StreamBlock] {
            var parser = StreamParser()
            parser.append(body)
            var blocks: [StreamBlock] = []
            while let block = parser.next() { blocks.append(block) }
            return blocks
        }
    }

    private(set) var members: [Member] = []
    /// One for each member, in their order; those that have ended are not looked at.
    private var entries: [pollfd] = []

    /// Opens streams and waits for the head of each; anything but 200 is a failure.
    init(
        port: UInt16, _ count: Int, _ query: String = "", receiveBuffer: Int32? = nil,
        deadline: Deadline = .seconds(60)
    ) throws {
        try OpenFiles.allow(count + 512)
        let request = streamRequest(query).bytes
        while members.count < count {
            // No more at once than a queue of connections that wait to be accepted surely holds.
            for _ in 0..<min(100, count - members.count) {
                let socket = try StreamSocket(port: port, receiveBuffer: receiveBuffer)
                socket.send(request)
                entries.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
                members.append(Member(socket: socket))
            }
            try read(until: { $0.start != nil }, deadline)
        }
    }

    /// Reads all of them until each is as it is awaited to be.
    func read(until isDone: (Member) -> Bool, _ deadline: Deadline = .seconds(60)) throws {
        var waiting = Set(members.indices.filter { !isDone(members[$0]) })
        while !waiting.isEmpty {
            let count = unsafe poll(&entries, nfds_t(entries.count), deadline.milliseconds)
            guard count > 0 || (count < 0 && errno == EINTR) else {
                throw Failure(
                    "\(waiting.count) of \(members.count) streams still wait, one after: \(lastBytes(waiting))")
            }
            for index in entries.indices where entries[index].revents != 0 {
                try receive(index)
                if isDone(members[index]) {
                    waiting.remove(index)
                } else if members[index].end != nil {
                    throw Failure("a stream ended too early: \(lastBytes([index]))")
                }
            }
        }
    }

    /// The first so many, or all, close their connections, or break them off.
    func leave(_ count: Int? = nil, abruptly: Bool = false) {
        for member in members.prefix(count ?? members.count) {
            if abruptly { member.socket.vanish() } else { member.socket.leave() }
        }
        members.removeFirst(count ?? members.count)
        entries.removeFirst(entries.count - members.count)
    }

    private func receive(_ index: Int) throws {
        members[index].end = members[index].socket.receive(into: &members[index].received)
        if members[index].end != nil { entries[index].fd = -1 }
        if members[index].start == nil, let (head, length) = try WireParser.streamHead(members[index].received) {
            guard head.status == 200 else { throw Failure("refused: \(lastBytes([index]))") }
            members[index].start = length
        }
    }

    private func lastBytes(_ indices: Set<Int>) -> String {
        indices.first.map { String(decoding: members[$0].received.suffix(400), as: UTF8.self) } ?? ""
    }
}

/// How many files and connections this process may have open.
enum OpenFiles {
    /// Raises the limit, if it is lower than that.
    static func allow(_ count: Int) throws {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < count else { return }
        guard limit.rlim_max >= count else { throw Failure("only \(limit.rlim_max) files can be open, not \(count)") }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
