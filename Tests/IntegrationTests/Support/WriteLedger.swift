import TestSupport
import Testing

/// A write of a client, and what it does to what that client alone writes.
enum Write: Sendable, Hashable {
    case put(news: String, title: String)
    case delete(news: String)
    case like(LikeKey)
    case unlike(LikeKey)

    var request: WireRequest {
        switch self {
        case .put(let news, let title):
            WireRequest("PUT", API.news(news), body: JSON.object(["title": .string(title)]).text)
        case .delete(let news): WireRequest("DELETE", API.news(news))
        case .like(let like): WireRequest("PUT", API.like(like.news, like.user))
        case .unlike(let like): WireRequest("DELETE", API.like(like.news, like.user))
        }
    }
}

/// A user and a news.
struct LikeKey: Sendable, Hashable {
    let news: String
    let user: String
}

/// The news and likes that there are.
struct World: Equatable {
    var titles: [String: String] = [:]
    var likes: Set<LikeKey> = []

    /// What is there after a write; `shared` are news that always exist.
    func after(_ write: Write, shared: [String]) -> World {
        var world = self
        switch write {
        case .put(let news, let title): world.titles[news] = title
        case .delete(let news):
            world.titles[news] = nil
            world.likes = world.likes.filter { $0.news != news }
        case .like(let like):
            if shared.contains(like.news) || titles[like.news] != nil { world.likes.insert(like) }
        case .unlike(let like): world.likes.remove(like)
        }
        return world
    }

    /// The titles and likes in which two worlds differ.
    func differences(from other: World) -> (titles: [String], likes: [LikeKey]) {
        let names = Set(titles.keys).union(other.titles.keys).filter { titles[$0] != other.titles[$0] }
        return (names.sorted(), Array(likes.symmetricDifference(other.likes)))
    }
}

/// Knows every write that was answered, and compares it with what a server shows after crashes.
///
/// Each connection of each round writes for users, and one news, of its own, and likes news that all share. So from
/// its answers, in order, follows what must be there; a write without an answer makes two worlds of that, and either
/// will do.
struct WriteLedger {
    /// News that are made before and stay.
    let shared: [String]
    private let seed: UInt64
    private var worlds: [String: [World]] = [:]
    private var asked: Set<LikeKey> = []
    private(set) var answered = 0
    private(set) var unknown = 0
    /// Answers that a world as it was cannot give.
    private(set) var wrong: [String] = []
    /// The last position that an answer has told.
    private(set) var position: Int64 = 0

    init(shared: [String], seed: UInt64) {
        self.shared = shared
        self.seed = seed
    }

    /// Who writes on a connection in a round; its users and its news are named so.
    private static func owner(_ round: Int, _ connection: Int) -> String { "\(round).\(connection)" }

    /// What a connection sends in a round: the same for the same seed.
    func writes(round: Int, connection: Int, count: Int = 400) -> [Write] {
        var random = SeededRandom(seed: seed &+ UInt64(round) << 32 &+ UInt64(connection) << 16)
        let owner = Self.owner(round, connection)
        let own = owner + "-news"
        return (0..<count).map { number in
            let news = Int.random(in: 0..<3, using: &random) == 0 ? own : shared.randomElement(using: &random) ?? own
            let like = LikeKey(news: news, user: "\(owner)-\(Int.random(in: 0..<3, using: &random))")
            switch number == 0 ? 0 : Int.random(in: 0..<20, using: &random) {
            case 0, 1: return .put(news: own, title: "title \(number)")
            case 2: return .delete(news: own)
            case 3..<14: return .like(like)
            default: return .unlike(like)
            }
        }
    }

    /// Takes down what became of the writes of a connection.
    mutating func note(_ log: WireClient.Log, of writes: [Write], round: Int, connection: Int) {
        var world = World()
        for (exchange, write) in zip(log.exchanges, writes) {
            let next = world.after(write, shared: shared)
            if !Self.fits(exchange.answer, write, from: world, to: next, shared: shared) {
                wrong.append("\(write): \(exchange.answer.status) \(exchange.answer.json)")
            }
            world = next
            answered += 1
            position = max(position, exchange.answer.json["sequence"].integer ?? 0)
        }
        asked.formUnion(
            writes.prefix(log.exchanges.count + 1).compactMap { if case .like(let like) = $0 { like } else { nil } })
        var possible = [world]
        if log.unanswered != nil {
            unknown += 1
            possible.append(world.after(writes[log.exchanges.count], shared: shared))
        }
        worlds[Self.owner(round, connection)] = possible
    }

    private static func fits(
        _ answer: Answer, _ write: Write, from world: World, to next: World, shared: [String]
    ) -> Bool {
        switch write {
        case .put(let news, _): return answer.status == (world.titles[news] == nil ? 201 : 200)
        case .delete: return answer.status == 204
        case .like(let like):
            if !shared.contains(like.news), world.titles[like.news] == nil { return answer.status == 404 }
            return answer.status == (world == next ? 200 : 201) && answer.json["changed"] == .bool(world != next)
        case .unlike: return answer.status == 200 && answer.json["changed"] == .bool(world != next)
        }
    }

    /// What a comparison has found.
    struct Verdict: CustomStringConvertible {
        var lost: [String] = []
        var invented: [String] = []
        var description: String { "\(lost.count) lost, \(invented.count) invented" }
    }

    /// The users that were ever written for.
    var users: Set<String> { Set(asked.map(\.user)) }

    /// Compares what is there with what was answered.
    func compare(with actual: World) -> Verdict {
        var verdict = Verdict()
        var parts: [String: World] = [:]
        func owner(_ name: String) -> String { name.split(separator: "-").first.map(String.init) ?? "" }
        for (news, title) in actual.titles where !shared.contains(news) {
            parts[owner(news), default: World()].titles[news] = title
        }
        for like in actual.likes { parts[owner(like.user), default: World()].likes.insert(like) }
        for (name, part) in parts where worlds[name] == nil { verdict.invented.append("\(name): \(part)") }
        for (name, possible) in worlds {
            let part = parts[name, default: World()]
            let found = possible.map(part.differences).min {
                $0.titles.count + $0.likes.count < $1.titles.count + $1.likes.count
            }
            verdict.lost += found?.titles ?? []
            for like in found?.likes ?? [] {
                let isInvented = part.likes.contains(like) && !asked.contains(like)
                if isInvented { verdict.invented.append("\(like)") } else { verdict.lost.append("\(like)") }
            }
        }
        return verdict
    }
}

extension World {
    /// All that a server shows; feed, counts, lists and profiles must say the same.
    static func shown(
        by server: Server, users: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> World {
        var world = World()
        let feed = try await server.api.pages("/v1/feed", limit: 1_000).flatMap { $0.json["news"].elements }
        let ids = feed.compactMap { $0["id"].string }
        let details = try await WireClient.send(ids.map { WireRequest("GET", API.news($0)) }, port: server.port)
        var lists = try await WireClient.send(
            ids.map { WireRequest("GET", API.likers($0) + "?limit=1000") }, port: server.port
        ).map { $0.json["likes"].elements.compactMap { $0["user"].string } }
        for (index, list) in lists.enumerated() where list.count == 1_000 {
            lists[index] = try await server.api.allLikers(ids[index])
        }
        for (index, news) in ids.enumerated() {
            world.titles[news] = feed[index]["title"].string
            for user in lists[index] { world.likes.insert(LikeKey(news: news, user: user)) }
            let count = JSON.integer(Int64(Set(lists[index]).count))
            #expect(feed[index]["likesCount"] == count, "feed, \(news)", sourceLocation: sourceLocation)
            #expect(details[index].json["likesCount"] == count, "detail, \(news)", sourceLocation: sourceLocation)
        }
        let names = users.union(world.likes.map(\.user)).sorted()
        let requests = names.flatMap { name in
            [WireRequest("GET", API.profile(name)), WireRequest("GET", API.likes(of: name) + "?limit=1000")]
        }
        let answers = try await WireClient.send(requests, port: server.port)
        let given = Dictionary(grouping: world.likes, by: \.user)
        for (index, name) in names.enumerated() {
            let news = Set(given[name, default: []].map(\.news))
            let count = answers[2 * index].json["numberOfGivenLikes"]
            #expect(count == .integer(Int64(news.count)), "profile of \(name)", sourceLocation: sourceLocation)
            let list = answers[2 * index + 1].json["likes"].elements.compactMap { $0["news"].string }
            #expect(list.sorted() == news.sorted(), "likes of \(name)", sourceLocation: sourceLocation)
        }
        return world
    }
}
