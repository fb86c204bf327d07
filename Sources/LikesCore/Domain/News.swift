/// A thing that can be liked, as its maker describes it.
package struct News: Sendable, Equatable {
    /// The id, chosen by the app.
    package let id: NewsID
    /// What it is called, 1 to 1,000 bytes.
    package let title: String
    /// Whose profile counts the likes that it receives.
    package let author: UserID?
    /// Where it is to be read, up to 2,048 bytes.
    package let url: String?
    /// When it came out; it places the news in the feed.
    package let publishedAt: Timestamp?
    /// Likes carried over from an older system whose likers are unknown; part of the count.
    package let baseLikes: Int64
    /// Sorted by key, no key twice.
    package let properties: [Property]

    package init(
        id: NewsID, title: String, author: UserID? = nil, url: String? = nil, publishedAt: Timestamp? = nil,
        baseLikes: Int64 = 0, properties: [Property] = []
    ) {
        self.id = id
        self.title = title
        self.author = author
        self.url = url
        self.publishedAt = publishedAt
        self.baseLikes = baseLikes
        self.properties = properties
    }

    /// The same news with so many more `baseLikes`.
    func adding(baseLikes more: Int64) -> News {
        News(
            id: id, title: title, author: author, url: url, publishedAt: publishedAt, baseLikes: baseLikes + more,
            properties: properties)
    }

    /// A pair of the app's own making.
    package struct Property: Sendable, Equatable {
        /// 1 to 256 bytes.
        package let key: String
        /// Up to 4,096 bytes.
        package let value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }
}

/// A news as a caller sends it: `baseLikes` may be left out, which keeps what it was.
package struct NewsDraft: Sendable {
    /// What is to be stored.
    package let news: News
    /// Whether the caller gave `baseLikes`.
    package let setsBaseLikes: Bool
    /// When it was made, if it is made now but was there before elsewhere; nil for now.
    package let createdAt: Timestamp?

    package init(_ news: News, setsBaseLikes: Bool, createdAt: Timestamp? = nil) {
        self.news = news
        self.setsBaseLikes = setsBaseLikes
        self.createdAt = createdAt
    }

    /// The same for a news that was made at some time elsewhere.
    package func made(at createdAt: Timestamp?) -> NewsDraft {
        NewsDraft(news, setsBaseLikes: setsBaseLikes, createdAt: createdAt)
    }

    /// The news to store in place of `existing`.
    func replacing(_ existing: News?) -> News {
        guard !setsBaseLikes, let existing else { return news }
        return News(
            id: news.id, title: news.title, author: news.author, url: news.url, publishedAt: news.publishedAt,
            baseLikes: existing.baseLikes, properties: news.properties)
    }
}

/// A caller's own name for a write, 1 to 64 visible ASCII characters; the answer and the live event carry it.
package struct OperationID: Sendable, Equatable {
    /// The name as it came.
    package let text: String

    /// The name, or nil when it breaks the rule.
    package init?(_ text: String) {
        guard 1...Limits.operationIDBytes ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            return nil
        }
        self.text = text
    }
}
