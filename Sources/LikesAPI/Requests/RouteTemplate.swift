internal import MicroHTTP

/// The form of a path, without the ids in it: what the words of a request target alone say.
enum RouteTemplate: Int, CaseIterable {
    case newsCollection, news, likers, like, merge, likes, counts, feed, profile, profileLikes, events
    case export, `import`, verification
    case health, readiness, metrics, description
    case home, newsPage, ownProfilePage, profilePage, demo, likeButton, pagePart

    /// The template of a request target; nil for a path that does not exist.
    init?(_ uri: Span<UInt8>, _ segments: PathSegments) {
        func isWord(_ index: Int, _ word: StaticString) -> Bool { uri.extracting(segments[index]).equals(word) }
        guard isWord(0, "v1") else {
            guard let template = Self.unversioned(uri, segments) else { return nil }
            self = template
            return
        }
        switch segments.count {
        case 2 where isWord(1, "news"): self = .newsCollection
        case 2 where isWord(1, "likes"): self = .likes
        case 2 where isWord(1, "counts"): self = .counts
        case 2 where isWord(1, "feed"): self = .feed
        case 2 where isWord(1, "events"): self = .events
        case 3 where isWord(1, "admin") && isWord(2, "export"): self = .export
        case 3 where isWord(1, "admin") && isWord(2, "import"): self = .import
        case 3 where isWord(1, "admin") && isWord(2, "verify"): self = .verification
        case 3 where isWord(1, "news"): self = .news
        case 3 where isWord(1, "profiles"): self = .profile
        case 4 where isWord(1, "news") && isWord(3, "likes"): self = .likers
        case 4 where isWord(1, "news") && isWord(3, "merge"): self = .merge
        case 4 where isWord(1, "profiles") && isWord(3, "likes"): self = .profileLikes
        case 5 where isWord(1, "news") && isWord(3, "likes"): self = .like
        default: return nil
        }
    }

    private static func unversioned(_ uri: Span<UInt8>, _ segments: PathSegments) -> RouteTemplate? {
        let first = uri.extracting(segments[0])
        switch segments.count {
        case 1 where first.isEmpty: return .home
        case 1 where first.equals("healthz"): return .health
        case 1 where first.equals("readyz"): return .readiness
        case 1 where first.equals("metrics"): return .metrics
        case 1 where first.equals("openapi.yaml"): return .description
        case 1 where first.equals("demo"): return .demo
        case 1 where first.equals("like-button.js"): return .likeButton
        case 1 where first.equals("profiles"): return .ownProfilePage
        case 2 where first.equals("news"): return .newsPage
        case 2 where first.equals("profiles"): return .profilePage
        case 2 where first.equals("page"): return .pagePart
        default: return nil
        }
    }

    /// The template of a request that is over; nil for a path that does not exist. What was refused before anybody looked at the
    /// path is looked at now.
    init?(_ observation: Observation, _ uri: @autoclosure () -> [UInt8]) {
        if let mark = observation.mark {
            self.init(rawValue: mark)
        } else {
            let uri = uri()
            self.init(uri.span, PathSegments(uri.span))
        }
    }

    /// The path as openapi.yaml has it.
    var path: String {
        switch self {
        case .newsCollection: "/v1/news"
        case .news: "/v1/news/{id}"
        case .likers: "/v1/news/{id}/likes"
        case .like: "/v1/news/{id}/likes/{user}"
        case .merge: "/v1/news/{id}/merge"
        case .likes: "/v1/likes"
        case .counts: "/v1/counts"
        case .feed: "/v1/feed"
        case .profile: "/v1/profiles/{user}"
        case .profileLikes: "/v1/profiles/{user}/likes"
        case .events: "/v1/events"
        case .export: "/v1/admin/export"
        case .import: "/v1/admin/import"
        case .verification: "/v1/admin/verify"
        case .health: "/healthz"
        case .readiness: "/readyz"
        case .metrics: "/metrics"
        case .description: "/openapi.yaml"
        case .home: "/"
        case .newsPage: "/news/{id}"
        case .ownProfilePage: "/profiles"
        case .profilePage: "/profiles/{user}"
        case .demo: "/demo"
        case .likeButton: "/like-button.js"
        case .pagePart: "/page/{file}"
        }
    }

    /// All methods that the path has, as `Allow` lists them.
    var methods: [Method] {
        let all: [(OwnMethods, Method)] = [
            (.get, .get), (.get, .head), (.put, .put), (.post, .post), (.delete, .delete),
        ]
        return all.filter { ownMethods.contains($0.0) }.map(\.1) + [.options]
    }

    /// Whether the path has a method.
    func allows(_ method: Method) -> Bool {
        switch method {
        case .options: true
        case .get, .head: ownMethods.contains(.get)
        case .put: ownMethods.contains(.put)
        case .post: ownMethods.contains(.post)
        case .delete: ownMethods.contains(.delete)
        case .patch, .other: false
        }
    }

    /// The methods that the path has, HEAD and OPTIONS aside.
    private var ownMethods: OwnMethods {
        switch self {
        case .newsCollection, .likes, .merge, .import, .verification: .post
        case .news, .like, .profileLikes: [.get, .put, .delete]
        case .counts: [.get, .post]
        case .profile: [.get, .delete]
        default: .get
        }
    }

    /// Whether the path belongs to the API, and not to the operation of the server or the web page.
    var isVersioned: Bool { rawValue <= Self.verification.rawValue }
}

/// A set of methods: every request asks one, so it is no array.
private struct OwnMethods: OptionSet {
    let rawValue: UInt8

    static let get = OwnMethods(rawValue: 1)
    static let put = OwnMethods(rawValue: 2)
    static let post = OwnMethods(rawValue: 4)
    static let delete = OwnMethods(rawValue: 8)
}
