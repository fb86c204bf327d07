import Testing

@testable import LikesCore

@Suite("The short form of an entry says the same as the long one, or does not take it")
struct CompactEntryTests {
    private static let address: UInt32 = 200_000_000
    private static let blockTime: Int64 = 1_800_000_000_000

    private static func entry(
        news: UInt32 = 7, user: UInt32 = 9, ofNews: UInt32 = EntryRing.none, ofUser: UInt32 = EntryRing.none,
        after milliseconds: Int64 = 0, distance: Int64 = 0, isDead: Bool = false
    ) -> LikeEntry {
        var entry = LikeEntry(
            news: news, user: user, olderOfNews: ofNews, olderOfUser: ofUser,
            at: Timestamp(milliseconds: blockTime + milliseconds))
        entry.distance = distance
        entry.isDead = isDead
        return entry
    }

    private static func compact(_ entry: LikeEntry, at address: UInt32 = address) -> CompactEntry? {
        CompactEntry(entry, at: address, blockTime: blockTime)
    }

    private static func bytes(_ entry: LikeEntry) -> [UInt8] {
        unsafe withUnsafeBytes(of: entry) { unsafe Array($0) }
    }

    @Test(
        "the same comes out",
        arguments: [
            entry(), entry(news: 1 << 23 - 2, user: 1 << 26 - 1), entry(news: 0, user: 0, isDead: true),
            entry(ofNews: address - 1, ofUser: address - (1 << 26 - 1)),
            entry(ofNews: address - (1 << 26 - 1), ofUser: address - 1),
            entry(after: 1 << 27 - 1, distance: 1 << 13 - 1), entry(after: -1 << 27, distance: -1 << 13, isDead: true),
            entry(news: 0x2A_AAAA, user: 0x155_5555, ofNews: address - 0x2AA_AAAA, after: 0x555_5555),
        ])
    func roundTrip(entry: LikeEntry) throws {
        let compact = try #require(Self.compact(entry))
        #expect(Self.bytes(compact.entry(at: Self.address, blockTime: Self.blockTime)) == Self.bytes(entry))
        #expect(compact.isLike(of: entry.news, by: entry.user))
        #expect(!compact.isLike(of: entry.news + 1, by: entry.user))
        #expect(!compact.isLike(of: entry.news, by: entry.user ^ 1 << 25))
        #expect(!compact.isLike(of: entry.news, by: entry.user | 1 << 26))
        #expect(!compact.isLike(of: entry.news | 1 << 23, by: entry.user))
    }

    @Test("a hole stays a hole")
    func hole() throws {
        let compact = try #require(Self.compact(.hole(distance: -5)))
        let hole = compact.entry(at: Self.address, blockTime: Self.blockTime)
        #expect(hole.isHole && hole.isDead && hole.distance == -5)
    }

    @Test("an older entry on the other side of the largest address")
    func goesRound() throws {
        let compact = try #require(Self.compact(Self.entry(ofNews: 0xFFFF_FFF0, ofUser: 3), at: 5))
        let entry = compact.entry(at: 5, blockTime: Self.blockTime)
        #expect(entry.olderOfNews == 0xFFFF_FFF0 && entry.olderOfUser == 3)
    }

    @Test(
        "what does not fit is not taken",
        arguments: [
            entry(news: 1 << 23 - 1), entry(user: 1 << 26), entry(ofNews: address - 1 << 26),
            entry(ofUser: address - 1 << 26), entry(ofNews: address), entry(ofUser: address + 1),
            entry(after: 1 << 27), entry(after: -1 << 27 - 1), entry(distance: 1 << 13), entry(distance: -1 << 13 - 1),
        ])
    func tooMuch(entry: LikeEntry) { #expect(Self.compact(entry) == nil) }
}
