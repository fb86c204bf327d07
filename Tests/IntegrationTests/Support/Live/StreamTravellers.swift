import Foundation
import Glibc
import Synchronization
import TestSupport

/// Where a server is to be found at the moment, and how far readers shall read: told to a thread of readers by others.
final class Journey: Sendable {
    private let portNumber = Atomic<Int>(0)
    private let goalSequence = Atomic<Int64>(.max)

    /// The port; nil while the server is down.
    var port: UInt16? {
        get { UInt16(exactly: portNumber.load(ordering: .acquiring)).flatMap { $0 == 0 ? nil : $0 } }
        set { portNumber.store(Int(newValue ?? 0), ordering: .releasing) }
    }

    /// The last event that readers wait for.
    var goal: Int64 {
        get { goalSequence.load(ordering: .acquiring) }
        set { goalSequence.store(newValue, ordering: .releasing) }
    }
}

/// Readers that come and go at random, each going on where it was: what EventSources do over a bad network.
struct StreamTravellers {
    /// One of them.
    private struct Traveller {
        var account: ReadersAccount
        var socket: StreamSocket?
        var head: [UInt8] = []
        var hasHead = false
        var parser = StreamParser()
        /// Events that it stays for.
        var patience = 0
        var isThere = false
    }

    private var travellers: [Traveller]
    private(set) var chronicle: Chronicle
    private(set) var connections = 0
    private var random: SeededRandom

    init(_ filters: [StreamFilter], after place: StreamPlace, seed: UInt64) {
        travellers = filters.map { Traveller(account: ReadersAccount($0, after: place.sequence)) }
        chronicle = Chronicle(epoch: place.epoch)
        random = SeededRandom(seed: seed)
    }

    /// What each reader has seen.
    var accounts: [ReadersAccount] { travellers.map(\.account) }

    /// Reads until each of them has come to the goal. It blocks: use it in `offPool`.
    mutating func travel(_ journey: Journey, _ deadline: Deadline) throws {
        while let late = travellers.first(where: { !$0.isThere }) {
            if deadline.passed {
                throw Failure("a reader \(late.account.filter.query) does not get beyond \(late.account.end)")
            }
            if let port = journey.port { connectAll(port) }
            var entries = travellers.map { pollfd(fd: $0.socket?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }
            unsafe poll(&entries, nfds_t(entries.count), 20)
            let goal = journey.goal
            for index in travellers.indices {
                if entries[index].revents != 0 { try receive(index) }
                travellers[index].isThere = travellers[index].account.end >= goal
                if travellers[index].isThere { travellers[index].socket = nil }
            }
        }
    }

    private mutating func connectAll(_ port: UInt16) {
        for index in travellers.indices where travellers[index].socket == nil && !travellers[index].isThere {
            // The server may be just going down.
            guard let socket = try? StreamSocket(port: port) else { return }
            let account = travellers[index].account
            let place = StreamPlace(epoch: chronicle.epoch, sequence: account.end).description
            let byQuery = random.once(in: 2)
            let parameters = account.filter.parameters + (byQuery ? ["since=" + place] : [])
            let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
            socket.send(streamRequest(query, after: byQuery ? nil : place).bytes)
            travellers[index].socket = socket
            travellers[index].head = []
            travellers[index].hasHead = false
            travellers[index].parser = StreamParser()
            travellers[index].patience = random.once(in: 4) ? .max : Int.random(in: 1...3_000, using: &random)
            connections += 1
        }
    }

    private mutating func receive(_ index: Int) throws {
        guard let socket = travellers[index].socket else { return }
        var bytes: [UInt8] = []
        let end = socket.receive(into: &bytes)
        if travellers[index].hasHead {
            travellers[index].parser.append(bytes)
        } else {
            travellers[index].head += bytes
            if let (head, length) = try WireParser.streamHead(travellers[index].head) {
                // 503: the server is just going down.
                guard head.status == 200 || head.status == 503 else {
                    throw Failure("refused: \(String(decoding: travellers[index].head, as: UTF8.self))")
                }
                travellers[index].hasHead = true
                if head.status == 200 { travellers[index].parser.append(travellers[index].head[length...]) }
            }
        }
        read(index)
        if end != nil { travellers[index].socket = nil }
    }

    private mutating func read(_ index: Int) {
        while travellers[index].patience > 0, let block = travellers[index].parser.next() {
            guard let place = block.place else { continue }
            let isEvent = block.isEvent
            if block.isReset {
                chronicle.fault("a reset, after \(travellers[index].account.end): \(block)")
            }
            travellers[index].account.note(place, isEvent: isEvent)
            guard isEvent else { continue }
            chronicle.note(block, at: place)
            travellers[index].patience -= 1
        }
        guard travellers[index].patience == 0 else { return }
        if random.once(in: 2) { travellers[index].socket?.vanish() }
        travellers[index].socket = nil
    }
}
