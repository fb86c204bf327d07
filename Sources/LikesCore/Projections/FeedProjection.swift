/// The feed: all news in two orders, with their counts.
package final class FeedProjection: LikeProjection {
    private var newest = OrderedHandles()
    private var top = OrderedHandles()
    private var counts: ChunkedArray<Int64>
    private let catalog: NewsCatalog
    /// The last change of anything in the feed.
    private(set) var changedAt: UInt64 = 0
    /// The last change of a news' place in `newest`, since the start: for walks through the feed that take their time.
    private(set) var reorderedAt: UInt64 = 0

    init(catalog: NewsCatalog) {
        self.catalog = catalog
        counts = ChunkedArray(filler: 0)
    }

    /// A copy that shares its memory for as long as neither changes it.
    init(frozen other: FeedProjection, catalog: NewsCatalog) {
        self.catalog = catalog
        newest = other.newest
        top = other.top
        counts = other.counts.frozenCopy()
        changedAt = other.changedAt
    }

    init(catalog: NewsCatalog, from decoder: inout SnapshotDecoder) throws(JournalError) {
        self.catalog = catalog
        changedAt = try decoder.number(UInt64.self)
        counts = try ChunkedArray(filler: 0, from: &decoder)
        newest = OrderedHandles(try decoder.values(UInt32.zero))
        top = OrderedHandles(try decoder.values(UInt32.zero))
    }

    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(changedAt)
        try counts.encode(to: &encoder)
        for list in [newest, top] {
            try encoder.put(list.entries(after: list.position { _ in false }, limit: list.count))
        }
    }

    /// The number of news in the feed.
    var count: Int { newest.count }

    /// The likes of a news, `baseLikes` included.
    func likesCount(_ handle: UInt32) -> Int64 { counts[handle] }

    /// The handles of a page.
    ///
    /// - Parameter after: the last entry of the page before, which need not exist any more.
    func page(_ order: FeedOrder, after: FeedKey?, limit: Int) -> [UInt32] {
        let list = order == .newest ? newest : top
        guard let after else { return list.entries(after: list.position { _ in false }, limit: limit) }
        return list.entries(
            after: list.position { comes($0, before: after, in: order) || stands($0, at: after, in: order) },
            limit: limit)
    }

    /// What places a news in the orders.
    func key(_ handle: UInt32) -> FeedKey {
        let stored = catalog[handle]
        return FeedKey(weight: counts[handle], sortTime: stored.sortTime, id: stored.news.id)
    }

    package func likeAdded(_ like: FoldedLike) { count(by: 1, like) }

    package func likeRemoved(_ like: FoldedLike) { count(by: -1, like) }

    /// No count changes, but the times decide what the rankings show.
    package func likeRedated(_ like: FoldedLike, from old: Timestamp) { changedAt = like.sequence }

    private func count(by difference: Int64, _ like: FoldedLike) {
        changedAt = like.sequence
        guard !catalog.isLeaving(like.news) else {
            counts[like.news] += difference
            return
        }
        let position = place(of: like.news, in: top, .top)
        counts[like.news] += difference
        // Most likes change no order: the neighbour is still on its side.
        if difference > 0, isBehindNeighbour(like.news, at: position) { return }
        top.remove(after: position)
        insert(like.news, into: &top, .top)
    }

    package func newsAdded(_ news: FoldedNews) {
        changedAt = news.sequence
        counts.grow(to: Int(news.handle) + 1)
        counts[news.handle] = news.stored.news.baseLikes
        insertIntoOrders(news.handle)
    }

    package func newsUpdated(_ news: FoldedNews, from old: StoredNews) {
        changedAt = news.sequence
        if news.stored.sortTime != old.sortTime { reorderedAt = news.sequence }
        let oldKey = FeedKey(weight: counts[news.handle], sortTime: old.sortTime, id: old.news.id)
        newest.remove(after: newest.position { $0 != news.handle && comes($0, before: oldKey, in: .newest) })
        top.remove(after: top.position { $0 != news.handle && comes($0, before: oldKey, in: .top) })
        counts[news.handle] += news.stored.news.baseLikes - old.news.baseLikes
        insertIntoOrders(news.handle)
    }

    package func newsRemovalStarted(_ news: FoldedNews) {
        changedAt = news.sequence
        newest.remove(after: place(of: news.handle, in: newest, .newest))
        top.remove(after: place(of: news.handle, in: top, .top))
    }

    package func newsRemoved(_ news: FoldedNews) { changedAt = news.sequence }

    package func userRemoved(_ user: UInt32, sequence: UInt64) {}

    private func insertIntoOrders(_ handle: UInt32) {
        insert(handle, into: &newest, .newest)
        insert(handle, into: &top, .top)
    }

    private func insert(_ handle: UInt32, into list: inout OrderedHandles, _ order: FeedOrder) {
        list.insert(handle, at: place(of: handle, in: list, order))
    }

    private func place(of handle: UInt32, in list: OrderedHandles, _ order: FeedOrder) -> OrderedHandles.Position {
        let own = NewsPlace(weight: order == .top ? counts[handle] : 0, key: catalog.sortKey(handle), handle: handle)
        return list.position { comes($0, before: own, in: order) }
    }

    // MARK: Verification

    /// Sets a count right; the orders are made again afterwards.
    func correct(_ handle: UInt32, to count: Int64) { counts[handle] = count }

    /// Both orders, made from nothing but the counts: takes a while, and changes nothing.
    func remadeOrders() -> (newest: OrderedHandles, top: OrderedHandles) {
        let keyed = (0..<UInt32(catalog.handleCount)).compactMap { handle in
            catalog.stored(handle) == nil || catalog.isLeaving(handle) ? nil : (handle: handle, key: key(handle))
        }
        func ordered(_ order: FeedOrder) -> OrderedHandles {
            OrderedHandles(keyed.sorted { $0.key.comes(before: $1.key, in: order) }.map(\.handle))
        }
        return (ordered(.newest), ordered(.top))
    }

    /// Puts other orders in the place of those that are there.
    func correct(_ orders: (newest: OrderedHandles, top: OrderedHandles)) { (newest, top) = orders }

    /// Whether a news has the place that a key names. In `newest` a count, which may have changed, names no place.
    private func stands(_ handle: UInt32, at key: FeedKey, in order: FeedOrder) -> Bool {
        let own = self.key(handle)
        return own.id == key.id && own.sortTime == key.sortTime
            && (order == .newest || own.weight == key.weight)
    }

    /// Whether a news stands before a key. Counts decide first, since they are at hand.
    private func comes(_ handle: UInt32, before key: FeedKey, in order: FeedOrder) -> Bool {
        if order == .top, counts[handle] != key.weight { return counts[handle] > key.weight }
        let stored = catalog[handle]
        if stored.sortTime != key.sortTime { return stored.sortTime > key.sortTime }
        return stored.news.id < key.id
    }

    /// Where a news belongs.
    private struct NewsPlace {
        /// In `newest` it means nothing.
        let weight: Int64
        let key: NewsCatalog.SortKey
        let handle: UInt32
    }

    /// Whether a news stands before the place of another one.
    private func comes(_ handle: UInt32, before place: NewsPlace, in order: FeedOrder) -> Bool {
        if order == .top, counts[handle] != place.weight { return counts[handle] > place.weight }
        return catalog.comes(handle, before: place.handle, place.key)
    }

    /// Whether the news at a place of `top` still stands behind the one before it.
    private func isBehindNeighbour(_ handle: UInt32, at position: OrderedHandles.Position) -> Bool {
        guard let neighbour = top.entry(before: position) else { return true }
        if counts[neighbour] != counts[handle] { return counts[neighbour] > counts[handle] }
        return catalog.comes(neighbour, before: handle, catalog.sortKey(handle))
    }
}
