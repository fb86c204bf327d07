/// What a reader asks to see.
struct StreamFilter: Sendable {
    var news: [String] = []
    var users: [String] = []

    /// Everything.
    static let all = StreamFilter()

    var isAll: Bool { news.isEmpty && users.isEmpty }

    /// The parameters, in a query that may have others.
    var parameters: [String] {
        news.map { "news=" + API.encoded($0) } + users.map { "user=" + API.encoded($0) }
    }

    /// The query, with its question mark.
    var query: String { isAll ? "" : "?" + parameters.joined(separator: "&") }

    /// The sequences that a reader with this filter must see, and those that it may see, of what has happened from its
    /// beginning on.
    ///
    /// A filter follows a merge to the target. What it shows of the target before the merge has ended is left to the
    /// server: a reader that comes later cannot be told from one that was there.
    ///
    /// - Parameter redirects: the news that were merged before, each with what it has become.
    func verdict(
        on events: [LiveEvent], redirects: [String: String] = [:]
    ) -> (required: [Int64], allowed: Set<Int64>) {
        if isAll { return (events.map(\.sequence), Set(events.map(\.sequence))) }
        let users = Set(users)
        var followed = Set(news + news.compactMap { redirects[$0] })
        let ever = everFollowed(events, followed)
        var required: [Int64] = []
        var allowed: Set<Int64> = []
        for event in events {
            let isOfUser = event.user.map(users.contains) ?? false
            if isOfUser || (event.news.map(followed.contains) ?? false) { required.append(event.sequence) }
            if isOfUser || (event.news.map(ever.contains) ?? false) { allowed.insert(event.sequence) }
            guard event.kind == "newsRemoved", let id = event.news else { continue }
            if followed.contains(id), let target = event.data["mergedInto"].string { followed.insert(target) }
            // What comes later under the id of one that it only followed is another news.
            if !news.contains(id) { followed.remove(id) }
        }
        return (required, allowed)
    }

    /// These news, and all that they were merged into.
    private func everFollowed(_ events: [LiveEvent], _ first: Set<String>) -> Set<String> {
        var ever = first
        for event in events where event.kind == "newsRemoved" {
            guard let id = event.news, let target = event.data["mergedInto"].string else { continue }
            if ever.contains(id) { ever.insert(target) }
        }
        return ever
    }
}
