internal import Synchronization

/// What has happened to readers so far; written by the streams' thread, read by any.
final class StreamCounts: Sendable {
    /// Readers that were cut, since they did not keep up.
    let cut = Atomic<Int>(0)
    /// Pages of the journal that were asked for, since the ring did not have what a reader had missed.
    let replays = Atomic<Int>(0)
    /// Events that have left the ring to make room for newer ones.
    let dropped = Atomic<UInt64>(0)
}

/// Live streams in numbers; all but the first two are counted from the start of the process on.
package struct StreamStatistics: Sendable, Equatable {
    /// Readers at this moment.
    package let open: Int
    /// Readers that there may be.
    package let limit: Int
    /// Clients that were refused.
    package let refused: Int
    /// Readers that were cut, since they took nothing or did not keep up.
    package let cut: Int
    /// Pages of the journal that were read for readers which had missed more than is in memory.
    package let replays: Int
    /// Events that are no longer in memory: who has missed them gets them from the journal.
    package let droppedEvents: UInt64
}
