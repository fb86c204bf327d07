/// The limits of live streams, each with its reason and with what happens at its end.
package enum StreamLimits {
    /// Readers at one time when nothing else is asked for; one more is refused.
    package static let readers = 10_000

    /// Readers from one address when nothing else is asked for; one more is refused. An office, or a proxy, has one address.
    package static let readersPerAddress = 1_000

    /// News and users that all readers together may ask for by name; a reader that would make it more is refused. Each takes some
    /// 150 bytes.
    static let filterEntries = 1_000_000

    /// The most of both that can be asked for.
    package static let readersMaximum = 1_000_000

    /// Events in the ring; the oldest make room for the next. A reader that has not had the oldest is ended. Enough for a bulk
    /// of 10,000 likes and some more.
    package static let ringEvents = 16_384

    /// Bytes that the ring takes, by a count of what it holds; then, too, the oldest make room.
    package static let ringBytes = 4 << 20

    /// Events whose text is one block of the ring, at most: what is let go of at once.
    static let blockEvents = 512

    /// Bytes of text after which a block is full.
    static let blockBytes = 128 << 10

    /// Events that are read from the journal at once for a reader that comes back.
    static let pageEvents = 128

    /// Pages of the journal that are kept for others, and for a reader that takes a page bit by bit.
    static let keptPages = 32

    /// Milliseconds for which they are kept when nobody asks for any.
    static let keptPagesMilliseconds = 5_000

    /// Bytes that are sent to a reader, that had everything before, with a round. What is more has to wait until all have had theirs.
    static let bytesPerRound = 16 << 10

    /// Bytes that are sent to a reader that is behind before the next has its turn.
    static let bytesPerTurn = 64 << 10

    /// Milliseconds that are sent in one go. Then the loop looks at what has come.
    static let turnMilliseconds: Int64 = 5

    /// Bytes that a client may send behind its request; then it is ended. There is nothing that it could ask.
    static let inputBytes = 64 << 10

    /// Bytes that are given to the kernel at once.
    static let bytesPerSend = 16 << 10

    /// Bytes that the kernel takes for a reader beyond what is on its way already. So a reader that takes nothing costs
    /// kilobytes of the kernel's memory, and a fast one far away is not slowed down, as it would be by a small send buffer.
    static let unsentBytes: Int32 = 16 << 10

    /// Milliseconds from an event to the round in which it is sent, at least, so that its commit's neighbours go with it.
    static let gatherMilliseconds: Int64 = 1

    /// Milliseconds of rest after a round, at most; within this, a rest is half as long as the round before. So with many
    /// readers events go out by the dozen, and the sending takes at most two thirds of a core when they come one by one.
    static let restMilliseconds: Int64 = 20

    /// Milliseconds between two looks at all readers: for heartbeats, and for those that take nothing.
    static let patrolMilliseconds: Int64 = 100

    /// Milliseconds between two reports, at least, of readers that were refused or cut.
    static let reportMilliseconds: Int64 = 60_000

    /// Milliseconds from one heartbeat to the next when nothing else is asked for. Proxies cut what is silent for a minute.
    package static let heartbeatMilliseconds: Int64 = 15_000

    /// Milliseconds that a reader may take no bytes, when nothing else is asked for; then it is ended.
    package static let stallMilliseconds: Int64 = 30_000

    /// What both can be asked to be.
    package static let allowedMilliseconds: ClosedRange<Int64> = 1_000...3_600_000

    /// Events that may pass a reader by, since none concerned it, until it is told its new place with the next heartbeat. Half of
    /// what the ring holds: so it comes back to a place that is still in memory.
    static let eventsPerPlace = UInt64(ringEvents / 2)

    /// Events after which it is told without waiting for that, so that it does not come back to a place that is no longer kept.
    static let eventsPerUrgentPlace: UInt64 = 131_072

    /// Merges, and ends of what came of them, that are remembered for readers that come back by the id of a merged news; the oldest
    /// are forgotten. Then such a reader follows what its news is now, and misses what was in between while it was away.
    static let merges = 16_384

    /// Ends of news that are read from the journal at once at the start.
    static let newsEndsPerRead = 4_096

    /// Milliseconds that readers have to take what is due when the service stops; then they are ended as they are.
    static let stopMilliseconds: Int64 = 1_000
}
