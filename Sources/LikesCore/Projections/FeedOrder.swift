/// The orders of the feed that are always there.
package enum FeedOrder: Sendable {
    /// By `publishedAt`, else the time of making, descending; then by id.
    case newest
    /// By count, descending; then as `newest`.
    case top
}

/// What places a news in an order of the feed, and so a cursor: a total order, since ids differ.
package struct FeedKey: Sendable, Equatable {
    /// What `top` and the rankings are ordered by, descending: the likes, `baseLikes` included; those of a window; a score.
    /// In `newest` it means nothing.
    package let weight: Int64
    /// The time by which `newest` is ordered.
    package let sortTime: Timestamp
    /// The id, which decides between equals.
    package let id: NewsID

    package init(weight: Int64, sortTime: Timestamp, id: NewsID) {
        self.weight = weight
        self.sortTime = sortTime
        self.id = id
    }

    /// Whether a news with this key stands before one with another.
    func comes(before other: FeedKey, in order: FeedOrder) -> Bool {
        if order == .top, weight != other.weight { return weight > other.weight }
        if sortTime != other.sortTime { return sortTime > other.sortTime }
        return id < other.id
    }
}
