/// Compares every count of a state with the likes themselves, a bounded number of steps at a time.
///
/// It reads a frozen copy, so that nothing changes under it. With `LiveCounts` the likes of each news and user are
/// known from their entries. Without them, a chain is the best that a single slice can know, and its length is
/// compared with the counts; the sums at the end of a pass then show likes that no chain leads to.
struct Verifier {
    private let state: LikesState
    private let live: LiveCounts?
    private let isCancelled: () -> Bool
    private(set) var tally = Tally()
    /// Steps since it was made: owners looked at, and entries passed.
    private(set) var steps = 0
    private var nextLook = 0

    /// How far a pass has come. It means the same in a later copy of the state.
    struct Place: Equatable {
        var stage = Stage.news
        var next: UInt32 = 0
    }

    /// What is looked at, in order.
    enum Stage: Int { case news, users, withdrawn, whole }

    init(_ state: LikesState, live: LiveCounts? = nil, isCancelled: @escaping () -> Bool = { false }) {
        self.state = state
        self.live = live
        self.isCancelled = isCancelled
        guard let live else { return }
        tally.orphans = live.orphans
        if live.misplaced > 0 {
            tally.note("the order of the log", "likes lie behind newer ones", times: live.misplaced)
        }
        if !tally.compare(Int(state.log.count), with: live.total, "the number of all likes") {
            tally.repairs.total = true
        }
    }

    /// Goes on with a pass.
    ///
    /// - Parameter steps: after so many it stops; the last news or user, and the end of the pass, are done as a whole.
    /// - Returns: where to go on; nil when the pass is through.
    mutating func advance(from place: Place, steps limit: Int) throws(VerificationStop) -> Place? {
        var place = place
        while steps < limit {
            if steps >= nextLook {
                if isCancelled() { throw .cancelled }
                nextLook = steps + Limits.chainSteps
            }
            guard place.next < count(place.stage) else {
                guard let stage = Stage(rawValue: place.stage.rawValue + 1) else { return nil }
                place = Place(stage: stage)
                continue
            }
            switch place.stage {
            case .news: try checkNews(place.next)
            case .users: try checkUser(place.next)
            case .withdrawn: checkWithdrawn(place.next)
            case .whole: checkWhole()
            }
            place.next += 1
        }
        return place
    }

    private func count(_ stage: Stage) -> UInt32 {
        switch stage {
        case .news: UInt32(state.catalog.handleCount)
        case .users: UInt32(state.users.count)
        case .withdrawn: UInt32(state.withdrawn.count)
        case .whole: 1
        }
    }

    // MARK: Of one news, of one user

    private mutating func checkNews(_ handle: UInt32) throws(VerificationStop) {
        let stored = state.catalog.stored(handle)
        let name = { stored.map { "news \"\($0.news.id.text)\"" } ?? "the news that was at place \(handle)" }
        let chain = try walk(.ofNews, of: handle)
        if chain.unindexed > 0 {
            tally.note("the index, of \(name())", "likes are not found: \(chain.unindexed)", times: chain.unindexed)
        }
        let (likes, isCertain) = checkChain(chain, .ofNews, of: handle, name)
        var agrees = tally.compare(state.log.count(.ofNews, of: handle), with: likes, "the count of \(name())")
        guard let stored else {
            if live == nil { tally.orphans += Int(likes) }
            if !agrees, isCertain { tally.repairs.news.insert(handle) }
            return
        }
        let shown = stored.news.baseLikes + Int64(likes)
        if !tally.compare(state.detail.likesCount(handle), with: shown, "the detail's count of \(name())") {
            agrees = false
        }
        if !tally.compare(state.feed.likesCount(handle), with: shown, "the feed's count of \(name())") {
            agrees = false
            tally.repairs.orders = true
        }
        if !agrees, isCertain { tally.repairs.news.insert(handle) }
        if state.catalog.findStored(stored.news.id) != handle {
            tally.note("the place of \(name())", "it is not found by its id")
        }
    }

    private mutating func checkUser(_ handle: UInt32) throws(VerificationStop) {
        let isKnown = state.users.isKnown(handle)
        let users = state.users
        let name = { isKnown ? "user \"\(users.id(of: handle).text)\"" : "the user who was at place \(handle)" }
        let chain = try walk(.ofUser, of: handle)
        let (likes, isCertain) = checkChain(chain, .ofUser, of: handle, name)
        if live == nil, !isKnown { tally.orphans += Int(likes) }
        var agrees = tally.compare(state.log.count(.ofUser, of: handle), with: likes, "the count of \(name())")
        let given = state.profile.numberOfGivenLikes(handle)
        if !tally.compare(given, with: Int64(likes), "the given likes of \(name())") { agrees = false }
        if !agrees, isCertain { tally.repairs.users.insert(handle) }
    }

    private mutating func walk(_ chain: Chain, of owner: UInt32) throws(VerificationStop) -> ChainCount {
        let count = try state.log.walk(chain, of: owner, isCancelled: isCancelled)
        steps += 1 + count.steps
        return count
    }

    /// Says how many likes an owner has, and whether its chain leads to just these.
    private mutating func checkChain(
        _ found: ChainCount, _ chain: Chain, of owner: UInt32, _ name: () -> String
    ) -> (likes: UInt32, isCertain: Bool) {
        let likes = live?.count(chain, of: owner) ?? found.live
        guard found.isBroken || found.live != likes else { return (likes, true) }
        let end = found.isBroken ? "it breaks off after \(found.live) likes" : "it leads to \(found.live) likes"
        tally.note("the chain of \(name())", live == nil ? end : "\(end), and there are \(likes)")
        return (likes, false)
    }

    private mutating func checkWithdrawn(_ place: UInt32) {
        steps += 1
        if !state.withdrawn.isFound(at: place) {
            tally.note("withdrawn like \(place)", "it is not found by its news and user")
        }
    }

    // MARK: Of all together

    private mutating func checkWhole() {
        checkSums()
        checkAuthors()
        checkOrder(.newest)
        checkOrder(.top)
        steps += state.catalog.handleCount * 3 + state.users.count
    }

    private mutating func checkSums() {
        let log = state.log
        tally.compare(log.indexedCount, with: Int(log.count), "the number of likes in the index")
        tally.compare(
            state.withdrawn.indexedCount, with: state.withdrawn.count, "the number of withdrawn likes in their index")
        // With the entries counted, each count was compared with them one by one.
        guard live == nil else { return }
        tally.compare(sum(.ofNews), with: Int(log.count), "the number of likes of all news")
        tally.compare(sum(.ofUser), with: Int(log.count), "the number of likes by all users")
    }

    private func sum(_ chain: Chain) -> Int {
        let owners = chain == .ofNews ? state.catalog.handleCount : state.users.count
        return (0..<UInt32(owners)).reduce(0) { $0 + Int(state.log.count(chain, of: $1)) }
    }

    private mutating func checkAuthors() {
        let counted = AuthorTotals.counted(state) { likes(of: $0) }
        for author in Set(counted.keys).union(state.profile.authorHandles) {
            let (kept, counted) = (state.profile.total(author), counted[author] ?? AuthorTotals.Total())
            let name = { [users = state.users] in "user \"\(users.isKnown(author) ? users.id(of: author).text : "")\"" }
            let likesAgree = tally.compare(kept.likes, with: counted.likes, "the received likes of \(name())")
            let newsAgree = tally.compare(kept.news, with: counted.news, "the number of news by \(name())")
            if !likesAgree || !newsAgree { tally.repairs.authors.insert(author) }
        }
    }

    private func likes(of news: UInt32) -> UInt32 {
        live?.count(.ofNews, of: news) ?? state.log.count(.ofNews, of: news)
    }

    private mutating func checkOrder(_ order: FeedOrder) {
        let handles = state.feed.page(order, after: nil, limit: .max)
        var (previous, wrong): (FeedKey?, String?)
        for handle in handles where wrong == nil {
            guard let stored = state.catalog.stored(handle), !state.catalog.isLeaving(handle) else {
                wrong = "it has a news that is not there"
                break
            }
            let key = FeedKey(
                weight: stored.news.baseLikes + Int64(likes(of: handle)), sortTime: stored.sortTime,
                id: stored.news.id)
            // Each before the next, so none twice.
            if let previous, !previous.comes(before: key, in: order) {
                wrong = "news \"\(key.id.text)\" is not where it belongs"
            }
            previous = key
        }
        if wrong == nil, handles.count != state.catalog.count {
            wrong = "it has \(handles.count) news, and there are \(state.catalog.count)"
        }
        guard let wrong else { return }
        tally.note("the feed in the order \(order)", wrong)
        tally.repairs.orders = true
    }
}
