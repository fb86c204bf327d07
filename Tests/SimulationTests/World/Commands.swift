import TestSupport

@testable import LikesCore

/// Where random commands come from: a few news and users, so that they meet often, and now and then a crowd.
struct Commands {
    let news: [NewsID]
    let users: [UserID]
    private let nobodys: NewsID
    private var random: SeededRandom
    /// The batches of a crowd that are still to come.
    private var script: [Scene] = []
    /// The news that exist when a batch is made up.
    private var there: [NewsID] = []
    private var commandNumber = 0
    private var crowdNumber = 0
    private let firstCrowd: FirstCrowd

    /// What the first crowd comes for.
    enum FirstCrowd {
        case anything
        /// It is too large for its news to be deleted in one commit.
        case deletion
        /// It is too large for its news to be merged in one commit.
        case merge

        init(seed: UInt64) {
            self = seed % 4 == 0 ? .deletion : seed % 4 == 2 ? .merge : .anything
        }
    }

    /// What a crowd does at once.
    private struct Scene {
        let actions: [LikeCommand.Action]
        /// Whether nothing else of the batch comes before it.
        var isFirst = false
        /// What must happen to the journal meanwhile; nil when anything may.
        var trouble: TroubledJournal.Trouble?
    }

    /// Commands that are submitted together.
    struct Batch {
        /// Each has an operation id of its own.
        let commands: [LikeCommand]
        /// What must happen to the journal meanwhile; nil when anything may.
        let trouble: TroubledJournal.Trouble?
    }

    init(_ random: SeededRandom, firstCrowd: FirstCrowd) throws(IdentifierError) {
        self.random = random
        self.firstCrowd = firstCrowd
        nobodys = try NewsID("nobody makes this one")
        news =
            try (0..<11).map { (number) throws(IdentifierError) in try NewsID("n\(number)") }
            + [NewsID("https://a.example/b?c=1"), NewsID("✨")]
        users =
            try (0..<18).map { (number) throws(IdentifierError) in try UserID("u\(number)") }
            + [UserID("caf\u{E9}"), UserID("cafe\u{301}"), UserID("n1")]
    }

    /// The next batch.
    ///
    /// - Parameter isThere: whether a news exists: most random merges are of some that do.
    mutating func batch(at now: Int64, isThere: (NewsID) -> Bool) throws(IdentifierError) -> Batch {
        there = news.filter(isThere)
        if script.isEmpty, random.once(in: 220) { script = try crowd() }
        if script.isEmpty, there.count > 2, random.once(in: 35) { script = [cutMerge()] }
        var actions: [LikeCommand.Action] = []
        var trouble: TroubledJournal.Trouble?
        let isCrowded = !script.isEmpty
        for _ in 0..<Int.random(in: 1...(isCrowded ? 3 : 8), using: &random) { actions.append(action(at: now)) }
        // Random commands come before and behind the crowd's.
        if isCrowded, !random.once(in: 3) {
            let scene = script.removeFirst()
            let place = Int.random(in: 0...actions.count, using: &random)
            actions.insert(contentsOf: scene.actions, at: scene.isFirst ? 0 : place)
            trouble = scene.trouble
        }
        let commands = actions.map { action in
            commandNumber += 1
            return LikeCommand(action, operationID: OperationID("op-\(commandNumber)"))
        }
        return Batch(commands: commands, trouble: trouble)
    }

    /// Somebody to look at what is read.
    mutating func someUser() -> UserID { random.one(of: users) }

    private mutating func someNews() -> NewsID { random.one(of: news) }

    /// Most of the time one that exists.
    private mutating func likelyNews() -> NewsID {
        there.isEmpty || random.once(in: 4) ? someNews() : random.one(of: there)
    }

    private mutating func toggle(at now: Int64) -> ToggleRequest {
        ToggleRequest(
            liked: Int.random(in: 0..<5, using: &random) < 3, news: someNews(), user: someUser(),
            at: random.once(in: 4) ? Timestamp(milliseconds: Int64.random(in: 0...now, using: &random)) : nil)
    }

    private mutating func draft(at now: Int64) -> NewsDraft {
        var base = random.once(in: 2) ? Int64.random(in: 0...5, using: &random) : nil
        if random.once(in: 50) { base = Limits.baseLikes - Int64.random(in: 0...3, using: &random) }
        let publishedAt = random.once(in: 3) ? Int64.random(in: now - 50_000...now, using: &random) : nil
        let properties =
            random.once(in: 4) ? [News.Property(key: "k", value: "\(UInt8.random(in: 0...1, using: &random))")] : []
        return NewsDraft(
            News(
                id: someNews(), title: "t\(UInt8.random(in: 0...3, using: &random))",
                author: random.once(in: 2) ? someUser() : nil, url: random.once(in: 5) ? "https://a.example/" : nil,
                publishedAt: publishedAt.map { Timestamp(milliseconds: $0) }, baseLikes: base ?? 0,
                properties: properties), setsBaseLikes: base != nil)
    }

    private mutating func list() -> [NewsID] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in someNews() }
    }

    private mutating func action(at now: Int64) -> LikeCommand.Action {
        switch Int.random(in: 0..<43, using: &random) {
        case 0..<5: return .putNews(draft(at: now))
        case 5:
            let (first, second) = (draft(at: now), draft(at: now))
            return .putManyNews([.request(first), .malformed(code: "c", detail: "d"), .request(second)])
        case 6, 7: return .removeNews(someNews())
        case 8: return .likeAll(someUser(), of: nil)
        case 9: return .unlikeAll(someUser(), of: nil)
        case 10: return .likeAll(someUser(), of: list())
        case 11: return .unlikeAll(someUser(), of: list())
        case 12: return .removeUser(someUser())
        case 40, 41: return .mergeNews(likelyNews(), into: someNews())
        // Else most ids would lead to a few news before long.
        case 42: return .removeNews(likelyNews())
        case 13..<18:
            var entries = (0..<6).map { _ in BatchEntry.request(toggle(at: now)) }
            if random.once(in: 4) { entries.insert(.malformed(code: "c", detail: "d"), at: 3) }
            return .toggleMany(entries)
        default: return .toggle(toggle(at: now))
        }
    }

    // MARK: Crowds

    private mutating func crowd() throws(IdentifierError) -> [Scene] {
        crowdNumber += 1
        switch crowdNumber == 1 ? firstCrowd : .anything {
        case .merge: return try hugeMerge()
        case .deletion: return try manyLikers(isHuge: true)
        case .anything: return random.once(in: 4) ? try manyNews() : try manyLikers(isHuge: random.once(in: 40))
        }
    }

    /// A hot news, whose likers come and go; in the end it or they are removed.
    ///
    /// - Parameter isHuge: whether there are more than fit one commit of the deletion. That takes seconds.
    private mutating func manyLikers(isHuge: Bool) throws(IdentifierError) -> [Scene] {
        let count = isHuge ? Limits.cascadeLikes + 300 : Int.random(in: 100...600, using: &random)
        let hot = try NewsID("hot\(crowdNumber)")
        var crowd: [UserID] = []
        for number in 0..<count { crowd.append(try UserID("c\(crowdNumber)-\(number)")) }
        let news = News(id: hot, title: "hot", author: someUser(), baseLikes: 7)
        // All of a huge crowd must have come before it can go.
        let arrival: TroubledJournal.Trouble? = isHuge ? .nothing : nil
        var script = [Scene(actions: [.putNews(NewsDraft(news, setsBaseLikes: true))], trouble: arrival)]
        for start in stride(from: 0, to: count, by: 4_000) {
            let arriving = crowd[start..<min(start + 4_000, count)]
            script.append(Scene(actions: [Self.toggles(arriving, hot, liked: true)], trouble: arrival))
        }
        let third = crowd[(count / 3)..<(2 * count / 3)]
        if isHuge {
            // The first commit is kept, and the second is not.
            let trouble: TroubledJournal.Trouble =
                random.once(in: 2) ? .failing(from: 1) : .crash(at: 1, keepsEvents: random.once(in: 2))
            return script + [Scene(actions: [.removeNews(hot)], trouble: trouble)]
        }
        script.append(Scene(actions: [Self.toggles(third, hot, liked: false)]))
        script.append(Scene(actions: [Self.toggles(third.prefix(third.count / 2), hot, liked: true)]))
        if random.once(in: 2) {
            for start in stride(from: 0, to: count, by: 200) {
                script.append(Scene(actions: crowd[start..<min(start + 200, count)].map { .removeUser($0) }))
            }
        }
        if random.once(in: 2) { script.append(Scene(actions: [.mergeNews(hot, into: likelyNews())])) }
        return script + [Scene(actions: [.removeNews(hot)])]
    }

    /// A merge of too many likes for one commit, which something comes in between. Some users like both news, the new
    /// one earlier or later.
    private mutating func hugeMerge() throws(IdentifierError) -> [Scene] {
        let (hot, warm) = (try NewsID("hot\(crowdNumber)"), try NewsID("warm\(crowdNumber)"))
        var crowd: [UserID] = []
        for number in 0..<(Limits.cascadeLikes / 2 + 600) { crowd.append(try UserID("c\(crowdNumber)-\(number)")) }
        let drafts = [hot, warm].map { (id: NewsID) in
            BatchEntry.request(
                NewsDraft(News(id: id, title: "", author: someUser(), baseLikes: 7), setsBaseLikes: true))
        }
        let both = stride(from: 5, to: crowd.count, by: 40).map { crowd[$0] }
        let earlier = both.prefix(40).map {
            BatchEntry.request(ToggleRequest(liked: true, news: warm, user: $0, at: Timestamp(milliseconds: 5)))
        }
        let arrivals: [LikeCommand.Action] = [
            .putManyNews(drafts), Self.toggles(crowd[..<3_000], hot, liked: true),
            Self.toggles(crowd[3_000...], hot, liked: true), .toggleMany(earlier),
            Self.toggles(both[40...], warm, liked: true),
        ]
        // The likes of the last ones have not moved when the first commit ends.
        let late = crowd.suffix(4)
        let merge: [LikeCommand.Action] = [
            .mergeNews(hot, into: warm), Self.toggles(late, warm, liked: random.once(in: 2)),
            .unlikeAll(crowd[crowd.count - 5], of: nil), .removeUser(crowd[crowd.count - 6]),
            .toggle(ToggleRequest(liked: false, news: warm, user: crowd[crowd.count - 7])),
        ]
        let trouble: TroubledJournal.Trouble =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .nothing
            case 1: .failing(from: 1)
            default: .crash(at: 1, keepsEvents: random.once(in: 2))
            }
        return arrivals.map { Scene(actions: [$0], trouble: .nothing) } + [
            Scene(actions: merge, trouble: trouble), Scene(actions: [Self.toggles(late, hot, liked: false)]),
            // While they are there every comparison takes long.
            Scene(actions: [.removeNews(warm)], trouble: .nothing),
        ]
    }

    /// A merge of which the first commit holds nothing but the beginning: before it come as many steps as a round has.
    private mutating func cutMerge() -> Scene {
        let there = there
        let steps = Array(repeating: nobodys, count: Limits.stepsPerRound)
        var actions = (1..<(Limits.stepsPerCommit / Limits.stepsPerRound)).map { _ in
            LikeCommand.Action.unlikeAll(users[0], of: steps)
        }
        actions.append(.unlikeAll(users[0], of: Array(steps.dropLast())))
        let (old, target) = (random.one(of: there), random.one(of: there))
        actions.append(.mergeNews(old, into: target))
        // What the merge must be waited for with.
        let others: [LikeCommand.Action] = [
            .removeNews(target), .mergeNews(target, into: random.one(of: there)), .mergeNews(someNews(), into: target),
            .toggleMany(there.map { .request(ToggleRequest(liked: random.once(in: 2), news: $0, user: someUser())) }),
            .unlikeAll(someUser(), of: nil), .unlikeAll(someUser(), of: nil), .removeUser(someUser()),
            .likeAll(someUser(), of: [old, target]),
        ]
        for _ in 0..<Int.random(in: 1...4, using: &random) { actions.append(random.one(of: others)) }
        let trouble: TroubledJournal.Trouble? =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .failing(from: 1)
            case 1: .crash(at: 1, keepsEvents: random.once(in: 2))
            default: nil
            }
        return Scene(actions: actions, isFirst: true, trouble: trouble)
    }

    private static func toggles(_ users: ArraySlice<UserID>, _ news: NewsID, liked: Bool) -> LikeCommand.Action {
        .toggleMany(users.map { .request(ToggleRequest(liked: liked, news: news, user: $0)) })
    }

    /// So many news that liking all of them takes several rounds, and the feed several runs.
    private mutating func manyNews() throws(IdentifierError) -> [Scene] {
        let count = random.once(in: 4) ? 1_100 : Int.random(in: 100...600, using: &random)
        var (drafts, ids): ([BatchEntry<NewsDraft>], [NewsID]) = ([], [])
        for number in 0..<count {
            let id = try NewsID("w\(crowdNumber)-\(number)")
            ids.append(id)
            drafts.append(.request(NewsDraft(News(id: id, title: "", author: someUser()), setsBaseLikes: false)))
        }
        let (first, second) = (someUser(), someUser())
        let undone: LikeCommand.Action = random.once(in: 2) ? .unlikeAll(first, of: nil) : .removeUser(first)
        var script = [
            .putManyNews(drafts), .likeAll(first, of: nil), .likeAll(second, of: Array(ids.prefix(100))), undone,
        ]
        .map { (action: LikeCommand.Action) in Scene(actions: [action]) }
        // The second time since the first may fail: so large a feed would make everything slow for good.
        for trouble in [nil, TroubledJournal.Trouble.nothing] {
            for start in stride(from: 0, to: count, by: 400) {
                let removals = ids[start..<min(start + 400, count)].map { LikeCommand.Action.removeNews($0) }
                script.append(Scene(actions: removals, trouble: trouble))
            }
        }
        return script
    }
}
