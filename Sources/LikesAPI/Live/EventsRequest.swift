internal import EventStreams
internal import LikesCore
internal import MicroHTTP

/// What a request for live updates asks for.
struct EventsRequest {
    let filter: EventFilter
    let start: StreamStart

    /// - Throws: `not_acceptable` for a client that does not want an event stream, `invalid_id` and `invalid_parameter`.
    init(
        _ query: Query, _ request: borrowing Request, _ reader: LikesReader, _ streams: EventStreams
    ) throws(Problem) {
        guard EventStreamType.isAccepted(request.header("Accept")) else {
            throw Problem(.notAcceptable, "this is a \(EventStreamType.name), and Accept asks for something else")
        }
        // The place first: a merge that happens now is then in the filter, or behind the place, or both.
        let start = try Self.start(since: query.text("since"), lastEventID: request.header("Last-Event-ID"), reader)
        filter = try Self.filter(query, reader) { news in streams.followed(from: news, through: start.position) }
        self.start = start
    }

    /// - Parameter followed: what a reader of these news, with the place that was named, has followed by then.
    private static func filter(
        _ query: Query, _ reader: LikesReader, followed: ([NewsID]) -> [NewsID]
    ) throws(Problem) -> EventFilter {
        let (news, users) = try query.subjects(upTo: APILimits.streamFilters)
        // What was merged lives on in its target. Its own id stays, for what happened before; and what it was in between, for what
        // happened then. What it is now counts, too, should the merge be forgotten.
        return EventFilter(news: followed(news) + news.compactMap(reader.redirect), users: users)
    }

    /// - Parameter lastEventID: goes before `since`: a browser sends it when it comes back to the same address. What makes no
    ///   sense in it is no error but a place that is not kept: after an error a browser would not come back.
    private static func start(
        since: String?, lastEventID: String?, _ reader: LikesReader
    ) throws(Problem) -> StreamStart {
        let position = reader.position
        let sinceToken = since.map(Token.init)
        if case .some(nil) = sinceToken {
            throw Problem(.invalidParameter, "since: a token out of an event's id or Likes-Sequence is expected")
        }
        let isNamed = lastEventID.map { !$0.isEmpty } ?? false
        guard let place = isNamed ? lastEventID.map(Token.init) : sinceToken else { return .now(position) }
        guard let place, place.epoch == reader.epoch, place.sequence <= position else { return .reset(position) }
        return .after(place.sequence)
    }
}

/// The media type of a stream, and whether a client wants it.
enum EventStreamType {
    static let name = "text/event-stream"

    /// Whether an `Accept` header has room for it (RFC 9110, 12.5.1): of what names it, the most exact counts.
    static func isAccepted(_ accept: String?) -> Bool {
        guard let accept, !accept.isEmpty else { return true }
        var found: (exactness: Int, isWanted: Bool)?
        for range in Preference.all(in: accept) {
            guard let exactness = [name, "text/*", "*/*"].firstIndex(of: range.name) else { continue }
            if let found, found.exactness <= exactness { continue }
            found = (exactness, range.isWanted)
        }
        return found?.isWanted ?? false
    }
}
