import Testing

/// What a test has been told about likes, to be compared with what a server knows after a restart.
struct Ledger {
    private struct Like: Hashable {
        let news: String
        let user: String
    }

    private let news: [String]
    private var told: [Like: Bool] = [:]
    private var unknown: Set<Like> = []
    private(set) var lastSequence: Int64 = 0

    /// How many likes and unlikes were answered.
    private(set) var answers = 0

    init(news: [String]) { self.news = news }

    /// Likes by users that only this connection writes for, and now and then the unlike of the last one.
    func script(round: Int, connection: Int) -> WireClient.Script {
        let news = news
        return { number in
            let like = number % 4 == 3 ? number - 1 : number
            let target = "/v1/news/\(news[like % news.count])/likes/\(round)-\(connection)-\(like)"
            return WireRequest(like == number ? "PUT" : "DELETE", target)
        }
    }

    /// Takes down what was answered; what was not, or with 503, is not known.
    mutating func note(_ logs: [WireClient.Log]) {
        for log in logs {
            for exchange in log.exchanges {
                let like = like(of: exchange.request)
                switch exchange.answer.json["liked"] {
                case .bool(let liked):
                    told[like] = liked
                    unknown.remove(like)
                    answers += 1
                    lastSequence = max(lastSequence, exchange.answer.json["sequence"].integer ?? 0)
                default:
                    unknown.insert(like)
                }
            }
            if let request = log.unanswered { unknown.insert(like(of: request)) }
        }
    }

    /// Expects that every answered like is there, none that nobody gave, and that each count is the length of its list.
    func expectKept(by api: API, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for id in news {
            let likers = try await api.allLikers(id)
            let users = Set(likers)
            #expect(users.count == likers.count, "\(id): each once", sourceLocation: sourceLocation)
            let count = try await api.detail(id).json["likesCount"].integer
            #expect(count == Int64(likers.count), "\(id): count and list", sourceLocation: sourceLocation)
            let mine = told.filter { $0.key.news == id && !unknown.contains($0.key) }
            let lost = mine.filter { $0.value && !users.contains($0.key.user) }.map(\.key.user)
            #expect(lost == [], "\(id): likes that were answered are lost", sourceLocation: sourceLocation)
            let returned = mine.filter { !$0.value && users.contains($0.key.user) }.map(\.key.user)
            #expect(returned == [], "\(id): unlikes that were answered are lost", sourceLocation: sourceLocation)
            let invented = users.filter { user in
                let like = Like(news: id, user: user)
                return told[like] == nil && !unknown.contains(like)
            }
            #expect(invented == [], "\(id): likes that nobody gave", sourceLocation: sourceLocation)
        }
    }

    private func like(of request: WireRequest) -> Like {
        let parts = request.target.split(separator: "/")
        return Like(news: String(parts[2]), user: String(parts[4]))
    }
}
