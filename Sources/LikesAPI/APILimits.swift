internal import LikesCore

/// Every limit of the HTTP interface beyond those of the domain, each with its reason and what happens at it.
enum APILimits {
    /// Bytes of the body that describes one news: every member at its longest, with most of it escaped. More is 413.
    static let newsBody = 128 << 10

    /// Bytes of a body with many entries: 10,000 entries with ids of usual length. More is 413.
    static let batchBody = 8 << 20

    /// Bytes of a body that asks for counts: 1,000 ids at their longest, most of them escaped. More is 413.
    static let countsBody = 1 << 20

    /// Bytes of a body that names the target of a merge: one id at its longest, all of it escaped. More is 413.
    static let mergeBody = 8 << 10

    /// Bytes of a body where none is needed; it is read and ignored, since some clients always send one. More is 413.
    static let ignoredBody = 64 << 10

    /// Values in one JSON text: 10,000 entries with all members, and many properties. More is 413; a text of nothing
    /// but small values would else take eighty times its size in memory, and its worker for seconds.
    static let jsonValues = 250_000

    /// Bytes of an answer after which a page of the feed ends before its limit; `next` leads on.
    static let pageBytes = 1 << 20

    /// Seconds after which a client that was turned away is asked to come again.
    static let retryAfterSeconds = 1

    /// Seconds for which a browser may remember what a page of another origin may do: as long as any browser keeps it.
    static let preflightSeconds = 7_200

    /// Exports that are written at one time; one more is 503. Each has a thread and keeps memory alive.
    static let exports = 2

    /// Milliseconds that an export may take; then it is cut off. For as long as it lasts, what changes in the state is kept
    /// twice, and commits are shorter.
    static let exportMilliseconds: Int64 = 3_600_000

    /// News, and users, that a stream can be asked for by name; more is 400. So many short ids fit a URL.
    static let streamFilters = 1_000

    /// Bytes of a line of an import: every member of a news at its longest, with most of it escaped. More is 413.
    static let importLine = 256 << 10

    /// Lines of an import that are handed to the mediator together; while it has them, nothing more is read.
    static let importBatch = 5_000

    /// Bytes of lines after which a batch of an import is full before it has so many: news can be large.
    static let importBatchBytes = 2 << 20

    /// Values in a line of an import: a news with all its properties has fewer than a hundred. The line is refused.
    static let importValues = 1_000

    /// Refused records that the answer to an import lists; more are only counted.
    static let importRefusals = 10_000
}
