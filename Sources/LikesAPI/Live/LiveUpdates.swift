internal import EventStreams
internal import LikesCore
internal import MicroHTTP

/// The answers to `GET /v1/events`.
struct LiveUpdates {
    let streams: EventStreams
    let reader: LikesReader
    let answer: Answer

    /// An answer that does not end by itself: the reader is handed to the streams.
    func events(_ query: Query, _ request: borrowing Request) throws(Problem) -> Response {
        let asked = try EventsRequest(query, request, reader)
        guard let client = request.client else { throw Problem(.invalidRequest, "the connection is gone") }
        let place: StreamPlaces.Place
        do throws(StreamPlaces.Refusal) { place = try streams.places.take(client, asked.filter) } catch {
            throw Problem(error)
        }
        return .handingOver(
            status: 200,
            headers: [
                Header("Content-Type", EventStreamType.name),
                // Nobody on the way may keep it, or gather it before passing it on.
                Header("Cache-Control", "no-cache, no-transform"), Header("X-Accel-Buffering", "no"),
                Header("Likes-Sequence", answer.token(reader.position)),
            ]
        ) { [streams] socket in streams.join(socket, place, asked.filter, from: asked.start) }
    }
}

extension Problem {
    /// What to tell a client for whom there is no place.
    init(_ refusal: StreamPlaces.Refusal) {
        switch refusal {
        case .full(let limit): self.init(.tooManyStreams, "\(limit) streams are open; repeat the request")
        case .fullForAddress(let limit):
            self.init(.tooManyStreamsOfAddress, "\(limit) streams of this address are open; repeat the request")
        case .fullOfFilters(let limit):
            self.init(.tooManyStreams, "the open streams ask for \(limit) ids by name; repeat the request")
        }
    }
}
