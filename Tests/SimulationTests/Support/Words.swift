@testable import LikesCore

extension BatchEntry {
    /// What is asked for, when the entry can be read.
    var request: Request? {
        if case .request(let request) = self { return request }
        return nil
    }
}

extension Result {
    /// What went wrong, if anything did.
    var failure: Failure? {
        if case .failure(let failure) = self { return failure }
        return nil
    }
}

extension Receipt {
    /// Where the command was decided.
    var sequence: UInt64 {
        switch self {
        case .toggle(let receipt): receipt.sequence
        case .news(let receipt): receipt.sequence
        case .removed(let sequence): sequence
        case .many(let receipt): receipt.sequence
        case .bulk(let receipt): receipt.sequence
        }
    }
}

extension LikeCommand {
    /// The command in short, for whoever has to find out what went wrong.
    var words: String { "\(operationID?.text ?? "-"): \(action.words)" }
}

extension LikeCommand.Action {
    fileprivate var words: String {
        switch self {
        case .toggle(let request): request.words
        case .toggleMany(let entries): Self.words(entries) { $0.words }
        case .putNews(let draft): draft.words
        case .putManyNews(let entries): Self.words(entries) { $0.words }
        case .removeNews(let id): "remove \(id.text)"
        case .mergeNews(let id, let target): "merge \(id.text) into \(target.text)"
        case .likeAll(let user, let news): "\(user.text) likes \(Self.words(news))"
        case .unlikeAll(let user, let news): "\(user.text) unlikes \(Self.words(news))"
        case .removeUser(let user): "forget \(user.text)"
        }
    }

    private static func words(_ news: [NewsID]?) -> String {
        guard let news else { return "all" }
        let shown = news.prefix(8).map(\.text).joined(separator: " ")
        return "[\(shown)\(news.count > 8 ? " … \(news.count) in all" : "")]"
    }

    private static func words<Request>(_ entries: [BatchEntry<Request>], _ words: (Request) -> String) -> String {
        let shown = entries.prefix(8).map { $0.request.map(words) ?? "malformed" }
        return "[\(shown.joined(separator: ", "))\(entries.count > 8 ? ", … \(entries.count) in all" : "")]"
    }
}

extension ToggleRequest {
    fileprivate var words: String { "\(user.text) \(liked ? "likes" : "unlikes") \(news.text)" }
}

extension NewsDraft {
    fileprivate var words: String {
        "put \(news.id.text) by \(news.author?.text ?? "nobody")\(setsBaseLikes ? " with \(news.baseLikes)" : "")"
    }
}

extension LikeEvent {
    /// What happened, in short.
    var words: String {
        switch change {
        case .likeAdded(let like): "\(sequence): +\(like.news.text) \(like.user.text)"
        case .likeRemoved(let like): "\(sequence): -\(like.news.text) \(like.user.text)"
        case .newsAdded(let change): "\(sequence): added \(change.news.id.text)"
        case .newsUpdated(let change): "\(sequence): updated \(change.news.id.text)"
        case .newsRemovalStarted(let id): "\(sequence): leaving \(id.text)"
        case .newsRemoved(let id): "\(sequence): removed \(id.text)"
        case .userRemoved(let id): "\(sequence): forgot \(id.text)"
        case .newsMergeStarted(let id, let target): "\(sequence): merging \(id.text) into \(target.text)"
        case .likeRedated(let like): "\(sequence): redated \(like.news.text) \(like.user.text)"
        case .newsMerged(let id, let target): "\(sequence): merged \(id.text) into \(target.text)"
        }
    }
}
