/// What the likes of each news weigh in a ranking.
protocol RankingMeasure {
    /// Takes in a like of a news.
    mutating func add(_ handle: UInt32, at time: Timestamp)
    /// Takes off a like of a news that was taken in before.
    mutating func remove(_ handle: UInt32, at time: Timestamp)
    /// Begins with a news, which has no likes.
    mutating func clear(_ handle: UInt32)
    /// What the likes of a news weigh.
    func weight(of handle: UInt32) -> Int64
}

/// Counts the likes that were set at a moment or later.
struct LikesSince: RankingMeasure {
    private let start: Timestamp
    private var counts: ContiguousArray<UInt32> = []

    init(_ start: Timestamp) { self.start = start }

    mutating func add(_ handle: UInt32, at time: Timestamp) {
        if time >= start { counts[Int(handle)] += 1 }
    }

    mutating func remove(_ handle: UInt32, at time: Timestamp) {
        if time >= start { counts[Int(handle)] -= 1 }
    }

    mutating func clear(_ handle: UInt32) { counts.set(handle, to: 0, filler: 0) }

    func weight(of handle: UInt32) -> Int64 { Int64(counts[Int(handle)]) }
}

/// Adds up what the likes are worth after their decay.
struct DecayedLikes: RankingMeasure {
    private let halfLife: HalfLife
    private var sums: ContiguousArray<DecayedSum> = []

    init(_ halfLife: HalfLife) { self.halfLife = halfLife }

    mutating func add(_ handle: UInt32, at time: Timestamp) {
        sums[Int(handle)].add(halfLife.contribution(at: time))
    }

    mutating func remove(_ handle: UInt32, at time: Timestamp) {
        sums[Int(handle)].subtract(halfLife.contribution(at: time))
    }

    mutating func clear(_ handle: UInt32) { sums.set(handle, to: DecayedSum(), filler: DecayedSum()) }

    func weight(of handle: UInt32) -> Int64 { sums[Int(handle)].score }
}

extension ContiguousArray {
    /// Sets the value of a handle, and makes the places up to it.
    mutating func set(_ handle: UInt32, to value: Element, filler: Element) {
        while count <= Int(handle) { append(filler) }
        self[Int(handle)] = value
    }
}
