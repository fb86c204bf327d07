/// The likes that were taken back, as far as they are remembered: whether a like is somebody's first of a news.
///
/// The oldest memory goes first. A pair that is remembered already keeps its place, so that one user who likes and
/// unlikes all day does not push out everybody else.
struct WithdrawnLikes: ~Copyable {
    private static var filler: Pair { Pair(serial: 0, user: 0) }

    private var pairs: ChunkedArray<Pair>
    private var index: HandleIndex
    private var next = 0
    private let capacity: Int
    private let key: HashKey

    private struct Pair: BitwiseCopyable, Equatable {
        let serial: UInt32
        let user: UInt32
        func hash(_ key: HashKey) -> UInt64 { key.hash(serial, user) }
    }

    init(capacity: Int, key: HashKey) {
        self.capacity = capacity
        self.key = key
        pairs = ChunkedArray(filler: Self.filler)
        index = HandleIndex()
    }

    private init(
        capacity: Int, key: HashKey, next: Int, _ pairs: consuming ChunkedArray<Pair>, _ index: consuming HandleIndex
    ) {
        self.capacity = capacity
        self.key = key
        self.next = next
        self.pairs = pairs
        self.index = index
    }

    /// A copy that shares its memory for as long as neither changes it.
    func frozenCopy() -> WithdrawnLikes {
        WithdrawnLikes(capacity: capacity, key: key, next: next, pairs.frozenCopy(), index.frozenCopy())
    }

    /// Whether a like of the news with this serial by this user was taken back before.
    func contains(serial: UInt32, user: UInt32) -> Bool {
        let pair = Pair(serial: serial, user: user)
        return index.find(hash: pair.hash(key)) { pairs[$0] == pair } != nil
    }

    /// The number of likes that are remembered.
    var count: Int { pairs.count }

    /// The number of likes that can be found; that of likes, unless something is wrong.
    var indexedCount: Int { index.count }

    /// Whether the like that is remembered at a place is found there.
    func isFound(at place: UInt32) -> Bool {
        let pair = pairs[place]
        return index.find(hash: pair.hash(key)) { pairs[$0] == pair } == place
    }

    /// The like that is remembered at a place.
    func like(at place: UInt32) -> (serial: UInt32, user: UInt32) { (pairs[place].serial, pairs[place].user) }

    /// Overwrites a memory without telling the index: a test does it damage with this.
    mutating func damage(at place: UInt32) { pairs[place] = Pair(serial: .max, user: .max) }

    mutating func remember(serial: UInt32, user: UInt32) {
        guard !contains(serial: serial, user: user) else { return }
        let place = UInt32(next)
        if next < pairs.count {
            index.remove(place, hash: pairs[place].hash(key)) { pairs[$0].hash(key) }
        } else {
            pairs.grow(to: next + 1)
        }
        let pair = Pair(serial: serial, user: user)
        pairs[place] = pair
        index.insert(place, hash: pair.hash(key)) { pairs[$0].hash(key) }
        next = next + 1 == capacity ? 0 : next + 1
    }
}

extension WithdrawnLikes {
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(UInt32(next))
        try pairs.encode(to: &encoder)
        try index.encode(to: &encoder)
    }

    init(capacity: Int, key: HashKey, from decoder: inout SnapshotDecoder) throws(JournalError) {
        let next = try decoder.number(UInt32.self)
        let pairs = try ChunkedArray(filler: Self.filler, from: &decoder)
        let index = try HandleIndex(from: &decoder)
        guard next <= pairs.count, pairs.count <= capacity else { throw SnapshotDecoder.damage }
        self.init(capacity: capacity, key: key, next: Int(next), pairs, index)
    }
}
