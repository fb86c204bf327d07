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

    /// The route of a request target.
    ///
    /// - Throws: `not_found` for a path that does not exist, `invalid_id` for one with a bad id.
    init(uri: [UInt8]) throws(Problem) {
        let path = uri.prefix { $0 != UInt8(ascii: "?") }.dropFirst()
        let segments = path.split(separator: UInt8(ascii: "/"), maxSplits: 6, omittingEmptySubsequences: false)
        func isWord(_ index: Int, _ word: StaticString) -> Bool {
            index < segments.count && segments[index].elementsEqual(word)
        }
        guard isWord(0, "v1") else {
            self = try Self.unversioned(segments)
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
        case 3 where isWord(1, "news"): self = .news(try Self.id(segments[2]))
        case 3 where isWord(1, "profiles"): self = .profile(try Self.id(segments[2]))
        case 4 where isWord(1, "news") && isWord(3, "likes"): self = .likers(try Self.id(segments[2]))
        case 4 where isWord(1, "news") && isWord(3, "merge"): self = .merge(try Self.id(segments[2]))
        case 4 where isWord(1, "profiles") && isWord(3, "likes"): self = .profileLikes(try Self.id(segments[2]))
        case 5 where isWord(1, "news") && isWord(3, "likes"):
            self = .like(try Self.id(segments[2]), try Self.id(segments[4]))
        default: throw Self.notFound
        }
    }

    private static let notFound = Problem(.notFound, "there is no such path")

    private static func unversioned(_ segments: [ArraySlice<UInt8>]) throws(Problem) -> Route {
        guard segments.count == 1 else { throw notFound }
        if segments[0].elementsEqual("healthz" as StaticString) { return .health }
        if segments[0].elementsEqual("readyz" as StaticString) { return .readiness }
        if segments[0].elementsEqual("openapi.yaml" as StaticString) { return .description }
        throw notFound
    }

    private static func id<Subject>(_ segment: ArraySlice<UInt8>) throws(Problem) -> Identifier<Subject> {
        guard let bytes = PercentEncoding.decode(segment, plusIsSpace: false) else {
            throw Problem(.invalidID, "an id has bad percent-encoding")
        }
        do throws(IdentifierError) { return try Identifier(utf8: bytes) } catch {
            throw Problem(.invalidID, error.reason)
        }
    }

    /// The methods that the path has, HEAD and OPTIONS aside.
    private var ownMethods: [Method] {
        switch self {
        case .newsCollection, .likes, .merge, .import, .verification: Self.onlyPost
        case .news, .like, .profileLikes: Self.readAndWrite
        case .counts: Self.readAndPost
        case .profile: Self.readAndDelete
        case .likers, .feed, .events, .health, .readiness, .description, .export: Self.onlyGet
        }
    }

    // Made once: every request asks.
    private static let onlyPost = [Method.post]
    private static let readAndWrite = [Method.get, .put, .delete]
    private static let readAndPost = [Method.get, .post]
    private static let readAndDelete = [Method.get, .delete]
    private static let onlyGet = [Method.get]

    /// All methods that the path has, as `Allow` lists them.
    var methods: [Method] {
        (ownMethods.contains(.get) ? [.get, .head] : []) + ownMethods.filter { $0 != .get } + [.options]
    }

    /// Whether the path has a method.
    func allows(_ method: Method) -> Bool {
        switch method {
        case .options: true
        case .get, .head: ownMethods.contains(.get)
        default: ownMethods.contains(method)
        }
    }

    /// The one news that the path is about, if it is about one.
    var news: NewsID? {
        switch self {
        case .news(let id), .likers(let id), .like(let id, _), .merge(let id): id
        default: nil
        }
    }

    /// Whether the path belongs to the API, and not to the operation of the server.
    var isVersioned: Bool {
        switch self {
        case .health, .readiness, .description: false
        default: true
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func elementsEqual(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && word.withUTF8Buffer { unsafe elementsEqual($0) }
    }
}
