/// Handles in an order that the caller defines, in sorted runs of bounded length.
///
/// Every operation takes the order as a predicate that holds for a prefix of the list, so the list keeps no keys.
/// A search is two binary searches; an insertion moves at most one run of 4-byte handles.
struct OrderedHandles {
    private static let longestRun = 512
    private static let shortRun = 64

    private var runs: [ContiguousArray<UInt32>] = []
    private(set) var count = 0

    /// A place between two entries.
    struct Position: Equatable {
        fileprivate var run: Int
        fileprivate var offset: Int
    }

    init() {}

    /// Handles that are in order already.
    init(_ handles: [UInt32]) {
        count = handles.count
        for start in stride(from: 0, to: handles.count, by: Self.longestRun / 2) {
            runs.append(ContiguousArray(handles[start..<min(start + Self.longestRun / 2, handles.count)]))
        }
    }

    /// The place behind the last entry for which `isBefore` holds.
    func position(where isBefore: (UInt32) -> Bool) -> Position {
        // By their numbers, so that no run is held while its last entry is looked at.
        let run = runs.indices.prefixEnd { isBefore(runs[$0][runs[$0].count - 1]) }
        guard run < runs.count else { return Position(run: run, offset: 0) }
        return Position(run: run, offset: runs[run].prefixEnd(where: isBefore))
    }

    /// The entry right before a place.
    func entry(before position: Position) -> UInt32? {
        if position.offset > 0 { return runs[position.run][position.offset - 1] }
        return position.run > 0 ? runs[position.run - 1][runs[position.run - 1].count - 1] : nil
    }

    /// Up to `limit` entries behind a place, in order.
    func entries(after position: Position, limit: Int) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(min(limit, count))
        var place = position
        while result.count < limit, place.run < runs.count {
            let run = runs[place.run]
            result.append(contentsOf: run[place.offset..<min(run.count, place.offset + limit - result.count)])
            place = Position(run: place.run + 1, offset: 0)
        }
        return result
    }

    /// Puts an entry in at a place.
    mutating func insert(_ handle: UInt32, at position: Position) {
        count += 1
        guard !runs.isEmpty else { return runs.append([handle]) }
        // Behind the last run: the end of that run.
        let run = min(position.run, runs.count - 1)
        let offset = position.run < runs.count ? position.offset : runs[run].count
        runs[run].insert(handle, at: offset)
        if runs[run].count > Self.longestRun {
            let half = runs[run].count / 2
            runs.insert(ContiguousArray(runs[run][half...]), at: run + 1)
            runs[run].removeLast(runs[run].count - half)
        }
    }

    /// Takes out the entry right behind a place.
    mutating func remove(after position: Position) {
        count -= 1
        runs[position.run].remove(at: position.offset)
        let length = runs[position.run].count
        if length == 0 {
            runs.remove(at: position.run)
        } else if length < Self.shortRun, position.run + 1 < runs.count,
            length + runs[position.run + 1].count < Self.longestRun / 2
        {
            runs[position.run].append(contentsOf: runs[position.run + 1])
            runs.remove(at: position.run + 1)
        }
    }
}
