/// Events as readers have seen them, each compared with what others saw: live, out of the ring or out of the journal.
struct Chronicle: Sendable {
    let epoch: String
    private var blocks: [Int64: StreamBlock] = [:]
    private(set) var faults: [String] = []

    init(epoch: String) { self.epoch = epoch }

    /// How many different events were seen.
    var count: Int { blocks.count }

    /// Takes down an event that one reader saw.
    mutating func note(_ block: StreamBlock, at place: StreamPlace) {
        guard place.epoch == epoch else { return fault("of another epoch: \(block)") }
        if let other = blocks[place.sequence] {
            if other.bytes != block.bytes { fault("two events of one sequence:\n\(other)\n\(block)") }
        } else {
            blocks[place.sequence] = block
        }
    }

    mutating func fault(_ text: String) {
        if faults.count < 20 { faults.append(text) }
    }

    /// All events in their order.
    func events() throws -> [LiveEvent] {
        try blocks.keys.sorted().compactMap { sequence in
            guard let block = blocks[sequence] else { return nil }
            guard let event = try LiveEvent(block) else { throw Failure("not an event: \(block)") }
            return event
        }
    }
}

/// What one reader has seen between two places: everything that its filter shows, each once and in order, or not.
struct ReadersAccount: Sendable {
    let filter: StreamFilter
    /// Where the reader began; it has seen all up to here before.
    let start: Int64
    /// The last place that it was given.
    private(set) var end: Int64
    private(set) var seen: [Int64] = []
    private(set) var faults: [String] = []

    init(_ filter: StreamFilter, after start: Int64) {
        (self.filter, self.start, end) = (filter, start, start)
    }

    /// Takes down the place of a block, which has to be later than all before it.
    mutating func note(_ place: StreamPlace, isEvent: Bool) {
        if place.sequence <= end { faults.append("\(place) after \(end): a repeat, or out of order") }
        end = max(end, place.sequence)
        if isEvent { seen.append(place.sequence) }
    }

    /// All that is wrong beside the complete history.
    func faults(in history: [LiveEvent], redirects: [String: String] = [:]) -> [String] {
        let (required, allowed) = filter.verdict(on: history, redirects: redirects)
        let due = Set(required.filter { $0 > start && $0 <= end })
        let seen = Set(seen)
        let missing = due.subtracting(seen).sorted().prefix(5).map { "\(filter.query): event \($0) is missing" }
        let foreign = seen.subtracting(allowed).sorted().prefix(5).map {
            "\(filter.query): event \($0) is none of its own"
        }
        return faults.prefix(5) + missing + foreign
    }
}
