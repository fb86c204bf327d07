/// The events that a journal still keeps, to be read from any thread.
package struct KeptEvents: Sendable {
    /// The sequence of the oldest one; nil when there is none. It grows while old events are dropped.
    let first: @Sendable () throws(JournalError) -> UInt64?
    /// Up to so many events after a sequence, in order.
    let events: @Sendable (UInt64, Int) throws(JournalError) -> [LikeEvent]

    package init(
        first: @escaping @Sendable () throws(JournalError) -> UInt64?,
        events: @escaping @Sendable (UInt64, Int) throws(JournalError) -> [LikeEvent]
    ) {
        self.first = first
        self.events = events
    }
}

/// What the events of a journal say of each news and each user, compared with the likes of a state.
///
/// Each event of a like carries both counts as they were after it, and that of a news the news' count, so the last one
/// of a news, or of a user, says what there must be now, as long as nothing came in between that changes the count in
/// another way.
struct JournalComparison {
    private let state: LikesState
    private var bases: [Int64]
    private var counts: [Int64]
    private var given: [Int64]
    private var next: UInt64?

    /// What no event has said yet.
    private static let unsaid = Int64.min

    init(_ state: LikesState) {
        self.state = state
        bases = []
        counts = []
        given = []
        forget()
    }

    /// The sequence up to which events have been taken.
    var position: UInt64? { next.map { $0 - 1 } }

    /// Forgets what was said so far: events are missing.
    mutating func forget() {
        bases = Array(repeating: Self.unsaid, count: state.catalog.handleCount)
        counts = bases
        given = Array(repeating: Self.unsaid, count: state.users.count)
        next = nil
    }

    /// Whether an event follows the one before.
    func follows(_ event: LikeEvent) -> Bool { next == nil || next == event.sequence }

    /// Takes the next event.
    mutating func take(_ event: LikeEvent) {
        next = event.sequence + 1
        switch event.change {
        case .likeAdded(let like), .likeRemoved(let like), .likeRedated(let like):
            if let news = state.catalog.findStored(like.news) { counts[Int(news)] = like.likesCount }
            if let user = state.users.find(like.user) { given[Int(user)] = like.numberOfGivenLikes }
        case .newsAdded(let change):
            // Made again, it begins from zero.
            say(change.news, count: change.likesCount ?? change.news.baseLikes)
        case .newsUpdated(let change): say(change.news, count: change.likesCount ?? impliedCount(change.news))
        case .newsRemovalStarted, .newsRemoved, .newsMergeStarted, .newsMerged: break
        case .userRemoved(let id):
            if let user = state.users.find(id) { given[Int(user)] = 0 }
        }
    }

    /// The count of a news after it was replaced, by an event that does not carry it.
    private func impliedCount(_ news: News) -> Int64 {
        guard let handle = state.catalog.findStored(news.id) else { return Self.unsaid }
        let (base, count) = (bases[Int(handle)], counts[Int(handle)])
        return base == Self.unsaid || count == Self.unsaid ? Self.unsaid : count + news.baseLikes - base
    }

    private mutating func say(_ news: News, count: Int64) {
        guard let handle = state.catalog.findStored(news.id) else { return }
        bases[Int(handle)] = news.baseLikes
        counts[Int(handle)] = count
    }

    /// Compares what was said with the likes. What the projections show was compared with these before.
    func finish(_ tally: inout Tally) {
        for handle in 0..<UInt32(state.catalog.handleCount) {
            guard let news = state.catalog.stored(handle)?.news else { continue }
            if bases[Int(handle)] != Self.unsaid {
                tally.compare(
                    bases[Int(handle)], with: news.baseLikes, "baseLikes of news \"\(news.id.text)\" in the journal")
            }
            if counts[Int(handle)] != Self.unsaid {
                let count = news.baseLikes + Int64(state.log.count(.ofNews, of: handle))
                tally.compare(
                    counts[Int(handle)], with: count, "the last count of news \"\(news.id.text)\" in the journal")
            }
        }
        for user in 0..<UInt32(state.users.count) where given[Int(user)] != Self.unsaid && state.users.isKnown(user) {
            tally.compare(
                given[Int(user)], with: Int64(state.log.count(.ofUser, of: user)),
                "the last count of user \"\(state.users.id(of: user).text)\" in the journal")
        }
    }
}
