/// A piece of an export. Taken in again in the same order, they make the same news, redirects and likes.
package enum ExportRecord {
    /// A news, with the time at which it was made.
    case news(StoredNews)
    /// An id of a news that was merged into another one.
    case merge(NewsID, into: NewsID)
    /// A like, with its original time.
    case like(news: NewsID, user: UserID, at: Timestamp)
}

/// What is to be exported: everything, or what concerns any of some news and users.
package struct ExportFilter: Sendable {
    /// Their likes, the news themselves, and the ids that lead to them.
    package let news: [NewsID]
    /// Their likes, and the news that they like.
    package let users: [UserID]

    /// With no news and no users, everything.
    package init(news: [NewsID] = [], users: [UserID] = []) {
        self.news = news
        self.users = users
    }

    /// Whether nothing is left out.
    package var isEverything: Bool { news.isEmpty && users.isEmpty }
}

extension FrozenLikes {
    /// Whether a merge has begun and not ended: its likes are then neither here nor there.
    package var isMerging: Bool {
        state.catalog.leavingHandles.contains { state.redirects[state.catalog[$0].news.id] != nil }
    }

    /// Hands out the records of an export: the news in the order in which they were made, the redirects, and the likes
    /// in the order of their arrival. News whose deletion has begun are gone. `body` returns false to end it.
    package func forEachRecord(_ filter: ExportFilter, _ body: (ExportRecord) -> Bool) {
        let selection = ExportSelection(filter, in: state)
        for handle in selection.newsInOrder where !body(.news(state.catalog[handle])) { return }
        for (old, target) in state.redirects.pairs {
            guard let handle = state.catalog.find(target), selection.includes(news: handle) else { continue }
            if !body(.merge(old, into: target)) { return }
        }
        state.log.forEachLike { entry in
            guard !state.catalog.isLeaving(entry.news), selection.includes(entry) else { return true }
            return body(
                .like(
                    news: state.catalog[entry.news].news.id, user: state.users.id(of: entry.user), at: entry.at))
        }
    }
}

/// The news and likes that a filter lets through.
private struct ExportSelection {
    private let isEverything: Bool
    /// The news that were asked for.
    private let news: Set<UInt32>
    private let users: Set<UInt32>
    /// Those, and the news that the users like; in the order in which they were made.
    let newsInOrder: [UInt32]
    private let shownNews: Set<UInt32>

    init(_ filter: ExportFilter, in state: LikesState) {
        isEverything = filter.isEverything
        news = Set(filter.news.compactMap { state.catalog.find(state.resolved($0)) })
        users = Set(filter.users.compactMap { state.users.find($0) })
        var shown = news
        for user in users {
            var below: UInt64?
            repeat {
                let part = state.log.part(
                    .ofUser, of: user, before: below, limit: Limits.pageMaximum, steps: Limits.chainSteps)
                shown.formUnion(part.likes.map(\.handle).filter { !state.catalog.isLeaving($0) })
                below = part.rest
            } while below != nil
        }
        shownNews = shown
        let all = 0..<UInt32(state.catalog.handleCount)
        let there = all.filter { state.catalog.stored($0) != nil && !state.catalog.isLeaving($0) }
        newsInOrder = (filter.isEverything ? there : there.filter(shown.contains)).sorted {
            state.catalog[$0].serial < state.catalog[$1].serial
        }
    }

    func includes(news handle: UInt32) -> Bool { isEverything || shownNews.contains(handle) }

    func includes(_ entry: LikeEntry) -> Bool {
        isEverything || news.contains(entry.news) || users.contains(entry.user)
    }
}
