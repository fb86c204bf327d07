/// A news with what the service itself knows of it. Never changed, only replaced.
package final class StoredNews: Sendable {
    /// What its maker says of it.
    package let news: News
    /// When it was made.
    package let createdAt: Timestamp
    /// Different for each news ever made, also when an id is used again; it grows.
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
    /// In shelves, so that a change after a frozen copy was made copies one shelf, and not everything.
    private var shelves: ContiguousArray<ContiguousArray<StoredNews?>> = []
    private static let shelfSize = 512
    /// By handle: what decides nearly all comparisons of news, at hand without a look at the news.
    private var sortKeys = ChunkedArray(filler: SortKey(time: 0, idBeginning: 0))

    /// What two news are compared by: their times, then their ids as far as they are here.
    struct SortKey: BitwiseCopyable {
        fileprivate let time: Int64
        /// The first eight bytes of the id, the first one highest; a shorter id ends in zeros, which no id has.
        fileprivate let idBeginning: UInt64
    }

    /// Handles that were ever used; they run from 0 to one less.
    private(set) var handleCount = 0
    private var freeHandles: [UInt32] = []
    private var index = HandleIndex()
    private var nextSerial: UInt32 = 0
    /// News whose deletion has begun; they do not exist for callers.
    private var leaving: Set<UInt32> = []
    private let key: HashKey

    init(key: HashKey = .random()) { self.key = key }

    /// A copy that shares its memory for as long as neither changes it.
    init(frozen other: NewsCatalog) {
        shelves = other.shelves
        sortKeys = other.sortKeys.frozenCopy()
        handleCount = other.handleCount
        freeHandles = other.freeHandles
        index = other.index.frozenCopy()
        nextSerial = other.nextSerial
        leaving = other.leaving
        key = other.key
    }

    /// The number of news that exist for callers.
    var count: Int { handleCount - freeHandles.count - leaving.count }

    /// The handle of a news that exists for callers.
    func find(_ id: NewsID) -> UInt32? { findStored(id).flatMap { leaving.contains($0) ? nil : $0 } }

    /// The handle of a news, also of one whose deletion has begun.
    func findStored(_ id: NewsID) -> UInt32? {
        index.find(hash: hash(id)) { self[$0].news.id == id }
    }

    /// Whether the deletion of this news has begun and not ended.
    func isLeaving(_ handle: UInt32) -> Bool { leaving.contains(handle) }

    /// The handles of all news whose deletion has begun.
    var leavingHandles: [UInt32] { leaving.sorted() }

    /// The news of a handle, if it is in use.
    func stored(_ handle: UInt32) -> StoredNews? {
        guard Int(handle) < handleCount else { return nil }
        return shelves[Int(handle) / Self.shelfSize][Int(handle) % Self.shelfSize]
    }

    /// The news of a handle in use.
    subscript(handle: UInt32) -> StoredNews {
        guard let news = shelves[Int(handle) / Self.shelfSize][Int(handle) % Self.shelfSize] else {
            preconditionFailure("a handle of no news")
        }
        return news
    }

    private func set(_ handle: UInt32, _ news: StoredNews?) {
        shelves[Int(handle) / Self.shelfSize][Int(handle) % Self.shelfSize] = news
        guard let news else { return }
        let beginning = news.news.id.text.utf8.prefix(8)
        let number = beginning.reduce(0) { $0 << 8 | UInt64($1) }
        sortKeys.grow(to: Int(handle) + 1)
        sortKeys[handle] = SortKey(
            time: news.sortTime.milliseconds, idBeginning: number << UInt64(8 * (8 - beginning.count)))
    }

    /// What a news in use is compared by.
    func sortKey(_ handle: UInt32) -> SortKey { sortKeys[handle] }

    /// Whether one news in use stands before another in the order of their times, the newest first, then of their ids.
    ///
    /// - Parameter key: the other's.
    func comes(_ handle: UInt32, before other: UInt32, _ key: SortKey) -> Bool {
        let own = sortKeys[handle]
        if own.time != key.time { return own.time > key.time }
        if own.idBeginning != key.idBeginning { return own.idBeginning < key.idBeginning }
        return self[handle].news.id < self[other].news.id
    }

    private func newHandle() -> UInt32 {
        if let free = freeHandles.popLast() { return free }
        if handleCount == shelves.count * Self.shelfSize {
            shelves.append(ContiguousArray(repeating: nil, count: Self.shelfSize))
        }
        handleCount += 1
        return UInt32(handleCount - 1)
    }

    /// Takes in a news whose id is not there.
    func add(_ news: News, createdAt: Timestamp, author: UInt32?) -> UInt32 {
        let handle = newHandle()
        set(handle, StoredNews(news: news, createdAt: createdAt, serial: nextSerial, author: author))
        nextSerial &+= 1
        index.insert(handle, hash: hash(news.id), hashOf: hashOfNews)
        return handle
    }

    /// Replaces what is said of a news; id, time of making and serial stay.
    func update(_ handle: UInt32, to news: News, author: UInt32?) {
        let old = self[handle]
        set(handle, StoredNews(news: news, createdAt: old.createdAt, serial: old.serial, author: author))
    }

    func beginRemoval(_ handle: UInt32) { leaving.insert(handle) }

    func remove(_ handle: UInt32) {
        index.remove(handle, hash: hashOfNews(handle), hashOf: hashOfNews)
        leaving.remove(handle)
        set(handle, nil)
        freeHandles.append(handle)
    }

    private func hashOfNews(_ handle: UInt32) -> UInt64 { hash(self[handle].news.id) }

    private func hash(_ id: NewsID) -> UInt64 {
        unsafe id.withBytes { unsafe key.hash($0) }
    }

    // MARK: Snapshots

    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(nextSerial)
        try encoder.put(UInt32(handleCount))
        try encoder.put(freeHandles)
        try encoder.put(leavingHandles)
        for handle in 0..<UInt32(handleCount) {
            if let news = stored(handle) { try news.encode(to: &encoder) }
        }
        try index.encode(to: &encoder)
    }

    init(key: HashKey, from decoder: inout SnapshotDecoder) throws(JournalError) {
        self.key = key
        nextSerial = try decoder.number(UInt32.self)
        handleCount = Int(try decoder.number(UInt32.self))
        freeHandles = try decoder.values(UInt32.zero)
        leaving = Set(try decoder.values(UInt32.zero))
        let free = Set(freeHandles)
        let shelfCount = (handleCount + Self.shelfSize - 1) / Self.shelfSize
        shelves = ContiguousArray(
            repeating: ContiguousArray(repeating: nil, count: Self.shelfSize), count: shelfCount)
        for handle in 0..<UInt32(handleCount) where !free.contains(handle) {
            set(handle, try StoredNews(from: &decoder))
        }
        index = try HandleIndex(from: &decoder)
    }
}

extension StoredNews {
    /// More than any text of a news is long.
    private static let longestText = 1 << 16

    fileprivate func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(serial)
        try encoder.put(createdAt.milliseconds)
        try encoder.put(author ?? HandleIndex.none)
        try encoder.put(news.baseLikes)
        try encoder.put(news.publishedAt?.milliseconds ?? .min)
        try encoder.put(news.id.text)
        try encoder.put(news.title)
        try encoder.put(UInt8(news.author == nil ? 0 : 1) | (news.url == nil ? 0 : 2))
        if let author = news.author { try encoder.put(author.text) }
        if let url = news.url { try encoder.put(url) }
        try encoder.put(UInt32(news.properties.count))
        for property in news.properties {
            try encoder.put(property.key)
            try encoder.put(property.value)
        }
    }

    fileprivate convenience init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        let serial = try decoder.number(UInt32.self)
        let createdAt = try decoder.number(Int64.self)
        let authorHandle = try decoder.number(UInt32.self)
        let baseLikes = try decoder.number(Int64.self)
        let publishedAt = try decoder.number(Int64.self)
        let id = NewsID(stored: try decoder.text(longest: Self.longestText))
        let title = try decoder.text(longest: Self.longestText)
        let has = try decoder.number(UInt8.self)
        let author = has & 1 == 0 ? nil : UserID(stored: try decoder.text(longest: Self.longestText))
        let url = has & 2 == 0 ? nil : try decoder.text(longest: Self.longestText)
        var properties: [News.Property] = []
        for _ in 0..<(try decoder.number(UInt32.self)) {
            let key = try decoder.text(longest: Self.longestText)
            properties.append(News.Property(key: key, value: try decoder.text(longest: Self.longestText)))
        }
        self.init(
            news: News(
                id: id, title: title, author: author, url: url,
                publishedAt: publishedAt == .min ? nil : Timestamp(milliseconds: publishedAt), baseLikes: baseLikes,
                properties: properties),
            createdAt: Timestamp(milliseconds: createdAt), serial: serial,
            author: authorHandle == HandleIndex.none ? nil : authorHandle)
    }
}
