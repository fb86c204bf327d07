/// Who likes what, with the time of each like: the only truth about likes.
///
/// A set of pairs that can also be listed by news and by user, newest first. A like costs an entry of 18 bytes,
/// rarely 24, and about 5 bytes of index. A like taken back is marked dead and left to the sweep, which runs a few steps with every
/// change, so that toggling does not grow memory and nothing ever pauses.
final class LikeLog {
    /// The newest entry of a chain, and how many live likes it has.
    struct Head: BitwiseCopyable {
        var newest = EntryRing.none
        var count: UInt32 = 0
    }

    /// Its bounds change by `append`, and by `dropAll` and `take` of the log.
    var ring: EntryRing
    private var index: HandleIndex
    private var newsHeads: ChunkedArray<Head>
    private var userHeads: ChunkedArray<Head>
    var sweep: Sweep?
    private let key: HashKey

    /// The number of likes.
    private(set) var count: UInt32 = 0

    /// The number of likes that can be found; that of likes, unless something is wrong.
    var indexedCount: Int { index.count }

    /// Bytes that the index takes.
    var indexByteCount: Int { index.byteCount }

    /// Dead entries below which a sweep is not worth its while.
    let dustLimit: UInt32
    /// 1.2 MB, at 18 bytes each.
    static let defaultDustLimit: UInt32 = 65_536

    /// An empty log.
    ///
    /// - Parameters:
    ///   - start: the ring's first address; see `EntryRing`.
    ///   - dustLimit: tests make it small, so that sweeps come often.
    ///   - key: of the hash function.
    init(start: UInt32 = 0, dustLimit: UInt32 = LikeLog.defaultDustLimit, key: HashKey = .random()) {
        ring = EntryRing(start: start)
        index = HandleIndex(origin: ring.base)
        newsHeads = ChunkedArray(filler: Head())
        userHeads = ChunkedArray(filler: Head())
        self.dustLimit = dustLimit
        self.key = key
    }

    /// A copy that shares its memory for as long as neither changes it.
    init(frozen other: LikeLog) {
        ring = other.ring.frozenCopy()
        index = other.index.frozenCopy()
        newsHeads = other.newsHeads.frozenCopy()
        userHeads = other.userHeads.frozenCopy()
        sweep = other.sweep?.frozenCopy()
        count = other.count
        dustLimit = other.dustLimit
        key = other.key
    }

    /// The log that `encode` wrote. Its entries lie in a section of their own: the ring is to be set yet.
    init(dustLimit: UInt32, key: HashKey, from decoder: inout SnapshotDecoder) throws(JournalError) {
        ring = EntryRing()
        self.dustLimit = dustLimit
        self.key = key
        count = try decoder.number(UInt32.self)
        index = try HandleIndex(from: &decoder)
        newsHeads = try ChunkedArray(filler: Head(), from: &decoder)
        userHeads = try ChunkedArray(filler: Head(), from: &decoder)
        if try decoder.number(UInt32.self) == 1 { sweep = try Sweep(from: &decoder) }
    }

    /// Writes all but the ring's entries.
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        try encoder.put(count)
        try index.encode(to: &encoder)
        try newsHeads.encode(to: &encoder)
        try userHeads.encode(to: &encoder)
        try encoder.put(UInt32(sweep == nil ? 0 : 1))
        try sweep?.encode(to: &encoder)
    }

    /// Entries that only wait to be swept: likes taken back, and holes.
    var deadCount: UInt32 { ring.occupied - count }

    /// Whether no further like can be kept.
    var isFull: Bool { ring.occupied >= Limits.likes }

    /// The address of a like, if it is there.
    func find(news: UInt32, user: UInt32) -> UInt32? {
        index.find(hash: key.hash(news, user)) { ring.isLike(at: $0, of: news, by: user) }
    }

    /// When the user liked the news, if it does.
    func likedAt(news: UInt32, user: UInt32) -> Timestamp? { find(news: news, user: user).map { ring[$0].at } }

    /// The number of likes of a news, or by a user.
    func count(_ chain: Chain, of owner: UInt32) -> UInt32 { head(chain, of: owner).count }

    /// Adds a like, which becomes the newest of both its chains.
    ///
    /// - Parameter sequence: larger than that of any like before.
    /// - Returns: false when it was there already.
    @discardableResult
    func add(news: UInt32, user: UInt32, at: Timestamp, sequence: UInt64) -> Bool {
        guard find(news: news, user: user) == nil else { return false }
        var ofNews = head(.ofNews, of: news)
        var ofUser = head(.ofUser, of: user)
        let entry = LikeEntry(
            news: news, user: user, olderOfNews: ofNews.newest, olderOfUser: ofUser.newest, at: at)
        let address = ring.append(entry, sequence: sequence)
        ofNews.newest = address
        ofNews.count += 1
        ofUser.newest = address
        ofUser.count += 1
        setHead(ofNews, .ofNews, of: news)
        setHead(ofUser, .ofUser, of: user)
        index.insert(address, hash: key.hash(news, user), hashOf: hashOfEntry)
        count += 1
        sweep?.noteAppended(address, news: news, user: user)
        return true
    }

    /// Takes a like back.
    ///
    /// - Returns: the time that it had; nil when it was not there.
    @discardableResult
    func remove(news: UInt32, user: UInt32) -> Timestamp? {
        guard let address = find(news: news, user: user) else { return nil }
        index.remove(address, hash: key.hash(news, user), hashOf: hashOfEntry)
        ring[address].isDead = true
        count -= 1
        for (chain, owner) in [(Chain.ofNews, news), (.ofUser, user)] {
            var head = head(chain, of: owner)
            head.count -= 1
            setHead(head, chain, of: owner)
            tidyFront(chain, of: owner)
        }
        // Nothing moves an entry but the sweep.
        return ring[address].at
    }

    /// Gives a like another time; its place in the order of likes stays.
    ///
    /// - Returns: false when it is not there.
    @discardableResult
    func redate(news: UInt32, user: UInt32, at: Timestamp) -> Bool {
        guard let address = find(news: news, user: user) else { return false }
        ring[address].at = at
        return true
    }

    /// Lets go of the dead entries among the first few of a chain, so that showing the newest likes stays fast
    /// and the head is always alive. Each dead entry is let go once, so this costs little over time.
    private func tidyFront(_ chain: Chain, of owner: UInt32) {
        var head = head(chain, of: owner)
        var predecessor: UInt32?
        var live = 0
        var address = head.newest
        while address != EntryRing.none, live <= Limits.newestLikers {
            let entry = ring[address]
            if entry.isDead {
                if let predecessor { ring[predecessor][chain] = entry[chain] } else { head.newest = entry[chain] }
                sweep?.noteUnlinked(address, chain, of: owner, predecessor: predecessor)
            } else {
                predecessor = address
                live += 1
            }
            address = entry[chain]
        }
        setHead(head, chain, of: owner)
    }

    private func hashOfEntry(_ address: UInt32) -> UInt64 {
        let (news, user) = ring.owners(at: address)
        return key.hash(news, user)
    }
}

// What the paging and the sweep need.
extension LikeLog {
    func head(_ chain: Chain, of owner: UInt32) -> Head {
        switch chain {
        case .ofNews: Int(owner) < newsHeads.count ? newsHeads[owner] : Head()
        case .ofUser: Int(owner) < userHeads.count ? userHeads[owner] : Head()
        }
    }

    func setHead(_ head: Head, _ chain: Chain, of owner: UInt32) {
        switch chain {
        case .ofNews:
            newsHeads.grow(to: Int(owner) + 1)
            newsHeads[owner] = head
        case .ofUser:
            userHeads.grow(to: Int(owner) + 1)
            userHeads[owner] = head
        }
    }

    /// Sets the number of likes right.
    func correct(count: UInt32) { self.count = count }

    /// Tells the index that a live entry has moved.
    func noteMoved(from old: UInt32, to new: UInt32, entry: LikeEntry) {
        index.replace(old, with: new, hash: key.hash(entry.news, entry.user), hashOf: hashOfEntry)
    }

    /// Gives up everything before an address; nothing there is alive.
    func dropAll(before address: UInt32) {
        ring.dropAll(before: address)
        index.origin = ring.base
    }

    /// Takes in the entries of a snapshot, which belong to what `encode` wrote.
    func take(_ entries: consuming EntryRing) {
        ring = entries
        index.origin = ring.base
    }
}
