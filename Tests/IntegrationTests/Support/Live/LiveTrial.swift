import Foundation
import Glibc
import TestSupport
import Testing

/// Writers and readers around one server that is killed and started again; at the end of each round all that readers saw
/// is compared: with one another, with the answers of the writers, with the counts that follow, and with the journal.
struct LiveTrial {
    private static let writers = 8
    private static let unfiltered = 6
    private static let filtered = 14

    private let server: Server
    private let folder: String
    private let seed: UInt64
    private var random: SeededRandom
    private var model = LiveModel()
    private var place: StreamPlace
    private var rounds = 0

    /// What has happened so far.
    private(set) var tally = Tally()

    /// Numbers to be told at the end.
    struct Tally: CustomStringConvertible {
        var events = 0
        var deliveries = 0
        var answers = 0
        var connections = 0
        var stalled = 0
        var kills = 0
        var stops = 0
        var residentBytes = 0
        var faults: [String] = []

        var description: String {
            """
            \(events) events, \(deliveries) deliveries checked, \(answers) writes answered, \(connections) connections \
            of readers, \(stalled) stalled readers, \(kills) kills, \(stops) stops, \(residentBytes >> 20) MB resident at most, \
            \(faults.count) faults
            """
        }
    }

    /// - Parameter server: without any event so far, on the data folder.
    init(_ server: Server, _ folder: String, seed: UInt64) async throws {
        (self.server, self.folder, self.seed) = (server, folder, seed)
        random = SeededRandom(seed: seed)
        guard let token = try await server.api.feed().headers["likes-sequence"], let place = StreamPlace(token) else {
            throw Failure("no place to begin at")
        }
        self.place = place
        for id in LiveWriteMaker.news + ["marker"] { try await server.api.putNews(id).succeeded() }
    }

    /// Lets so many writes happen on each connection before and after the server ends and comes back.
    mutating func round(writes: Int) async throws {
        rounds += 1
        let journey = Journey()
        journey.port = server.port
        let travellers = StreamTravellers(filters(), after: place, seed: random.next())
        let (trail, port) = (travellers, server.port)
        async let journeys = offPool { () throws -> StreamTravellers in
            var travellers = trail
            try travellers.travel(journey, .seconds(120))
            return travellers
        }
        let stalled = try await offPool { try StalledReaders(port: port, 40) }
        var written = LiveWrites()
        do {
            try await write(&written, writes, journey, isInterrupted: true)
            tally.stalled += stalled.count
            try await server.startAgain()
            journey.port = server.port
            try await write(&written, writes, journey, isInterrupted: false)
            let marker = try await server.api.like("marker", by: "marker \(rounds)").succeeded()
            journey.goal = marker.json["sequence"].integer ?? 0
        } catch {
            // The readers wait for nothing any more.
            journey.goal = 0
            _ = try? await journeys
            throw error
        }
        tally.residentBytes = max(tally.residentBytes, try ProcessView(pid: server.child.pid).residentBytes)
        try await judge(await journeys, written, through: journey.goal)
    }

    /// Some see everything, the others what concerns a few news and users; all see the marker.
    private mutating func filters() -> [StreamFilter] {
        var filters = [StreamFilter](repeating: .all, count: Self.unfiltered)
        for number in 0..<Self.filtered {
            let news = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.one(of: LiveWriteMaker.news) }
            let users = number % 2 == 0 ? ["u\(number)", "u\(number + 3)"] : []
            filters.append(StreamFilter(news: Array(Set(news)).sorted() + ["marker"], users: users))
        }
        return filters
    }

    private mutating func write(
        _ written: inout LiveWrites, _ count: Int, _ journey: Journey, isInterrupted: Bool
    ) async throws {
        let plans = (0..<Self.writers).map { writer in
            var maker = LiveWriteMaker(seed: random.next(), prefix: "\(rounds)-\(isInterrupted)-\(writer)")
            return (0..<count).map { _ in maker.next() }
        }
        let isKilled = random.once(in: 2)
        let end = isInterrupted ? Int.random(in: count...(Self.writers * count * 3 / 4), using: &random) : .max
        let (port, child) = (server.port, server.child)
        let logs = try await offPool {
            let scripts = plans.map { writes -> WireClient.Script in
                { writes.indices.contains($0) ? writes[$0].request : nil }
            }
            return try WireClient(port: port, connections: scripts.count).run(scripts) { answers in
                guard answers == end else { return }
                journey.port = nil
                child.send(isKilled ? SIGKILL : SIGTERM)
            }
        }
        for (log, plan) in zip(logs, plans) { written.note(log, of: plan) }
        guard isInterrupted else { return }
        if isKilled { tally.kills += 1 } else { tally.stops += 1 }
        let status = try await child.ended()
        if status != (isKilled ? .signal(SIGKILL) : .exit(0)) { tally.faults.append("it ended with \(status)") }
    }

    /// Compares what all have seen up to the marker.
    private mutating func judge(
        _ travellers: StreamTravellers, _ written: LiveWrites, through end: Int64
    ) async throws {
        var chronicle = travellers.chronicle
        // One more reader, which sees all of it again out of the ring or the journal.
        let again = try await EventStream.open(server, after: place.description)
        for event in try await again.events(through: end, .seconds(60)) { chronicle.note(event.block, at: event.place) }
        let events = try chronicle.events()
        var faults = chronicle.faults + written.faults(in: events)
        for account in travellers.accounts {
            faults += account.faults(in: events, redirects: model.redirects)
            tally.deliveries += account.seen.count
        }
        for event in events { model.take(event) }
        faults += model.faults
        let shown = Set(events.map(\.sequence))
        let silent = try JournalRows.withoutText(folder, after: place.sequence, through: end)
        for sequence in place.sequence + 1...end where shown.contains(sequence) == silent.contains(sequence) {
            faults.append("event \(sequence) is \(silent.contains(sequence) ? "shown" : "missing")")
        }
        faults += try await differences()
        tally.faults += faults.prefix(20)
        tally.events += events.count
        tally.answers += written.count
        tally.connections += travellers.connections
        place = StreamPlace(epoch: place.epoch, sequence: end)
    }

    /// Where the counts that follow from the events are not those that the server shows.
    private func differences() async throws -> [String] {
        var differences: [String] = []
        let feed = try await server.api.feed(limit: 1000).succeeded().json["news"].elements
        if Set(feed.compactMap { $0["id"].string }) != model.allNews { differences.append("the feed has other news") }
        for entry in feed {
            guard let id = entry["id"].string, model.likesCount(id) != entry["likesCount"].integer else { continue }
            differences.append("\(entry) has \(String(describing: model.likesCount(id))) likes by the events")
        }
        for user in model.allUsers where !user.hasPrefix("marker") {
            let given = try await server.api.profile(user).json["numberOfGivenLikes"].integer
            if given != model.numberOfGivenLikes(user) { differences.append("\(user) has given \(given ?? -1) likes") }
        }
        return differences
    }
}

/// Readers that take nothing.
final class StalledReaders: Sendable {
    private let sockets: [StreamSocket]

    /// It blocks: use it in `offPool`.
    init(port: UInt16, _ count: Int, _ query: String = "") throws {
        try OpenFiles.allow(count + 512)
        let request = streamRequest(query).bytes
        sockets = try (0..<count).map { _ in
            let socket = try StreamSocket(port: port, receiveBuffer: 4_096)
            socket.send(request)
            return socket
        }
        // That the streams are there shows in their first bytes, which are left where they are.
        for socket in sockets { try socket.wait(.seconds(), [UInt8]()) }
    }

    var count: Int { sockets.count }
}
