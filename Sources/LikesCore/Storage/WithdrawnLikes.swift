/// The likes that were taken back, as far as they are remembered: whether a like is somebody's first of a news.
///
/// The oldest memory goes first. A pair that is remembered already keeps its place, so that one user who likes and
/// unlikes all day does not push out everybody else.
struct WithdrawnLikes: ~Copyable {
    private var pairs = ChunkedArray<Pair>(filler: Pair(serial: 0, user: 0))
    private var index = HandleIndex()
    private var next = 0
    private let capacity: Int

    private struct Pair: BitwiseCopyable, Equatable {
        let serial: UInt32
        let user: UInt32
        var hash: UInt64 { Hashing.hash(serial, user) }
    }

    init(capacity: Int) { self.capacity = capacity }

    /// Whether a like of the news with this serial by this user was taken back before.
    func contains(serial: UInt32, user: UInt32) -> Bool {
        let pair = Pair(serial: serial, user: user)
        return index.find(hash: pair.hash) { pairs[$0] == pair } != nil
    }

    mutating func remember(serial: UInt32, user: UInt32) {
        guard !contains(serial: serial, user: user) else { return }
        let place = UInt32(next)
        if next < pairs.count {
            index.remove(place, hash: pairs[place].hash) { pairs[$0].hash }
        } else {
            pairs.grow(to: next + 1)
        }
        let pair = Pair(serial: serial, user: user)
        pairs[place] = pair
        index.insert(place, hash: pair.hash) { pairs[$0].hash }
        next = next + 1 == capacity ? 0 : next + 1
    }
}
