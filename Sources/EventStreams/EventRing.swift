/// The last events, as readers get them. The oldest make room for the next.
struct EventRing {
    private var blocks: [EventBlock] = []
    /// Blocks at the beginning that are gone.
    private var gone = 0
    private var events = 0
    private var size = 0
    /// The event before the oldest one. Who has not had this one gets no more out of the ring.
    private(set) var after: UInt64
    /// The newest event.
    private(set) var through: UInt64

    /// A ring without events, behind one of them.
    init(after sequence: UInt64) { (after, through) = (sequence, sequence) }

    /// Takes in what happened next.
    ///
    /// - Returns: false when there is a gap before it: then nothing older is left.
    mutating func append(_ block: EventBlock) -> Bool {
        let follows = block.after == through
        if !follows { self = EventRing(after: block.after) }
        blocks.append(block)
        events += Int(block.through - block.after)
        size += block.size
        through = block.through
        while blocks.count - gone > 1, events > StreamLimits.ringEvents || size > StreamLimits.ringBytes { dropFirst() }
        return follows
    }

    private mutating func dropFirst() {
        let block = blocks[gone]
        events -= Int(block.through - block.after)
        size -= block.size
        after = block.through
        gone += 1
        // Now and then only: moving the rest each time would cost more than what is left lying.
        guard gone > blocks.count / 2 else { return }
        blocks.removeFirst(gone)
        gone = 0
    }

    /// The block with the event after this one; nil when that has not happened yet, or is gone.
    func block(after sequence: UInt64) -> EventBlock? {
        guard sequence >= after, sequence < through else { return nil }
        var (low, high) = (gone, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].through <= sequence { low = middle + 1 } else { high = middle }
        }
        return blocks[low]
    }
}
