package import LikesCore

/// How live updates look on the wire: `text/event-stream`, as the HTML standard has it. What is said of an event depends on
/// the event alone, so that one that is sent again has the same bytes.
package protocol EventFormat: Sendable {
    /// Appends an event; nothing if readers do not hear of its kind.
    func append(_ event: LikeEvent, to bytes: inout [UInt8])

    /// Appends a client's place, without an event.
    func appendPlace(_ sequence: UInt64, to bytes: inout [UInt8])

    /// Appends that the client has missed what came before its new place.
    func appendReset(_ sequence: UInt64, to bytes: inout [UInt8])

    /// Tells a client how long to wait before it comes back.
    static var retry: [UInt8] { get }

    /// Keeps a silent connection open; means nothing.
    static var heartbeat: [UInt8] { get }
}
