package import LikesCore

/// What a reader wants to hear of: everything, or what is about any of some news and users.
package struct EventFilter: Sendable {
    /// A subject that is wanted, with its hash.
    private struct Wanted<ID: Hashable & Sendable>: Sendable {
        let hash: Int
        let id: ID
    }

    // In the order of the hashes.
    private var news: [Wanted<NewsID>] = []
    private var users: [Wanted<UserID>] = []

    /// Everything.
    package init() {}

    /// What is about any of these; everything when there are none.
    package init(news: [NewsID], users: [UserID]) {
        self.news = Self.sorted(news)
        self.users = Self.sorted(users)
    }

    /// Whether nothing is left out.
    var isEverything: Bool { news.isEmpty && users.isEmpty }

    var newsIDs: [NewsID] { news.map(\.id) }
    var newsHashes: [Int] { news.map(\.hash) }
    var userHashes: [Int] { users.map(\.hash) }

    /// Whether the reader hears of an event about this.
    func admits(_ subject: EventSubject) -> Bool {
        isEverything || subject.news.map { Self.contains($0, subject.newsHash, in: news) } ?? false
            || subject.user.map { Self.contains($0, subject.userHash, in: users) } ?? false
    }

    /// Whether the reader hears of this news.
    func follows(_ id: NewsID) -> Bool { isEverything || Self.contains(id, id.hashValue, in: news) }

    /// Lets the reader hear of a news, too, into which one of its own was merged.
    mutating func follow(_ target: NewsID) { Self.insert(target, into: &news) }

    /// News and users that are named.
    package var entries: Int { news.count + users.count }

    private static func sorted<ID>(_ ids: [ID]) -> [Wanted<ID>] {
        Set(ids).map { Wanted(hash: $0.hashValue, id: $0) }.sorted { $0.hash < $1.hash }
    }

    /// The first place whose hash is not below.
    private static func place<ID>(of hash: Int, in list: [Wanted<ID>]) -> Int {
        list.prefixEnd { $0.hash < hash }
    }

    private static func contains<ID>(_ id: ID, _ hash: Int, in list: [Wanted<ID>]) -> Bool {
        var place = place(of: hash, in: list)
        while place < list.count, list[place].hash == hash {
            if list[place].id == id { return true }
            place += 1
        }
        return false
    }

    private static func insert<ID>(_ id: ID, into list: inout [Wanted<ID>]) {
        let hash = id.hashValue
        guard !contains(id, hash, in: list) else { return }
        list.insert(Wanted(hash: hash, id: id), at: place(of: hash, in: list))
    }
}
