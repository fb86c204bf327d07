internal import LikesCore

/// What a request asks the feed for.
struct FeedRequest {
    let sort: FeedSort
    let viewer: UserID?
    let limit: Int
    /// The last entry of the page before.
    let after: FeedKey?

    /// The list whose cursors are understood.
    var list: Cursor.List { .feed(sort) }

    /// - Parameter halfLife: of `trending`.
    init(_ query: Query, halfLife: HalfLife) throws(Problem) {
        sort = try query.sort(halfLife)
        viewer = try query.viewer()
        limit = try query.limit()
        if case .feed(let key)? = try query.cursor(of: .feed(sort)) { after = key } else { after = nil }
    }
}
