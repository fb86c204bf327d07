internal import LikesCore

/// The last events, as readers get them. The oldest make room for the next.
struct EventRing {
    private var blocks = Fifo<EventBlock>()
    private var events = 0
    private var size = 0
    /// The event before the oldest one. Who has not had this one gets no more out of the ring.
    private(set) var after: UInt64
    /// The newest event.
    private(set) var through: UInt64
    /// Events that have made room for newer ones, ever.
    private(set) var dropped: UInt64 = 0

    /// A ring without events, behind one of them.
    init(after sequence: UInt64) { (after, through) = (sequence, sequence) }

    /// Takes in what happened next. When there is a gap before it, nothing older is left.
    mutating func append(_ block: EventBlock) {
        if block.after != through { begin(after: block.after) }
        blocks.append(block)
        events += Int(block.through - block.after)
        size += block.size
        through = block.through
        while blocks.count > 1, events > StreamLimits.ringEvents || size > StreamLimits.ringBytes { dropFirst() }
    }

    private mutating func begin(after sequence: UInt64) {
        let dropped = dropped + UInt64(events)
        self = EventRing(after: sequence)
        self.dropped = dropped
    }

    private mutating func dropFirst() {
        guard let block = blocks.popFirst() else { return }
        events -= Int(block.through - block.after)
        dropped += block.through - block.after
        size -= block.size
        after = block.through
    }

    /// The block with the event after this one; nil when that has not happened yet, or is gone.
    func block(after sequence: UInt64) -> EventBlock? {
        guard sequence >= after, sequence < through else { return nil }
        return blocks[blocks.prefixEnd { $0.through <= sequence }]
    }
}
