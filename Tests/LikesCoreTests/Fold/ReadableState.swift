import Testing

@testable import LikesCore

/// All that can be read of a state, as text, to be compared with another's.
struct ReadableState: Equatable {
    var position: UInt64
    var newest: [String]
    var top: [String]
    var details: [String]
    var profiles: [String]
    var likers: [String: [String]]
    var userLikes: [String: [String]]

    /// Reads everything, page by page.
    ///
    /// - Parameters:
    ///   - news: the ids to ask for, also of news that do not exist.
    ///   - users: the ids to ask for, also of unknown users.
    init(_ reader: LikesReader, news: [NewsID], users: [UserID], pageSize: Int) throws {
        position = reader.position
        newest = Self.feed(.newest, reader, viewer: users[0], pageSize)
        top = Self.feed(.top, reader, viewer: users[0], pageSize)
        details = []
        likers = [:]
        for id in news {
            details.append(Self.detail(id, reader))
            likers[id.text] = try Self.likers(id, reader, pageSize)
        }
        profiles = users.map { user in
            let profile = reader.profile(user)
            return "\(user.text): \(profile.numberOfGivenLikes) \(profile.numberOfReceivedLikes) @\(profile.sequence)"
        }
        userLikes = [:]
        for user in users { userLikes[user.text] = Self.likes(by: user, reader, pageSize) }
    }

    private static func describe(_ entry: NewsEntry) -> String {
        let news = entry.stored.news
        let viewer = entry.viewerLikes.map { $0 ? "liked" : "not liked" } ?? ""
        return "\(news.id.text) \(news.title) \(news.author?.text ?? "-") \(entry.stored.sortTime.rfc3339) "
            + "\(entry.likesCount) \(viewer)"
    }

    private static func feed(
        _ order: FeedOrder, _ reader: LikesReader, viewer: UserID, _ pageSize: Int
    ) -> [String] {
        var entries: [String] = []
        var after: FeedKey?
        repeat {
            let page = reader.feed(order, viewer: viewer, after: after, limit: pageSize)
            entries += page.entries.map(Self.describe)
            after = page.next
            if after == nil { entries.append("@\(page.sequence)") }
        } while after != nil
        return entries
    }

    private static func detail(_ id: NewsID, _ reader: LikesReader) -> String {
        let count = reader.counts(of: [id], viewer: nil, friends: nil).counts[0]
        guard let detail = reader.detail(id, viewer: nil) else {
            return "\(id.text): \(reader.redirect(of: id)?.text ?? "none") \(count.known) \(count.likesCount)"
        }
        let likers = detail.newestLikers.map { "\($0.user.text) \($0.likedAt.milliseconds)" }
        return "\(describe(detail.entry)) \(likers) @\(detail.sequence)"
    }

    private static func likers(_ id: NewsID, _ reader: LikesReader, _ pageSize: Int) throws -> [String]? {
        var likers: [String] = []
        var before: UInt64?
        repeat {
            guard let page = reader.likers(id, before: before, limit: pageSize) else { return nil }
            #expect(page.likes.count <= pageSize)
            for like in page.likes {
                likers.append("\(like.user.text) \(like.likedAt.milliseconds)")
                #expect(try reader.like(id, by: like.user)?.likedAt == like.likedAt)
            }
            before = page.next
        } while before != nil
        return likers
    }

    private static func likes(by user: UserID, _ reader: LikesReader, _ pageSize: Int) -> [String] {
        var likes: [String] = []
        var before: UInt64?
        repeat {
            let page = reader.likes(by: user, before: before, limit: pageSize)
            likes += page.likes.map { "\($0.news.text) \($0.likedAt.milliseconds)" }
            before = page.next
            if before == nil { likes.append("@\(page.sequence)") }
        } while before != nil
        return likes
    }
}
