/// One like as it lies in memory: 24 bytes.
///
/// Two chains run through it, each from the newest to the oldest: the likes of its news and the likes of its user.
struct LikeEntry: BitwiseCopyable {
    /// Handle of the news, or `EntryRing.none` for a hole.
    var news: UInt32
    /// Handle of the user.
    var user: UInt32
    /// Address of the next older like of the same news.
    var olderOfNews: UInt32
    /// Address of the next older like by the same user.
    var olderOfUser: UInt32
    /// From the high end: 42 bits of time (milliseconds since 1970), 21 bits of distance of the sequence from the
    /// block's (biased), 1 bit that says that the like was taken back.
    private var packed: UInt64

    private static let distanceBias: Int64 = 1 << 20
    /// The distances that fit.
    static let distances = -distanceBias..<distanceBias

    init(news: UInt32, user: UInt32, olderOfNews: UInt32, olderOfUser: UInt32, at: Timestamp) {
        self.news = news
        self.user = user
        self.olderOfNews = olderOfNews
        self.olderOfUser = olderOfUser
        packed = 0
        self.at = at
        distance = 0
    }

    /// A place that was skipped: dead, and of no news.
    static func hole(distance: Int64) -> LikeEntry {
        var entry = LikeEntry(
            news: EntryRing.none, user: EntryRing.none, olderOfNews: EntryRing.none, olderOfUser: EntryRing.none,
            at: Timestamp(milliseconds: 0))
        entry.distance = distance
        entry.isDead = true
        return entry
    }

    var isHole: Bool { news == EntryRing.none }

    /// The time that is shown for the like.
    var at: Timestamp {
        get { Timestamp(milliseconds: Int64(packed >> 22)) }
        set { packed = packed & 0x3F_FFFF | UInt64(truncatingIfNeeded: newValue.milliseconds) << 22 }
    }

    var isDead: Bool {
        get { packed & 1 != 0 }
        set { packed = packed & ~1 | (newValue ? 1 : 0) }
    }

    /// How far the like's sequence is from its block's.
    var distance: Int64 {
        get { Int64(packed >> 1 & 0x1F_FFFF) - Self.distanceBias }
        set { packed = packed & ~0x3F_FFFE | UInt64(newValue + Self.distanceBias) << 1 }
    }

    /// The next older entry of one of the two chains.
    subscript(chain: Chain) -> UInt32 {
        get { chain == .ofNews ? olderOfNews : olderOfUser }
        set { if chain == .ofNews { olderOfNews = newValue } else { olderOfUser = newValue } }
    }

    /// The handle to which the entry belongs in one of the two chains.
    func owner(in chain: Chain) -> UInt32 { chain == .ofNews ? news : user }
}

/// Which of the two chains through a like is meant.
enum Chain { case ofNews, ofUser }
