import Foundation
import Glibc

/// Hundreds of clients, each with one connection that it keeps, in one thread. It blocks: use it in `offPool`.
final class Visitors {
    private struct Visitor {
        let socket: StreamSocket
        var received: [UInt8] = []
        /// Requests that are not answered yet.
        var waiting = 0
    }

    private var visitors: [Visitor] = []

    /// Opens the connections; whether the server takes them up is not waited for.
    init(port: UInt16, _ count: Int) throws {
        try OpenFiles.allow(count + 512)
        for _ in 0..<count { visitors.append(Visitor(socket: try StreamSocket(port: port))) }
    }

    /// How many are there.
    var count: Int { visitors.count }

    /// Those whose requests have all been answered.
    var served: [Int] { visitors.indices.filter { visitors[$0].waiting == 0 } }

    /// Sends a request for each of them.
    func ask(_ members: some Sequence<Int>, _ request: (Int) -> WireRequest) {
        for index in members {
            visitors[index].waiting += 1
            visitors[index].socket.send(request(index).bytes)
        }
    }

    /// Receives answers until so many are served, and what else is there by then.
    func receive(untilServed wanted: Int, _ deadline: Deadline = .seconds()) throws {
        while true {
            var entries = visitors.map { visitor in
                pollfd(fd: visitor.waiting > 0 ? visitor.socket.descriptor : -1, events: Int16(POLLIN), revents: 0)
            }
            let isEnough = served.count >= wanted
            let count = unsafe poll(&entries, nfds_t(entries.count), isEnough ? 0 : deadline.milliseconds)
            guard count > 0 || (count < 0 && errno == EINTR) else {
                if isEnough { return }
                throw Failure("\(served.count) of \(visitors.count) clients are served, not \(wanted)")
            }
            for index in entries.indices where entries[index].revents != 0 { try receive(index) }
        }
    }

    private func receive(_ index: Int) throws {
        let end = visitors[index].socket.receive(into: &visitors[index].received)
        var parser = WireParser(visitors[index].received)
        while let answer = try parser.next(to: "GET") {
            guard (200..<300).contains(answer.status) else { throw Failure("client \(index) is refused: \(answer)") }
            visitors[index].waiting -= 1
        }
        visitors[index].received = parser.unread
        if let end { throw Failure("client \(index) lost its connection: \(end)") }
    }

    /// Those who are served close their connections.
    func leaveServed() {
        for index in served { visitors[index].socket.leave() }
        visitors.removeAll { $0.waiting == 0 }
    }
}
