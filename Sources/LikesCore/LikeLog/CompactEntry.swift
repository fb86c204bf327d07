/// A `LikeEntry` in 18 bytes: what most of them fit in.
///
/// Handles have fewer bits, an older like is named by how far back it lies, and the time by its distance from that of
/// the block. The fields of what is looked for most, the news and the user, share one word.
struct CompactEntry: BitwiseCopyable {
    /// Bytes that one takes in a chunk: as many as the fields have, with no padding.
    static let byteCount = 18

    /// From the high end: 23 bits of the news, 26 bits of the user, 14 bits of distance of the sequence from the
    /// block's (biased), 1 bit that says that the like was taken back.
    let owners: UInt64
    /// From the high end: 26 bits back to the next older like of the news, 26 bits to that of the user (0 for none),
    /// the 12 low bits of the time.
    let links: UInt64
    /// The 16 high bits of the time: milliseconds after the block's (biased).
    let highTime: UInt16

    private static let newsBits: UInt64 = 23
    private static let userBits: UInt64 = 26
    private static let linkBits: UInt64 = 26
    private static let lowTimeBits: UInt64 = 12
    private static let distanceBits: UInt64 = 14
    private static let holeNews: UInt32 = 1 << newsBits - 1
    private static let ownersShift = distanceBits + 1
    private static let distanceBias: Int64 = 1 << (distanceBits - 1)
    /// 37 hours.
    private static let timeBias: Int64 = 1 << 27

    init(owners: UInt64, links: UInt64, highTime: UInt16) {
        self.owners = owners
        self.links = links
        self.highTime = highTime
    }

    /// The same entry in short; nil for one that needs more room.
    init?(_ entry: LikeEntry, at address: UInt32, blockTime: Int64) {
        let distance = entry.distance &+ Self.distanceBias
        guard distance >= 0, distance < 1 << Self.distanceBits else { return nil }
        let sequence = UInt64(distance) << 1 | (entry.isDead ? 1 : 0)
        guard !entry.isHole else {
            self.init(owners: ~0 << Self.ownersShift | sequence, links: 0, highTime: 0)
            return
        }
        let time = entry.at.milliseconds &- blockTime &+ Self.timeBias
        guard entry.news < Self.holeNews, entry.user < 1 << Self.userBits, time >= 0, time < 2 * Self.timeBias,
            let ofNews = Self.link(address, entry.olderOfNews), let ofUser = Self.link(address, entry.olderOfUser)
        else { return nil }
        self.init(
            owners: Self.owners(news: entry.news, user: entry.user) << Self.ownersShift | sequence,
            links: ofNews << (Self.linkBits + Self.lowTimeBits) | ofUser << Self.lowTimeBits
                | UInt64(time) & (1 << Self.lowTimeBits - 1),
            highTime: UInt16(time >> Self.lowTimeBits))
    }

    /// The entry in full.
    func entry(at address: UInt32, blockTime: Int64) -> LikeEntry {
        var entry = LikeEntry(
            news: news, user: user, olderOfNews: Self.older(address, links >> (Self.linkBits + Self.lowTimeBits)),
            olderOfUser: Self.older(address, links >> Self.lowTimeBits & (1 << Self.linkBits - 1)),
            at: Timestamp(milliseconds: blockTime &+ time))
        entry.distance = distance
        entry.isDead = owners & 1 != 0
        return entry
    }

    /// The handle of the news, or `EntryRing.none` for a hole.
    var news: UInt32 {
        let news = UInt32(owners >> (Self.ownersShift + Self.userBits))
        return news == Self.holeNews ? EntryRing.none : news
    }

    /// The handle of the user.
    var user: UInt32 { UInt32(owners >> Self.ownersShift & (1 << Self.userBits - 1)) }

    /// How far the like's sequence is from its block's.
    var distance: Int64 { Int64(owners >> 1 & (1 << Self.distanceBits - 1)) - Self.distanceBias }

    private var time: Int64 {
        Int64(UInt64(highTime) << Self.lowTimeBits | links & (1 << Self.lowTimeBits - 1)) - Self.timeBias
    }

    /// Whether this is the like of a news by a user; both handles are in use.
    func isLike(of news: UInt32, by user: UInt32) -> Bool {
        owners >> Self.ownersShift == Self.owners(news: news, user: user) && user < 1 << Self.userBits
    }

    private static func owners(news: UInt32, user: UInt32) -> UInt64 { UInt64(news) << userBits | UInt64(user) }

    /// How far back an older like lies.
    private static func link(_ address: UInt32, _ older: UInt32) -> UInt64? {
        if older == EntryRing.none { return 0 }
        let distance = UInt64(address &- older)
        return distance > 0 && distance < 1 << linkBits ? distance : nil
    }

    private static func older(_ address: UInt32, _ distance: UInt64) -> UInt32 {
        distance == 0 ? EntryRing.none : address &- UInt32(distance)
    }
}
