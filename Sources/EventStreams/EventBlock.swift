internal import LikesCore

/// The text of some events in a row.
struct EventRun: Sendable {
    /// Where the text of an event ends.
    struct Mark: Sendable {
        let sequence: UInt64
        let end: Int
    }

    var bytes: [UInt8] = []
    var marks: [Mark] = []

    /// The first mark behind a sequence.
    func index(after sequence: UInt64) -> Int { marks.prefixEnd { $0.sequence <= sequence } }

    /// Where the text of an event begins.
    func start(of index: Int) -> Int { index == 0 ? 0 : marks[index - 1].end }

    /// Forgets everything but the room for it.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
    }
}

/// Some events in a row as readers get them: written once, for all.
final class EventBlock: Sendable {
    /// The event before the first one, and the last one. Those that readers do not hear of count.
    let after: UInt64
    let through: UInt64
    /// The text of those that readers hear of, and of nothing but the place of those that change what they follow.
    let run: EventRun
    /// For each mark of the run, what the event is about.
    let subjects: [EventSubject]

    private init(after: UInt64, through: UInt64, run: EventRun, subjects: [EventSubject]) {
        self.after = after
        self.through = through
        self.run = run
        self.subjects = subjects
    }

    /// Bytes that it takes, about.
    var size: Int {
        Self.overhead + run.bytes.count
            + subjects.count * (MemoryLayout<EventSubject>.stride + MemoryLayout<EventRun.Mark>.stride)
    }

    private static let overhead = 160

    /// Blocks of these events, which follow each other without a gap.
    static func blocks(of events: [LikeEvent], _ format: some EventFormat) -> [EventBlock] {
        var blocks: [EventBlock] = []
        var next = 0
        while next < events.count { blocks.append(block(of: events, from: &next, format)) }
        return blocks
    }

    private static func block(of events: [LikeEvent], from next: inout Int, _ format: some EventFormat) -> EventBlock {
        let first = next
        var run = EventRun()
        var subjects: [EventSubject] = []
        while next < events.count, next - first < StreamLimits.blockEvents, run.bytes.count < StreamLimits.blockBytes {
            let event = events[next]
            next += 1
            let start = run.bytes.count
            format.append(event, to: &run.bytes)
            let subject = EventSubject(event.change)
            guard run.bytes.count > start || subject.target != nil else { continue }
            run.marks.append(EventRun.Mark(sequence: event.sequence, end: run.bytes.count))
            subjects.append(subject)
        }
        return EventBlock(
            after: events[first].sequence - 1, through: events[next - 1].sequence, run: run, subjects: subjects)
    }

    /// What a reader wants to hear of, up to a merge that changes what that is.
    struct Selection {
        /// The last event that was looked at.
        let through: UInt64
        /// What the reader follows, too, behind that.
        let followed: NewsID?
    }

    /// Selects what a reader wants to hear of.
    ///
    /// - Parameters:
    ///   - sequence: what the reader has had.
    ///   - run: what is selected is put here, in place of what was there.
    func select(after sequence: UInt64, _ filter: EventFilter, into run: inout EventRun) -> Selection {
        run.removeAll()
        for index in self.run.index(after: sequence)..<subjects.count where filter.admits(subjects[index]) {
            let mark = self.run.marks[index]
            run.bytes += self.run.bytes[self.run.start(of: index)..<mark.end]
            run.marks.append(EventRun.Mark(sequence: mark.sequence, end: run.bytes.count))
            if let target = subjects[index].target, !filter.follows(target) {
                return Selection(through: mark.sequence, followed: target)
            }
        }
        return Selection(through: through, followed: nil)
    }
}
