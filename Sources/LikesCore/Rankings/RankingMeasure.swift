/// What the likes of a news weigh in a ranking.
protocol RankingMeasure {
    /// A like was set: the weight of its news then.
    mutating func add(_ handle: UInt32, at time: Timestamp) -> Int64
    /// A like was taken back: the weight of its news then.
    mutating func remove(_ handle: UInt32, at time: Timestamp) -> Int64
    /// A news has no likes.
    mutating func clear(_ handle: UInt32)
}

/// Counts the likes that were set at a moment or later.
struct LikesSince: RankingMeasure {
    private let start: Timestamp
    private var counts: ContiguousArray<UInt32> = []

    init(_ start: Timestamp) { self.start = start }

    mutating func add(_ handle: UInt32, at time: Timestamp) -> Int64 {
        if time >= start { counts[Int(handle)] += 1 }
        return Int64(counts[Int(handle)])
    }

    mutating func remove(_ handle: UInt32, at time: Timestamp) -> Int64 {
        if time >= start { counts[Int(handle)] -= 1 }
        return Int64(counts[Int(handle)])
    }

    mutating func clear(_ handle: UInt32) { counts.set(handle, to: 0, filler: 0) }
}

/// Adds up what the likes are worth after their decay.
struct DecayedLikes: RankingMeasure {
    private let halfLife: HalfLife
    private var sums: ContiguousArray<DecayedSum> = []

    init(_ halfLife: HalfLife) { self.halfLife = halfLife }

    mutating func add(_ handle: UInt32, at time: Timestamp) -> Int64 {
        sums[Int(handle)].add(halfLife.contribution(at: time))
        return sums[Int(handle)].score
    }

    mutating func remove(_ handle: UInt32, at time: Timestamp) -> Int64 {
        sums[Int(handle)].subtract(halfLife.contribution(at: time))
        return sums[Int(handle)].score
    }

    mutating func clear(_ handle: UInt32) { sums.set(handle, to: DecayedSum(), filler: DecayedSum()) }
}

extension ContiguousArray {
    /// Sets the value of a handle, and makes the places up to it.
    mutating func set(_ handle: UInt32, to value: Element, filler: Element) {
        while count <= Int(handle) { append(filler) }
        self[Int(handle)] = value
    }
}
