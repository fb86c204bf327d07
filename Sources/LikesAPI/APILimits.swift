internal import LikesCore

/// Every limit of the HTTP interface beyond those of the domain, each with its reason and what happens at it.
enum APILimits {
    /// Bytes of the body that describes one news: every member at its longest, with escapes. More is 413.
    static let newsBody = 512 << 10

    /// Bytes of a body with many entries: 10,000 entries with ids of usual length. More is 413.
    static let batchBody = 8 << 20

    /// Bytes of a body where none is needed; it is read and ignored, since some clients always send one. More is 413.
    static let ignoredBody = 64 << 10

    /// Ids in one list (`PUT /v1/profiles/{user}/likes`). More is 413.
    static let listedNews = Limits.batchEntries

    /// Seconds after which a client that was turned away is asked to come again.
    static let retryAfterSeconds = 1
}
