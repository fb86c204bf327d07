/// The likes that authors received, and the number of their news: only of users who wrote news, a few among many.
struct AuthorTotals {
    /// What an author's news come to.
    struct Total: BitwiseCopyable, Sendable {
        /// Of all news together, `baseLikes` included. Wide, since `baseLikes` alone may add up to more than 64 bits.
        var likes: Int128 = 0
        /// News that are there.
        var news: Int64 = 0
    }

    private var totals = ShardedDictionary<UInt32, Total>()

    init() {}

    subscript(author: UInt32) -> Total { totals[author] ?? Total() }

    /// The authors, in order of their handles.
    var handles: [UInt32] { totals.keys.sorted() }

    mutating func add(likes: Int64, news: Int64, to author: UInt32) {
        var total = self[author]
        total.likes += Int128(likes)
        total.news += news
        set(total, of: author)
    }

    mutating func set(_ total: Total, of author: UInt32) {
        totals[author] = total.news == 0 ? nil : total
    }

    /// The totals of all authors, counted from the news.
    ///
    /// - Parameter likes: the likes of a news, without its `baseLikes`.
    static func counted(_ state: LikesState, likes: (UInt32) -> UInt32) -> [UInt32: Total] {
        var totals: [UInt32: Total] = [:]
        for handle in 0..<UInt32(state.catalog.handleCount) {
            guard let stored = state.catalog.stored(handle), let author = stored.author,
                !state.catalog.isLeaving(handle)
            else { continue }
            totals[author, default: Total()].likes += Int128(stored.news.baseLikes) + Int128(likes(handle))
            totals[author, default: Total()].news += 1
        }
        return totals
    }

}

extension AuthorTotals {
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        let handles = handles
        try encoder.put(UInt32(handles.count))
        for handle in handles {
            try encoder.put(handle)
            try encoder.put(self[handle].likes)
            try encoder.put(self[handle].news)
        }
    }

    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        for _ in 0..<(try decoder.number(UInt32.self)) {
            let handle = try decoder.number(UInt32.self)
            let likes = try decoder.number(Int128.self)
            let news = try decoder.number(Int64.self)
            totals[handle] = Total(likes: likes, news: news)
        }
    }
}
