internal import EventStreams
internal import JSONText
internal import LikesCore

/// What a stream of server-sent events says.
///
/// The text of an event depends on nothing but the event and the journal's epoch: one that is replayed is, byte for byte,
/// the live one. Its data is one line of JSON, where a control character can only be an escape, so that no id and no title
/// can end it.
struct EventText: EventFormat {
    /// Milliseconds after which a client is asked to come back when its stream has ended.
    static let retryMilliseconds = 2_000

    /// Asks the client to come back when its stream has ended.
    static let retry = Array("retry: \(retryMilliseconds)\n\n".utf8)

    /// A comment, which shows both sides that the other one is still there.
    static let heartbeat = Array(":\n\n".utf8)

    /// The line that names a place, up to the place's sequence.
    private let placeStart: [UInt8]

    /// - Parameter epoch: that of the journal whose events are told.
    init(epoch: Epoch) { placeStart = Array("id: \(epoch.text).".utf8) }

    /// Appends an event; nothing for one that tells a client nothing, past which its place only moves.
    func append(_ event: LikeEvent, to bytes: inout [UInt8]) {
        guard let name = Self.name(of: event.change) else { return }
        append(name, at: event.sequence, to: &bytes) { $0.members(of: event) }
    }

    /// Appends a place without an event: the client remembers it, and nothing is dispatched.
    func appendPlace(_ sequence: UInt64, to bytes: inout [UInt8]) {
        appendPlaceLine(sequence, to: &bytes)
        bytes.append(Self.newline)
    }

    /// Appends that the client has to fetch anew what it shows, since the events from its place on are not to be had.
    ///
    /// - Parameter sequence: where the stream goes on.
    func appendReset(_ sequence: UInt64, to bytes: inout [UInt8]) {
        append("reset", at: sequence, to: &bytes) { $0.member("sequence", sequence) }
    }

    private func append(
        _ name: StaticString, at sequence: UInt64, to bytes: inout [UInt8], members: (inout JSONWriter) -> Void
    ) {
        appendPlaceLine(sequence, to: &bytes)
        bytes.append(contentsOf: "event: ")
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: "\ndata: ")
        JSONWriter.append(to: &bytes) { $0.object(members) }
        bytes.append(Self.newline)
        bytes.append(Self.newline)
    }

    private func appendPlaceLine(_ sequence: UInt64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: placeStart)
        JSONWriter.append(to: &bytes, room: 32) { $0.value(sequence) }
        bytes.append(Self.newline)
    }

    private static let newline = UInt8(ascii: "\n")

    /// What an event is called; nil for one that tells a client nothing: it is a step of what other events tell.
    private static func name(of change: LikeEvent.Change) -> StaticString? {
        switch change {
        case .likeAdded: "likeAdded"
        case .likeRemoved: "likeRemoved"
        case .newsAdded: "newsAdded"
        case .newsUpdated: "newsUpdated"
        case .newsRemoved, .newsMerged: "newsRemoved"
        case .userRemoved: "userRemoved"
        case .newsRemovalStarted, .newsMergeStarted, .likeRedated: nil
        }
    }
}

extension JSONWriter {
    /// The members of an event's data.
    fileprivate mutating func members(of event: LikeEvent) {
        switch event.change {
        case .likeAdded(let like), .likeRemoved(let like): members(of: like, at: event.at)
        case .newsAdded(let change), .newsUpdated(let change):
            members(of: change.news, likesCount: change.likesCount, viewerLikes: nil)
        case .newsRemoved(let id): member("news", id.text)
        case .newsMerged(let id, let target):
            member("news", id.text)
            member("mergedInto", target.text)
        case .userRemoved(let id): member("user", id.text)
        case .newsRemovalStarted, .newsMergeStarted, .likeRedated: break
        }
        member("sequence", event.sequence)
        if case .likeAdded(let like) = event.change { member("firstTime", like.firstTime) }
        if let operationID = event.operationID { member("operationId", operationID.text) }
    }

    private mutating func members(of like: LikeChange, at time: Timestamp) {
        member("news", like.news.text)
        member("user", like.user.text)
        member("likesCount", like.likesCount)
        member("numberOfGivenLikes", like.numberOfGivenLikes)
        member("at", time)
    }
}

extension [UInt8] {
    fileprivate mutating func append(contentsOf text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}
