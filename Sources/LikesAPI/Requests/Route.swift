internal import LikesCore
internal import MicroHTTP

/// What a path is about.
enum Route {
    case newsCollection
    case news(NewsID)
    case likers(NewsID)
    case like(NewsID, UserID)
    case merge(NewsID)
    case likes
    case counts
    case feed
    case profile(UserID)
    case profileLikes(UserID)
    case events
    case export
    case `import`
    case verification
    case health
    case readiness
    case description
    case page(PageAddress)

    /// The route of a request target.
    ///
    /// - Throws: `not_found` for a path that does not exist, `invalid_id` for one with a bad id.
    init(uri: [UInt8]) throws(Problem) {
        let (uri, segments) = (uri.span, PathSegments(uri.span))
        func isWord(_ index: Int, _ word: StaticString) -> Bool { uri.extracting(segments[index]).equals(word) }
        guard isWord(0, "v1") else {
            self = try Self.unversioned(uri, segments)
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
        case 3 where isWord(1, "news"): self = .news(try Self.id(uri.extracting(segments[2])))
        case 3 where isWord(1, "profiles"): self = .profile(try Self.id(uri.extracting(segments[2])))
        case 4 where isWord(1, "news") && isWord(3, "likes"):
            self = .likers(try Self.id(uri.extracting(segments[2])))
        case 4 where isWord(1, "news") && isWord(3, "merge"): self = .merge(try Self.id(uri.extracting(segments[2])))
        case 4 where isWord(1, "profiles") && isWord(3, "likes"):
            self = .profileLikes(try Self.id(uri.extracting(segments[2])))
        case 5 where isWord(1, "news") && isWord(3, "likes"):
            self = .like(try Self.id(uri.extracting(segments[2])), try Self.id(uri.extracting(segments[4])))
        default: throw Self.notFound
        }
    }

    private static var notFound: Problem { Problem(.notFound, "there is no such path") }

    private static func unversioned(_ uri: Span<UInt8>, _ segments: PathSegments) throws(Problem) -> Route {
        let (first, second) = (uri.extracting(segments[0]), uri.extracting(segments[1]))
        switch segments.count {
        case 1 where first.isEmpty: return .page(.home)
        case 1 where first.equals("healthz"): return .health
        case 1 where first.equals("readyz"): return .readiness
        case 1 where first.equals("openapi.yaml"): return .description
        case 1 where first.equals("demo"): return .page(.demo)
        case 1 where first.equals("like-button.js"): return .page(.likeButton)
        case 1 where first.equals("profiles"): return .page(.ownProfile)
        case 2 where first.equals("news"): return .page(.news(try id(second)))
        case 2 where first.equals("profiles"): return .page(.profile(try id(second)))
        case 2 where first.equals("page"):
            guard let part = PageAddress.part(named: second) else { throw notFound }
            return .page(part)
        default: throw notFound
        }
    }

    private static func id<Subject>(_ segment: Span<UInt8>) throws(Problem) -> Identifier<Subject> {
        let isPlain = PercentEncoding.isPlain(segment, plusIsSpace: false)
        guard let bytes = isPlain ? [] : PercentEncoding.decode(segment, plusIsSpace: false) else {
            throw Problem(.invalidID, "an id has bad percent-encoding")
        }
        do throws(IdentifierError) {
            return try isPlain ? Identifier(utf8: segment) : Identifier(utf8: bytes)
        } catch {
            throw Problem(.invalidID, error.reason)
        }
    }

    /// The methods that the path has, HEAD and OPTIONS aside.
    private var ownMethods: OwnMethods {
        switch self {
        case .newsCollection, .likes, .merge, .import, .verification: .post
        case .news, .like, .profileLikes: [.get, .put, .delete]
        case .counts: [.get, .post]
        case .profile: [.get, .delete]
        case .likers, .feed, .events, .health, .readiness, .description, .export, .page: .get
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

    /// The one news that the path is about, if it is about one.
    var news: NewsID? {
        switch self {
        case .news(let id), .likers(let id), .like(let id, _), .merge(let id): id
        default: nil
        }
    }

    /// Whether the path belongs to the API, and not to the operation of the server or the web page.
    var isVersioned: Bool {
        switch self {
        case .health, .readiness, .description, .page: false
        default: true
        }
    }
}

/// A set of methods: every request asks one, so it is no array.
private struct OwnMethods: OptionSet {
    let rawValue: UInt8

    static let get = OwnMethods(rawValue: 1)
    static let put = OwnMethods(rawValue: 2)
    static let post = OwnMethods(rawValue: 4)
    static let delete = OwnMethods(rawValue: 8)
}

/// Where the segments of a path lie in a request target.
private struct PathSegments {
    /// More than any path has that there is.
    private static let most = 6

    private var ranges = InlineArray<6, Range<Int>>(repeating: 0..<0)
    /// The number of segments; of more than `most`, one more than that.
    private(set) var count = 0

    /// - Parameter target: begins with a slash.
    init(_ target: Span<UInt8>) {
        let pathEnd = target.place(of: "?") ?? target.count
        var start = 1
        for place in 1..<max(pathEnd, 1) where target[place] == UInt8(ascii: "/") {
            add(start..<place)
            start = place + 1
        }
        add(start..<max(pathEnd, start))
    }

    private mutating func add(_ range: Range<Int>) {
        if count < Self.most { ranges[count] = range }
        count = min(count + 1, Self.most + 1)
    }

    /// One that is there, or an empty one.
    subscript(index: Int) -> Range<Int> { index < count ? ranges[index] : 0..<0 }
}
