internal import LikesCore

/// The order of the feed that a request asks for.
enum FeedSort: Equatable {
    case newest
    /// By all likes.
    case top
    /// By all likes, which count as those of a window, too.
    case topOfAllTime
    /// By the likes of a window.
    case topOf(FeedWindow)
    case trending(HalfLife)

    /// - Parameters:
    ///   - sort: the parameter of this name; nil when there is none.
    ///   - window: the same.
    ///   - halfLife: of `trending`.
    init(sort: String?, window: String?, halfLife: HalfLife) throws(Problem) {
        guard window == nil || sort == "top" else {
            throw Problem(.invalidParameter, "window: it is allowed with sort=top only")
        }
        switch (sort, window) {
        case (nil, _), ("newest", _): self = .newest
        case ("trending", _): self = .trending(halfLife)
        case ("top", nil): self = .top
        case ("top", "all"): self = .topOfAllTime
        case ("top", let window):
            guard let window = FeedWindow.allCases.first(where: { $0.name == window }) else {
                throw Problem(.invalidParameter, "window: 24h, 7d, 30d and all are allowed")
            }
            self = .topOf(window)
        default: throw Problem(.invalidParameter, "sort: newest, top and trending are allowed")
        }
    }

    /// What a request writes to ask for it.
    var parameters: [(String, String)] {
        switch self {
        case .newest: [("sort", "newest")]
        case .top: [("sort", "top")]
        case .topOfAllTime: [("sort", "top"), ("window", "all")]
        case .topOf(let window): [("sort", "top"), ("window", window.name)]
        case .trending: [("sort", "trending")]
        }
    }

    /// The order, if it is one of those that are always there.
    var order: FeedOrder? {
        switch self {
        case .newest: .newest
        case .top, .topOfAllTime: .top
        case .topOf, .trending: nil
        }
    }

    /// The ranking that it needs at a moment, if it needs one.
    func ranking(at now: Timestamp) -> RankingName? {
        switch self {
        case .newest, .top, .topOfAllTime: nil
        case .topOf(let window): .likes(of: window, since: window.start(at: now))
        case .trending(let halfLife): .trending(halfLife)
        }
    }

    /// The likes of the window that an entry shows; nil for an order without a window.
    func windowLikes(_ entry: NewsEntry) -> Int64? {
        switch self {
        case .newest, .top, .trending: nil
        case .topOfAllTime: entry.likesCount
        case .topOf: entry.weight
        }
    }
}

extension FeedWindow {
    /// What a request calls it.
    fileprivate var name: String {
        switch self {
        case .day: "24h"
        case .week: "7d"
        case .month: "30d"
        }
    }
}

extension RankingName {
    /// What tells pages of it from others, though nothing happened in between: a window moves on, and another half-life is
    /// another order.
    var variant: Int64 {
        switch self {
        case .trending(let halfLife): halfLife.milliseconds
        case .likes(_, let start): start.milliseconds
        }
    }
}
