internal import JSONText
internal import LikesCore
internal import MicroHTTP

/// The answers to GET.
struct Reads {
    let reader: LikesReader
    let answer: Answer

    func detail(_ id: NewsID, _ query: Query, _ request: borrowing Request) throws(Problem) -> Response {
        let viewer = try query.viewer()
        guard let detail = reader.detail(id, viewer: viewer) else { throw .newsNotFound }
        return answer.tagged(
            request, sequence: detail.sequence, position: detail.position, isPrivate: viewer != nil
        ) { $0.value(detail) }
    }

    func like(_ news: NewsID, _ user: UserID) throws(Problem) -> Response {
        let found: LikeView?
        do throws(Rejection) { found = try reader.like(news, by: user) } catch { throw Problem(error) }
        guard let found else { throw Problem(.likeNotFound, "this user does not like this news") }
        return answer.read(position: found.position) { json in
            json.object { json in
                json.member("news", news.text)
                json.member("user", user.text)
                json.member("likedAt", found.likedAt)
                json.member("likesCount", found.likesCount)
                json.member("sequence", found.sequence)
            }
        }
    }

    func likers(_ id: NewsID, _ query: Query) throws(Problem) -> Response {
        let list = Cursor.List.likers(id)
        let place = try Place(query, list)
        guard let page = reader.likers(id, before: place.before, limit: place.limit) else { throw .newsNotFound }
        return likes(
            of: list, at: "/v1/news/\(PercentEncoding.encode(id.text))/likes", place, next: page.next,
            sequence: page.sequence, position: page.position
        ) { json in
            for like in page.likes { json.value(like) }
            return nil
        }
    }

    func likes(by user: UserID, _ query: Query) throws(Problem) -> Response {
        let list = Cursor.List.likes(by: user)
        var place = try Place(query, list)
        let (includesNews, viewer) = (try query.includesNews(), try query.viewer())
        let page = reader.likes(
            by: user, viewer: includesNews ? viewer : nil, before: place.before, limit: place.limit)
        if includesNews { place.parameters.append(("include", "news")) }
        if let viewer { place.parameters.append(("viewer", viewer.text)) }
        let changes = includesNews ? page.likes.map(\.changedAt) : []
        return likes(
            of: list, at: "/v1/profiles/\(PercentEncoding.encode(user.text))/likes", place, next: page.next,
            sequence: max(page.sequence, changes.max() ?? 0), position: page.position, isPrivate: viewer != nil
        ) { json in
            for like in page.likes {
                json.value(like, includesNews: includesNews)
                if json.count > APILimits.pageBytes, like.place != page.likes.last?.place { return like.place }
            }
            return nil
        }
    }

    /// A page of a chain of likes.
    ///
    /// - Parameter body: writes the entries; the place of the last one, when it ends before all of them are written.
    private func likes(
        of list: Cursor.List, at path: String, _ place: Place, next: UInt64?, sequence: UInt64, position: UInt64,
        isPrivate: Bool = false, _ body: (inout JSONWriter) -> UInt64?
    ) -> Response {
        var next = next
        var cursor: String?
        var response = answer.read(position: position, isPrivate: isPrivate) { json in
            json.object { json in
                json.name("likes")
                json.array { next = body(&$0) ?? next }
                cursor = next.map { Cursor.likes(before: $0).text(of: list) }
                if let cursor { json.member("next", cursor) }
                json.member("sequence", sequence)
            }
        }
        response.link(next: cursor, path: path, query: place.parameters)
        return response
    }

    /// The place in a chain of likes that a request asks for.
    private struct Place {
        let limit: Int
        let before: UInt64?
        /// What asks for the same list.
        var parameters: [(String, String)]

        init(_ query: Query, _ list: Cursor.List) throws(Problem) {
            limit = try query.limit()
            parameters = [("limit", "\(limit)")]
            if case .likes(let sequence)? = try query.cursor(of: list) { before = sequence } else { before = nil }
        }
    }

    /// - Parameter ranking: the one that the order needs, which should be there by now.
    func feed(_ asked: FeedRequest, _ ranking: RankingName?, _ request: borrowing Request) throws(Problem) -> Response {
        let (sort, viewer, list) = (asked.sort, asked.viewer, asked.list)
        guard let page = page(asked, ranking) else {
            throw Problem(.tooBusy, "this order of the feed is being made; repeat the request")
        }
        var next = page.next.map { Cursor.feed($0).text(of: list) }
        var response = answer.tagged(
            request, sequence: page.sequence, position: page.position, isPrivate: viewer != nil,
            variant: ranking?.variant
        ) { json in
            json.object { json in
                json.name("news")
                json.array { json in
                    for entry in page.entries {
                        json.object { $0.members(of: entry, windowLikes: sort.windowLikes(entry)) }
                        if json.count > APILimits.pageBytes, entry.stored !== page.entries.last?.stored {
                            next = Cursor.feed(entry.feedKey).text(of: list)
                            break
                        }
                    }
                }
                if let next { json.member("next", next) }
                json.member("sequence", page.sequence)
            }
        }
        var parameters = sort.parameters + [("limit", "\(asked.limit)")]
        if let viewer { parameters.append(("viewer", viewer.text)) }
        response.link(next: next, path: "/v1/feed", query: parameters)
        return response
    }

    private func page(_ asked: FeedRequest, _ ranking: RankingName?) -> FeedPage? {
        let (viewer, after, limit) = (asked.viewer, asked.after, asked.limit)
        if let ranking { return reader.feed(ranking, viewer: viewer, after: after, limit: limit) }
        return asked.sort.order.map { reader.feed($0, viewer: viewer, after: after, limit: limit) }
    }

    func counts(_ query: Query, _ request: borrowing Request) throws(Problem) -> Response {
        let asked = try CountsRequest(news: query.ids("news"), viewer: query.viewer(), friends: nil)
            .checked(.invalidParameter)
        let view = reader.counts(of: asked.news, viewer: asked.viewer, friends: nil)
        return answer.tagged(
            request, sequence: view.sequence, position: view.position, isPrivate: asked.viewer != nil
        ) { $0.value(view) }
    }

    /// The counts that a body asks for: a read, though it comes by POST, since the ids may not fit a URL.
    func counts(_ asked: CountsRequest) -> Response {
        let view = reader.counts(of: asked.news, viewer: asked.viewer, friends: asked.friends)
        return answer.read(position: view.position, isPrivate: asked.viewer != nil || asked.friends != nil) {
            $0.value(view)
        }
    }

    func profile(_ user: UserID, _ request: borrowing Request) -> Response {
        let profile = reader.profile(user)
        return answer.tagged(
            request, sequence: profile.sequence, position: profile.position, isPrivate: false
        ) { json in
            json.object { json in
                json.member("user", user.text)
                json.member("numberOfGivenLikes", profile.numberOfGivenLikes)
                json.member("numberOfReceivedLikes", profile.numberOfReceivedLikes)
                json.member("sequence", profile.sequence)
            }
        }
    }
}
