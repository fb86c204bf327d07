internal import LikesCore
internal import MicroHTTP

/// What a path is about: its template, and the ids in it.
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
    case metrics
    case description
    case page(PageAddress)

    /// The route of a request target.
    ///
    /// - Throws: `not_found` for a path that does not exist, `invalid_id` for one with a bad id.
    init(uri: [UInt8]) throws(Problem) {
        let (uri, segments) = (uri.span, PathSegments(uri.span))
        guard let template = RouteTemplate(uri, segments) else { throw Self.notFound }
        switch template {
        case .newsCollection: self = .newsCollection
        case .news: self = .news(try Self.id(uri.extracting(segments[2])))
        case .likers: self = .likers(try Self.id(uri.extracting(segments[2])))
        case .like: self = .like(try Self.id(uri.extracting(segments[2])), try Self.id(uri.extracting(segments[4])))
        case .merge: self = .merge(try Self.id(uri.extracting(segments[2])))
        case .likes: self = .likes
        case .counts: self = .counts
        case .feed: self = .feed
        case .profile: self = .profile(try Self.id(uri.extracting(segments[2])))
        case .profileLikes: self = .profileLikes(try Self.id(uri.extracting(segments[2])))
        case .events: self = .events
        case .export: self = .export
        case .import: self = .import
        case .verification: self = .verification
        case .health: self = .health
        case .readiness: self = .readiness
        case .metrics: self = .metrics
        case .description: self = .description
        case .home: self = .page(.home)
        case .newsPage: self = .page(.news(try Self.id(uri.extracting(segments[1]))))
        case .ownProfilePage: self = .page(.ownProfile)
        case .profilePage: self = .page(.profile(try Self.id(uri.extracting(segments[1]))))
        case .demo: self = .page(.demo)
        case .likeButton: self = .page(.likeButton)
        case .pagePart:
            guard let part = PageAddress.part(named: uri.extracting(segments[1])) else { throw Self.notFound }
            self = .page(part)
        }
    }

    private static var notFound: Problem { Problem(.notFound, "there is no such path") }

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

    /// The form of its path.
    var template: RouteTemplate {
        switch self {
        case .newsCollection: .newsCollection
        case .news: .news
        case .likers: .likers
        case .like: .like
        case .merge: .merge
        case .likes: .likes
        case .counts: .counts
        case .feed: .feed
        case .profile: .profile
        case .profileLikes: .profileLikes
        case .events: .events
        case .export: .export
        case .import: .import
        case .verification: .verification
        case .health: .health
        case .readiness: .readiness
        case .metrics: .metrics
        case .description: .description
        case .page(let address): address.template
        }
    }

    /// All methods that the path has, as `Allow` lists them.
    var methods: [Method] { template.methods }

    /// Whether the path has a method.
    func allows(_ method: Method) -> Bool { template.allows(method) }

    /// The one news that the path is about, if it is about one.
    var news: NewsID? {
        switch self {
        case .news(let id), .likers(let id), .like(let id, _), .merge(let id): id
        default: nil
        }
    }

    /// Whether the path belongs to the API, and not to the operation of the server or the web page.
    var isVersioned: Bool { template.isVersioned }
}
