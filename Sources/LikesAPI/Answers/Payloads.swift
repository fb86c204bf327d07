internal import JSONText
internal import LikesCore

// How the views and receipts of the domain look in JSON.

extension JSONWriter {
    mutating func member(_ name: StaticString, _ number: Int) { member(name, Int64(number)) }

    mutating func member(_ name: StaticString, _ time: Timestamp) {
        member(name, verbatim: time.rfc3339Bytes)
    }

    /// The members that describe a news.
    mutating func members(of news: News) {
        member("id", news.id.text)
        membersButID(of: news)
    }

    private mutating func membersButID(of news: News) {
        member("title", news.title)
        if let author = news.author { member("author", author.text) }
        if let url = news.url { member("url", url) }
        if let publishedAt = news.publishedAt { member("publishedAt", publishedAt) }
        if news.baseLikes > 0 { member("baseLikes", news.baseLikes) }
        member("properties", strings: news.properties.map { ($0.key, $0.value) })
    }

    /// The members of a news in a list.
    ///
    /// - Parameter windowLikes: its likes of the window that the list is about; nil when it is about none.
    mutating func members(of entry: NewsEntry, windowLikes: Int64? = nil) {
        members(
            of: entry.stored.news, likesCount: entry.likesCount, windowLikes: windowLikes,
            viewerLikes: entry.viewerLikes)
    }

    /// The members of a news in a list of something else, which has its id already.
    private mutating func membersButID(of entry: NewsEntry) {
        membersButID(of: entry.stored.news)
        member("likesCount", entry.likesCount)
        member("viewerLikes", entry.viewerLikes)
    }

    /// The members of a news with its count.
    ///
    /// - Parameters:
    ///   - likesCount: nil, and left out, when it is not known.
    ///   - viewerLikes: nil, and written as null, when there is no viewer.
    mutating func members(of news: News, likesCount: Int64?, windowLikes: Int64? = nil, viewerLikes: Bool?) {
        members(of: news)
        if let likesCount { member("likesCount", likesCount) }
        if let windowLikes { member("windowLikes", windowLikes) }
        member("viewerLikes", viewerLikes)
    }

    /// A detail.
    ///
    /// - Parameter sequence: in the answer to a write, the write's own; nil for the last change of what is shown.
    mutating func value(_ detail: NewsDetail, sequence: UInt64? = nil) {
        object { json in
            json.members(of: detail.entry)
            json.name("newestLikers")
            json.array { json in for liker in detail.newestLikers { json.value(liker) } }
            json.member("sequence", sequence ?? detail.sequence)
        }
    }

    /// A news that was put, as a detail, when it is not there any more to be looked at.
    mutating func value(_ receipt: NewsReceipt) {
        object { json in
            json.members(of: receipt.news, likesCount: receipt.likesCount, viewerLikes: nil)
            json.name("newestLikers")
            json.array { _ in }
            json.member("sequence", receipt.sequence)
        }
    }

    mutating func value(_ view: CountsView) {
        object { json in
            json.name("counts")
            json.array { json in for count in view.counts { json.value(count) } }
            json.member("sequence", view.sequence)
        }
    }

    private mutating func value(_ count: CountsView.Count) {
        object { json in
            json.member("news", count.news.text)
            json.member("known", count.known)
            json.member("likesCount", count.likesCount)
            json.member("viewerLikes", count.viewerLikes)
            guard let friends = count.friends else { return }
            json.name("friends")
            json.array { json in for friend in friends { json.value(friend.text) } }
        }
    }

    mutating func value(_ liker: Liker) {
        object { json in
            json.member("user", liker.user.text)
            json.member("likedAt", liker.likedAt)
        }
    }

    /// - Parameter includesNews: whether to say more of the news than its id.
    mutating func value(_ liked: LikedNews, includesNews: Bool) {
        object { json in
            json.member("news", liked.news.text)
            json.member("likedAt", liked.likedAt)
            if includesNews { json.membersButID(of: liked.entry) }
        }
    }

    mutating func value(_ receipt: ToggleReceipt, of request: ToggleRequest, _ operationID: OperationID?) {
        object { json in
            json.member("news", request.news.text)
            json.member("user", request.user.text)
            json.member("liked", receipt.liked)
            json.member("changed", receipt.changed)
            json.member("likesCount", receipt.likesCount)
            if let likedAt = receipt.likedAt {
                json.member("likedAt", likedAt)
            } else {
                json.name("likedAt")
                json.null()
            }
            json.member("sequence", receipt.sequence)
            if let operationID { json.member("operationId", operationID.text) }
        }
    }

    mutating func value(_ receipt: BatchReceipt, _ operationID: OperationID?) {
        object { json in
            json.member("changed", receipt.results.count { $0.isChange })
            json.member("failed", receipt.results.count { $0.isFailure })
            json.name("results")
            json.array { json in for result in receipt.results { json.value(result, operationID) } }
            json.member("sequence", receipt.sequence)
        }
    }

    private mutating func value(_ result: BatchReceipt.EntryResult, _ operationID: OperationID?) {
        switch result {
        case .done(let changed, let made, let likesCount):
            object { json in
                json.member("status", made ? 201 : 200)
                json.member("changed", changed)
                json.member("likesCount", likesCount)
                if let operationID { json.member("operationId", operationID.text) }
            }
        case .failed(let rejection):
            let problem = Problem(rejection)
            failure(problem.code.status, problem.code.rawValue, problem.detail)
        case .malformed(let code, let detail): failure(400, code, detail)
        }
    }

    private mutating func failure(_ status: Int, _ code: String, _ detail: String) {
        object { json in
            json.member("status", status)
            json.member("code", code)
            json.member("detail", detail)
        }
    }

    mutating func value(_ receipt: BulkReceipt, _ operationID: OperationID?) {
        object { json in
            json.member("changed", receipt.changed)
            if !receipt.unknown.isEmpty {
                json.name("unknown")
                json.array { json in for id in receipt.unknown { json.value(id.text) } }
            }
            json.member("sequence", receipt.sequence)
            if let operationID { json.member("operationId", operationID.text) }
        }
    }
}

extension BatchReceipt.EntryResult {
    fileprivate var isChange: Bool {
        if case .done(changed: true, _, _) = self { return true }
        return false
    }

    fileprivate var isFailure: Bool {
        if case .done = self { return false }
        return true
    }
}
