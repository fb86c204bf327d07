/// Where the ids of merged news lead: each straight to a news that exists.
///
/// Old ids with the same target form a group, so that merging the target away moves them all at once, however long
/// a chain of merges gets.
struct NewsRedirects: Sendable {
    private struct Group {
        var target: NewsID
        var olds: [NewsID] = []
    }

    private var groups = ShardedDictionary<UInt64, Group>()
    private var groupOfOld = ShardedDictionary<NewsID, UInt64>()
    private var groupOfTarget = ShardedDictionary<NewsID, UInt64>()
    private var nextGroup: UInt64 = 0
    private var groupCount = 0

    /// No redirects.
    init() {}

    /// The redirects that `pairs` gave.
    init(pairs: some Sequence<(old: NewsID, target: NewsID)>) {
        for pair in pairs { add(pair.old, to: pair.target) }
    }

    /// Every old id with its target, in the order of the old ids' bytes.
    var pairs: [(old: NewsID, target: NewsID)] {
        groups.values.flatMap { group in group.olds.map { (old: $0, target: group.target) } }
            .sorted { $0.old < $1.old }
    }

    /// Whether there are none.
    var isEmpty: Bool { groupCount == 0 }

    /// The news into which the one with this id was merged, if it was.
    subscript(old: NewsID) -> NewsID? {
        guard !isEmpty, let group = groupOfOld[old] else { return nil }
        return groups[group]?.target
    }

    /// Whether any old id leads to this one.
    func lead(to target: NewsID) -> Bool { !isEmpty && groupOfTarget[target] != nil }

    /// Lets `old`, and all that led there, lead to `target`, which itself leads nowhere.
    mutating func add(_ old: NewsID, to target: NewsID) {
        var moved = [old]
        var kept = groupOfTarget.removeValue(forKey: target)
        if let other = groupOfTarget.removeValue(forKey: old) {
            // The larger group stays: over many merges no id moves often.
            if let group = kept, count(group) >= count(other) {
                moved += takeApart(other)
            } else {
                if let group = kept { moved += takeApart(group) }
                kept = other
            }
        }
        let group = kept ?? nextGroup
        if kept == nil {
            nextGroup += 1
            groupCount += 1
        }
        groupOfTarget[target] = group
        groups[group, default: Group(target: target)].target = target
        groups[group]?.olds += moved
        for old in moved { groupOfOld[old] = group }
    }

    /// Frees every id that leads to a news which is being removed.
    mutating func free(leadingTo target: NewsID) {
        guard let group = groupOfTarget.removeValue(forKey: target) else { return }
        for old in takeApart(group) { groupOfOld[old] = nil }
    }

    /// How many ids lead to a news.
    func count(leadingTo target: NewsID) -> Int { groupOfTarget[target].map(count) ?? 0 }

    private func count(_ group: UInt64) -> Int { groups[group]?.olds.count ?? 0 }

    private mutating func takeApart(_ group: UInt64) -> [NewsID] {
        guard let removed = groups.removeValue(forKey: group) else { return [] }
        groupCount -= 1
        return removed.olds
    }
}

extension NewsRedirects {
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        let pairs = pairs
        try encoder.put(UInt32(pairs.count))
        for pair in pairs {
            try encoder.put(pair.old.text)
            try encoder.put(pair.target.text)
        }
    }

    init(from decoder: inout SnapshotDecoder) throws(JournalError) {
        var pairs: [(old: NewsID, target: NewsID)] = []
        for _ in 0..<(try decoder.number(UInt32.self)) {
            let old = NewsID(stored: try decoder.text(longest: Limits.identifierBytes))
            pairs.append((old, NewsID(stored: try decoder.text(longest: Limits.identifierBytes))))
        }
        self.init(pairs: pairs)
    }
}
