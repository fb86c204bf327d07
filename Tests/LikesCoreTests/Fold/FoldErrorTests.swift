import Testing
import Threading

@testable import LikesCore

@Suite("An event that cannot follow is refused, and leaves everything as it was")
struct FoldErrorTests {
    private static func like(_ news: NewsID, _ user: UserID, count: Int64, given: Int64 = 1) -> LikeChange {
        LikeChange(news: news, user: user, likesCount: count, numberOfGivenLikes: given, firstTime: true)
    }

    private static let past: [LikeEvent.Change] = [
        .newsAdded(News(id: "n", title: "")), .newsAdded(News(id: "leaving", title: "", baseLikes: 3)),
        .likeAdded(like("n", "a", count: 1)), .likeAdded(like("leaving", "a", count: 4, given: 2)),
        .newsRemovalStarted("leaving"),
    ]

    static let wrong: [(sequence: UInt64, change: LikeEvent.Change, reason: FoldError.Reason)] = [
        (7, .likeAdded(like("n", "b", count: 2)), .gap),
        (.max, .newsRemoved("leaving"), .gap),
        (6, .likeAdded(like("unknown", "b", count: 1)), .unknownNews),
        (6, .likeAdded(like("leaving", "b", count: 5)), .unknownNews),
        (6, .likeAdded(like("n", "a", count: 2, given: 3)), .repeatedLike),
        (6, .likeAdded(like("n", "b", count: 3)), .wrongCount),
        (6, .likeAdded(like("n", "b", count: 1)), .wrongCount),
        (6, .likeAdded(like("n", "b", count: 2, given: 2)), .wrongCount),
        (6, .likeRemoved(like("n", "a", count: 0, given: 2)), .wrongCount),
        (6, .likeRemoved(like("unknown", "a", count: 0)), .unknownNews),
        (6, .likeRemoved(like("n", "b", count: 0)), .unknownLike),
        (6, .likeRemoved(like("n", "a", count: 1)), .wrongCount),
        (6, .newsAdded(News(id: "n", title: "")), .repeatedNews),
        (6, .newsAdded(News(id: "leaving", title: "")), .repeatedNews),
        (6, .newsUpdated(News(id: "unknown", title: "")), .unknownNews),
        (6, .newsUpdated(News(id: "leaving", title: "")), .unknownNews),
        (6, .newsRemovalStarted("unknown"), .unknownNews),
        (6, .newsRemovalStarted("leaving"), .unknownNews),
        (6, .newsRemoved("unknown"), .unknownNews),
        (6, .newsRemoved("n"), .unknownNews),
        (6, .newsRemoved("leaving"), .wrongCount),
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
        let (news, users): ([NewsID], [UserID]) = (["n", "leaving", "unknown"], ["a", "b"])
        let before = try ReadableState(reader, news: news, users: users, pageSize: 3)
        let event = LikeEvent(sequence: sequence, at: .some, change: change)
        #expect(throws: FoldError(sequence: sequence, reason: reason)) { try shared.write { try $0.fold(event) } }
        #expect(try ReadableState(reader, news: news, users: users, pageSize: 3) == before)
        // And what does fit is still taken.
        let next = LikeEvent(sequence: 6, at: .some, change: .likeRemoved(Self.like("leaving", "a", count: 3)))
        try shared.write { try $0.fold(next) }
        #expect(reader.position == 6)
    }
}
