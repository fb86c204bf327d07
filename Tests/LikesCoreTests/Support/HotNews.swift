@testable import LikesCore

/// News that very many users like, too many to be deleted in one commit.
enum HotNews {
    /// A journal of such news, all liked by the users u0, u1 and so on, and of `other`, which nobody likes.
    static func journal(_ ids: [NewsID], likers: Int, author: UserID? = nil, baseLikes: Int64 = 0) -> RecordingJournal {
        var events: [LikeEvent] = []
        func append(_ change: LikeEvent.Change) {
            events.append(LikeEvent(sequence: UInt64(events.count + 1), at: .some, change: change))
        }
        for id in ids + ["other"] {
            append(
                .newsAdded(
                    NewsChange(
                        news: News(id: id, title: "", author: author, baseLikes: baseLikes), likesCount: baseLikes)))
        }
        for (index, id) in ids.enumerated() {
            for number in 0..<likers {
                append(
                    .likeAdded(
                        LikeChange(
                            news: id, user: .user(number), likesCount: baseLikes + Int64(number + 1),
                            numberOfGivenLikes: Int64(index + 1), firstTime: true)))
            }
        }
        return RecordingJournal(events: events)
    }
}
