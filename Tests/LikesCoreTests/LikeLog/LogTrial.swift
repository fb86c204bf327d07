import TestSupport
import Testing

@testable import LikesCore

/// A like log and its model that live through the same random changes.
final class LogTrial {
    /// Few or many of each, and how the sequences grow.
    struct Setting: CustomTestStringConvertible {
        let name: String
        let news: UInt32
        let users: UInt32
        var dustLimit: UInt32 = 200
        var start: UInt32 = 0
        /// One change in this many is followed by a gap of more than a block can span.
        var hugeGapOnceIn = Int.max
        /// One time in this many is any at all; the others lie within some hours, as those of most likes do.
        var strayTimeOnceIn = 1

        var testDescription: String { name }
    }

    let setting: Setting
    let log: LikeLog
    var model = LikeModel()
    var random: SeededRandom
    private(set) var sequence: UInt64 = 0
    private(set) var sweepsBegun = 0
    private(set) var sweepsEnded = 0
    /// Changes since the sweep that runs was begun.
    private(set) var changesInSweep = 0

    init(_ setting: Setting, seed: UInt64) {
        self.setting = setting
        log = LikeLog(start: setting.start, dustLimit: setting.dustLimit)
        random = SeededRandom(seed: seed)
    }

    var isSweeping: Bool { log.sweep != nil }

    /// Likes or unlikes something, and sweeps as the fold does.
    ///
    /// - Parameter likes: of ten changes, how many add a like.
    func change(likes: Int) throws {
        sequence += random.once(in: setting.hugeGapOnceIn) ? UInt64.random(in: 1 << 20...1 << 22, using: &random) : 1
        if Int.random(in: 0..<10, using: &random) < likes { try add() } else { try remove() }
        if random.once(in: 4) { try redate() }
        let wasSweeping = isSweeping
        log.sweep(steps: 16)
        changesInSweep = wasSweeping ? changesInSweep + 1 : 0
        // A short sweep may begin and end with one change.
        if !wasSweeping, isSweeping { sweepsBegun += 1 }
        if wasSweeping, !isSweeping { sweepsEnded += 1 }
    }

    private func add() throws {
        let news = UInt32.random(in: 0..<setting.news, using: &random)
        let user = UInt32.random(in: 0..<setting.users, using: &random)
        try add(news: news, user: user)
    }

    func add(news: UInt32, user: UInt32) throws {
        let at = someTime()
        let isNew = model.find(news: news, user: user) == nil
        try #require(log.add(news: news, user: user, at: at, sequence: sequence) == isNew)
        if isNew { _ = model.add(LikeModel.Like(news: news, user: user, at: at, sequence: sequence)) }
    }

    private func someTime() -> Timestamp {
        let range: Range<Int64> =
            random.once(in: setting.strayTimeOnceIn) ? 0..<1 << 42 : 1_800_000_000_000..<1_800_100_000_000
        return Timestamp(milliseconds: Int64.random(in: range, using: &random))
    }

    private func redate() throws {
        let news = UInt32.random(in: 0..<setting.news, using: &random)
        let someone = UInt32.random(in: 0..<setting.users, using: &random)
        let user = random.once(in: 8) ? someone : model.chain(.ofNews, of: news).randomElement(using: &random)?.user
        let at = someTime()
        let (given, redated) = (user ?? someone, model.redate(news: news, user: user ?? someone, at: at))
        try #require(log.redate(news: news, user: given, at: at) == redated)
    }

    private func remove() throws {
        let news = UInt32.random(in: 0..<setting.news, using: &random)
        let ofNews = model.chain(.ofNews, of: news)
        let someone = UInt32.random(in: 0..<setting.users, using: &random)
        // Mostly a like that is there.
        let user = random.once(in: 8) ? someone : ofNews.randomElement(using: &random)?.user ?? someone
        try #require((log.remove(news: news, user: user) != nil) == model.remove(news: news, user: user))
    }

    /// Compares a part of some list, from a random place on, with the model's.
    func checkSomePart() throws {
        let chain = Bool.random(using: &random) ? Chain.ofNews : .ofUser
        let owner = UInt32.random(in: 0...(chain == .ofNews ? setting.news : setting.users), using: &random)
        let before = random.once(in: 4) ? nil : UInt64.random(in: 0...sequence + 1, using: &random)
        let limit = Int.random(in: 1...6, using: &random)
        let part = log.part(
            chain, of: owner, before: before, limit: limit, steps: Int.random(in: 1...8, using: &random))
        let expected = model.list(chain, of: owner, before: before)
        try #require(part.likes.count <= limit)
        try #require(part.likes.map(\.sequence) == expected.prefix(part.likes.count).map(\.sequence))
        // What is left is behind the place that the part names; no place means that nothing is left.
        let left = expected.dropFirst(part.likes.count).map(\.sequence)
        try #require(left == (part.rest.map { model.list(chain, of: owner, before: $0) } ?? []).map(\.sequence))
    }

    /// Compares everything that can be read with the model.
    func checkEverything() throws {
        try #require(Int(log.count) == model.count)
        for like in model.all {
            let address = log.find(news: like.news, user: like.user)
            try #require(address.map { log.ring.sequence(at: $0) } == like.sequence)
            try #require(log.likedAt(news: like.news, user: like.user) == like.at)
        }
        for news in 0..<setting.news { try checkList(.ofNews, of: news) }
        for user in 0..<setting.users { try checkList(.ofUser, of: user) }
        try #require(log.deadCount == log.ring.occupied - log.count)
    }

    private func checkList(_ chain: Chain, of owner: UInt32) throws {
        let expected = model.list(chain, of: owner, before: nil)
        try #require(Int(log.count(chain, of: owner)) == expected.count)
        var listed: [ListedLike] = []
        var before: UInt64?
        let limit = Int.random(in: 1...64, using: &random)
        repeat {
            let part = log.part(chain, of: owner, before: before, limit: limit, steps: limit * 2)
            listed += part.likes
            before = part.rest
        } while before != nil
        try #require(listed.map(\.sequence) == expected.map(\.sequence))
        try #require(listed.map(\.at) == expected.map(\.at))
        try #require(listed.map(\.handle) == expected.map { chain == .ofNews ? $0.user : $0.news })
    }
}
