/// Where the segments of a path lie in a request target.
struct PathSegments {
    /// More than any path has that there is.
    private static let most = 6

    private var ranges = InlineArray<6, Range<Int>>(repeating: 0..<0)
    /// The number of segments; of more than `most`, one more than that.
    private(set) var count = 0

    /// - Parameter target: begins with a slash; anything else has no segments.
    init(_ target: Span<UInt8>) {
        guard target.count > 0, target[0] == UInt8(ascii: "/") else { return }
        let pathEnd = target.place(of: "?") ?? target.count
        var start = 1
        for place in 1..<max(pathEnd, 1) where target[place] == UInt8(ascii: "/") {
            add(start..<place)
            start = place + 1
        }
        add(start..<max(pathEnd, start))
    }

    private mutating func add(_ range: Range<Int>) {
        if count < Self.most { ranges[count] = range }
        count = min(count + 1, Self.most + 1)
    }

    /// One that is there, or an empty one.
    subscript(index: Int) -> Range<Int> { index < count ? ranges[index] : 0..<0 }
}
