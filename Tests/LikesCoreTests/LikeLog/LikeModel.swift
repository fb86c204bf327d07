@testable import LikesCore

/// Who likes what, in plain collections: what a like log must look like from outside.
struct LikeModel {
    struct Like: Equatable {
        let news: UInt32
        let user: UInt32
        var at: Timestamp
        let sequence: UInt64
    }

    private var likes: [UInt64: Like] = [:]
    /// The likes of each news and of each user, oldest first.
    private var ofNews: [UInt32: [Like]] = [:]
    private var ofUser: [UInt32: [Like]] = [:]

    var count: Int { likes.count }

    var all: some Collection<Like> { likes.values }

    func find(news: UInt32, user: UInt32) -> Like? { likes[Self.key(news, user)] }

    func chain(_ chain: Chain, of owner: UInt32) -> [Like] { (chain == .ofNews ? ofNews : ofUser)[owner] ?? [] }

    /// The likes of a chain that are older than a sequence, newest first.
    func list(_ chain: Chain, of owner: UInt32, before: UInt64?) -> [Like] {
        self.chain(chain, of: owner).reversed().filter { like in before.map { like.sequence < $0 } ?? true }
    }

    mutating func add(_ like: Like) -> Bool {
        guard likes.updateValue(like, forKey: Self.key(like.news, like.user)) == nil else { return false }
        ofNews[like.news, default: []].append(like)
        ofUser[like.user, default: []].append(like)
        return true
    }

    mutating func remove(news: UInt32, user: UInt32) -> Bool {
        guard let like = likes.removeValue(forKey: Self.key(news, user)) else { return false }
        ofNews[news]?.removeAll { $0.sequence == like.sequence }
        ofUser[user]?.removeAll { $0.sequence == like.sequence }
        return true
    }

    mutating func redate(news: UInt32, user: UInt32, at: Timestamp) -> Bool {
        guard var like = likes[Self.key(news, user)] else { return false }
        like.at = at
        likes[Self.key(news, user)] = like
        for index in ofNews[news, default: []].indices where ofNews[news]?[index].user == user {
            ofNews[news]?[index] = like
        }
        for index in ofUser[user, default: []].indices where ofUser[user]?[index].news == news {
            ofUser[user]?[index] = like
        }
        return true
    }

    private static func key(_ news: UInt32, _ user: UInt32) -> UInt64 { UInt64(news) << 32 | UInt64(user) }
}
