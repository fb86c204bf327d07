internal import LikesCore

/// What an event is about, for readers that want to hear of some news and users only.
///
/// The hashes are of this process. They come first in every comparison, since most readers do not want most events.
struct EventSubject: Sendable {
    let news: NewsID?
    let newsHash: Int
    let user: UserID?
    let userHash: Int
    /// Where the likes of `news` go from here on: whoever follows that follows this, too.
    let target: NewsID?

    private init(news: NewsID? = nil, user: UserID? = nil, target: NewsID? = nil) {
        self.news = news
        newsHash = news?.hashValue ?? 0
        self.user = user
        userHash = user?.hashValue ?? 0
        self.target = target
    }

    init(_ change: LikeEvent.Change) {
        switch change {
        case .likeAdded(let like), .likeRemoved(let like), .likeRedated(let like):
            self.init(news: like.news, user: like.user)
        case .newsAdded(let change), .newsUpdated(let change): self.init(news: change.news.id)
        case .newsRemovalStarted(let id), .newsRemoved(let id), .newsMerged(let id, _): self.init(news: id)
        case .newsMergeStarted(let id, let target): self.init(news: id, target: target)
        case .userRemoved(let id): self.init(user: id)
        }
    }
}
