/// A news with what the service itself knows of it. Never changed, only replaced.
package final class StoredNews: Sendable {
    /// What its maker says of it.
    package let news: News
    /// When it was made.
    package let createdAt: Timestamp
    /// Different for each news ever made, also when an id is used again.
    let serial: UInt32
    /// The handle of the author, if there is one.
    let author: UInt32?

    init(news: News, createdAt: Timestamp, serial: UInt32, author: UInt32?) {
        self.news = news
        self.createdAt = createdAt
        self.serial = serial
        self.author = author
    }

    /// The time by which `newest` is ordered.
    package var sortTime: Timestamp { news.publishedAt ?? createdAt }
}

/// All news, by id and by 32-bit handle. A handle is used again after its news is gone.
final class NewsCatalog {
    private var stored: [StoredNews?] = []
    private var freeHandles: [UInt32] = []
    private var index = HandleIndex()
    private var nextSerial: UInt32 = 0
    /// News whose deletion has begun; they do not exist for callers.
    private var leaving: Set<UInt32> = []

    init() {}

    /// The number of news that exist for callers.
    var count: Int { stored.count - freeHandles.count - leaving.count }

    /// The handle of a news that exists for callers.
    func find(_ id: NewsID) -> UInt32? { findStored(id).flatMap { leaving.contains($0) ? nil : $0 } }

    /// The handle of a news, also of one whose deletion has begun.
    func findStored(_ id: NewsID) -> UInt32? {
        index.find(hash: Self.hash(id)) { self[$0].news.id == id }
    }

    /// Whether the deletion of this news has begun and not ended.
    func isLeaving(_ handle: UInt32) -> Bool { leaving.contains(handle) }

    /// The handles of all news whose deletion has begun.
    var leavingHandles: [UInt32] { leaving.sorted() }

    /// The news of a handle in use.
    subscript(handle: UInt32) -> StoredNews {
        guard let news = stored[Int(handle)] else { preconditionFailure("a handle of no news") }
        return news
    }

    /// Takes in a news whose id is not there.
    func add(_ news: News, createdAt: Timestamp, author: UInt32?) -> UInt32 {
        let new = StoredNews(news: news, createdAt: createdAt, serial: nextSerial, author: author)
        nextSerial &+= 1
        let handle: UInt32
        if let free = freeHandles.popLast() {
            handle = free
            stored[Int(free)] = new
        } else {
            handle = UInt32(stored.count)
            stored.append(new)
        }
        index.insert(handle, hash: Self.hash(news.id)) { Self.hash(self[$0].news.id) }
        return handle
    }

    /// Replaces what is said of a news; id, time of making and serial stay.
    func update(_ handle: UInt32, to news: News, author: UInt32?) {
        let old = self[handle]
        stored[Int(handle)] = StoredNews(news: news, createdAt: old.createdAt, serial: old.serial, author: author)
    }

    func beginRemoval(_ handle: UInt32) { leaving.insert(handle) }

    func remove(_ handle: UInt32) {
        index.remove(handle, hash: Self.hash(self[handle].news.id)) { Self.hash(self[$0].news.id) }
        leaving.remove(handle)
        stored[Int(handle)] = nil
        freeHandles.append(handle)
    }

    private static func hash(_ id: NewsID) -> UInt64 {
        var text = id.text
        return text.withUTF8 { unsafe Hashing.hash(UnsafeRawBufferPointer($0)) }
    }
}
