/// Requests to a server in rounds: one on each connection, then all answers. So what waits at the same time, and is
/// handled together, depends little on how fast the machine is.
///
/// It blocks: use it in `offPool`.
struct RequestRounds {
    private let connections: [WireConnection]

    init(port: UInt16, connections count: Int) throws {
        connections = try (0..<count).map { _ in try WireConnection(port: port) }
    }

    /// Sends the requests of these numbers; each has to succeed.
    func run(_ numbers: Range<Int>, _ request: (Int) -> WireRequest) throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: connections.count) {
            let asking = connections.prefix(numbers.upperBound - start)
            for (place, connection) in asking.enumerated() { try connection.send(request(start + place).bytes) }
            for connection in asking {
                // Under valgrind on a busy machine an answer may take its time.
                guard let answer = try connection.answer(deadline: .seconds(300)) else {
                    throw Failure("closed without an answer")
                }
                try answer.succeeded()
            }
        }
    }
}
