/// How often something was how large: a count for each bucket, and the sum, as a histogram of Prometheus has them.
///
/// Values and bounds are integers in a unit of the owner's, such as microseconds; how many of them make up the unit that is shown
/// is said when it is written.
package struct Histogram: Sendable, Equatable {
    /// The highest value of each bucket but the last, which has none; ascending.
    package let bounds: [Int64]
    /// How many values fell into each bucket, and into none before it.
    package private(set) var counts: [UInt64]
    /// Of all values.
    package private(set) var sum: Int64 = 0

    /// An empty histogram.
    package init(bounds: [Int64]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// A histogram of values that were counted elsewhere.
    ///
    /// - Parameters:
    ///   - bounds: ascending.
    ///   - counts: one more than there are bounds.
    ///   - sum: of all values.
    package init(bounds: [Int64], counts: [UInt64], sum: Int64) {
        precondition(counts.count == bounds.count + 1, "there is a count for each bound, and one for what is above all")
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
    }

    /// Takes a value in.
    package mutating func observe(_ value: Int64) {
        counts[Self.bucket(of: value, bounds)] += 1
        sum &+= value
    }

    /// The bucket that a value falls into.
    package static func bucket(of value: Int64, _ bounds: [Int64]) -> Int {
        var bucket = 0
        while bucket < bounds.count, bounds[bucket] < value { bucket += 1 }
        return bucket
    }

    /// The number of values.
    package var count: UInt64 { counts.reduce(0, +) }

    /// Bounds in microseconds from 0.1 ms to 10 s, for the time that something takes.
    package static let microseconds: [Int64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000, 10_000_000,
    ]
}
