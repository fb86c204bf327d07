import Testing
import Threading

@testable import LikesCore

@Suite("An event that cannot follow is refused, and leaves everything as it was")
struct FoldErrorTests {
    private static func like(_ news: NewsID, _ user: UserID, count: Int64, given: Int64 = 1) -> LikeChange {
        LikeChange(news: news, user: user, likesCount: count, numberOfGivenLikes: given, firstTime: true)
    }

    private static let past: [LikeEvent.Change] = [
        .newsAdded(NewsChange(news: News(id: "n", title: ""), likesCount: 0)),
        .newsAdded(NewsChange(news: News(id: "leaving", title: "", baseLikes: 3), likesCount: 3)),
        .likeAdded(like("n", "a", count: 1)), .likeAdded(like("leaving", "a", count: 4, given: 2)),
        .newsRemovalStarted("leaving"), .newsAdded(NewsChange(news: News(id: "merging", title: ""), likesCount: 0)),
        .newsAdded(NewsChange(news: News(id: "other", title: ""), likesCount: 0)),
        .likeAdded(like("merging", "c", count: 1)),
        .newsMergeStarted("merging", into: "n"),
    ]

    static let wrong: [(sequence: UInt64, change: LikeEvent.Change, reason: FoldError.Reason)] = [
        (11, .likeAdded(like("n", "b", count: 2)), .gap),
        (.max, .newsRemoved("leaving"), .gap),
        (10, .likeAdded(like("unknown", "b", count: 1)), .unknownNews),
        (10, .likeAdded(like("leaving", "b", count: 5)), .unknownNews),
        (10, .likeAdded(like("n", "a", count: 2, given: 3)), .repeatedLike),
        (10, .likeAdded(like("n", "b", count: 3)), .wrongCount),
        (10, .likeAdded(like("n", "b", count: 1)), .wrongCount),
        (10, .likeAdded(like("n", "b", count: 2, given: 2)), .wrongCount),
        (10, .likeRemoved(like("n", "a", count: 0, given: 2)), .wrongCount),
        (10, .likeRemoved(like("unknown", "a", count: 0)), .unknownNews),
        (10, .likeRemoved(like("n", "b", count: 0)), .unknownLike),
        (10, .likeRemoved(like("n", "a", count: 1)), .wrongCount),
        (10, .newsAdded(NewsChange(news: News(id: "n", title: ""), likesCount: 0)), .repeatedNews),
        (10, .newsAdded(NewsChange(news: News(id: "leaving", title: ""), likesCount: 0)), .repeatedNews),
        (10, .newsUpdated(NewsChange(news: News(id: "unknown", title: ""), likesCount: 0)), .unknownNews),
        (10, .newsUpdated(NewsChange(news: News(id: "leaving", title: ""), likesCount: 0)), .unknownNews),
        (10, .newsAdded(NewsChange(news: News(id: "unknown", title: "", baseLikes: 3), likesCount: 2)), .wrongCount),
        (10, .newsUpdated(NewsChange(news: News(id: "n", title: "", baseLikes: 3), likesCount: 3)), .wrongCount),
        (10, .newsRemovalStarted("unknown"), .unknownNews),
        (10, .newsRemovalStarted("leaving"), .unknownNews),
        (10, .newsRemoved("unknown"), .unknownNews),
        (10, .newsRemoved("n"), .unknownNews),
        (10, .newsRemoved("leaving"), .wrongCount),
        (10, .likeAdded(like("merging", "b", count: 2)), .unknownNews),
        (10, .likeRedated(like("n", "b", count: 1, given: 0)), .unknownLike),
        (10, .likeRedated(like("n", "z", count: 1)), .unknownLike),
        (10, .likeRedated(like("unknown", "a", count: 1, given: 2)), .unknownNews),
        (10, .likeRedated(like("merging", "c", count: 1)), .unknownNews),
        (10, .likeRedated(like("n", "a", count: 2, given: 2)), .wrongCount),
        (10, .likeRedated(like("n", "a", count: 1, given: 1)), .wrongCount),
        (10, .likeRedated(like("n", "a", count: 1, given: 2)), .wrongTime),
        (10, .newsAdded(NewsChange(news: News(id: "merging", title: ""), likesCount: 0)), .repeatedNews),
        (10, .newsRemovalStarted("n"), .wrongMerge),
        (10, .newsRemoved("merging"), .wrongMerge),
        (10, .newsMergeStarted("unknown", into: "n"), .unknownNews),
        (10, .newsMergeStarted("n", into: "unknown"), .unknownNews),
        (10, .newsMergeStarted("n", into: "leaving"), .unknownNews),
        (10, .newsMergeStarted("leaving", into: "n"), .unknownNews),
        (10, .newsMergeStarted("merging", into: "n"), .unknownNews),
        (10, .newsMergeStarted("n", into: "n"), .wrongMerge),
        (10, .newsMergeStarted("n", into: "other"), .wrongMerge),
        (10, .newsMerged("merging", into: "other"), .wrongMerge),
        (10, .newsMerged("leaving", into: "n"), .wrongMerge),
        (10, .newsMerged("merging", into: "n"), .wrongCount),
    ]

    @Test("each reason", arguments: wrong.indices)
    func refused(index: Int) throws {
        let (sequence, change, reason) = Self.wrong[index]
        let shared = SharedLikes(LikesState())
        try shared.write { state in
            for (number, change) in Self.past.enumerated() {
                try state.fold(LikeEvent(sequence: UInt64(number + 1), at: .some, change: change))
            }
        }
        let reader = LikesReader(shared, epoch: .random())
        let (news, users): ([NewsID], [UserID]) = (["n", "leaving", "merging", "other", "unknown"], ["a", "b", "c"])
        let before = try ReadableState(reader, news: news, users: users, pageSize: 3)
        let event = LikeEvent(sequence: sequence, at: .some, change: change)
        #expect(throws: FoldError(sequence: sequence, reason: reason)) { try shared.write { try $0.fold(event) } }
        #expect(try ReadableState(reader, news: news, users: users, pageSize: 3) == before)
        // And what does fit is still taken.
        let next = LikeEvent(sequence: 10, at: .some, change: .likeRemoved(Self.like("leaving", "a", count: 3)))
        try shared.write { try $0.fold(next) }
        #expect(reader.position == 10)
    }

    @Test("a news whose event says no count, as in older journals, is taken")
    func newsWithoutCount() throws {
        let state = LikesState()
        for (number, baseLikes) in [3, 8, 0].enumerated() {
            let change = NewsChange(news: News(id: "n", title: "", baseLikes: Int64(baseLikes)), likesCount: nil)
            try state.fold(
                LikeEvent(
                    sequence: UInt64(number + 1), at: .some,
                    change: number == 0 ? .newsAdded(change) : .newsUpdated(change)))
            #expect(state.catalog.find("n").map { state.detail.likesCount($0) } == Int64(baseLikes))
        }
    }
}
