internal import LikesCore
internal import WebPage

@testable internal import LikesAPI
@testable internal import MicroHTTP

/// What comes of a target is in origin form, stays as it is when it is looked at again, and has a path and a query that
/// can be read.
func checkTarget(_ bytes: [UInt8]) throws(Violation) {
    for method in [Method.get, .options] {
        guard case .success(let target) = RequestTarget.parse(bytes, method: method) else { continue }
        let form = target.originForm
        try require(form.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }, "a forbidden character passed")
        try require(target.authority.map { !$0.isEmpty && !$0.contains("/") } ?? true, "\(target.authority as Any)")
        guard case .success(let again) = RequestTarget.parse(form, method: method), again.originForm == form else {
            throw Violation("the origin form \(form) is none")
        }
        guard form.first == UInt8(ascii: "/") else {
            try require(form == [UInt8(ascii: "*")] && method == .options, "\(form) begins with no slash")
            continue
        }
        try checkRoute(form)
        if let mark = form.firstIndex(of: UInt8(ascii: "?")) { try checkQuery(Array(form[(mark + 1)...])) }
    }
}

/// A path that is understood is understood in the same way when it is written anew; a redirection leads to the same thing of
/// another news.
func checkRoute(_ bytes: [UInt8]) throws(Violation) {
    // Others do not get that far.
    guard bytes.first == UInt8(ascii: "/") else { return }
    let route: Route
    do throws(Problem) { route = try Route(uri: bytes) } catch {
        return try checkProblem(error, [.invalidID, .notFound])
    }
    let path = canonicalPath(route)
    try require(canonicalPath(try reread(path)) == path, "\(path) leads elsewhere when it is read again")
    try require(route.allows(.options) && route.methods.allSatisfy(route.allows), "\(path) lists methods it has not")
    guard let news = route.news, let other = try? NewsID("/other?é%2F") else { return }
    let response = Redirection(news: news, uri: bytes).response(to: other)
    guard let location = response.headers.first?.value else {
        throw Violation("a redirection without Location")
    }
    let expected = canonicalPath(replacing(route, other))
    try require(canonicalPath(try reread(location)) == expected, "\(path) is redirected to \(location)")
}

private func reread(_ path: String) throws(Violation) -> Route {
    do throws(Problem) { return try Route(uri: Array(path.utf8)) } catch {
        throw Violation("\(path) is refused: \(error.detail)")
    }
}

private func replacing(_ route: Route, _ news: NewsID) -> Route {
    switch route {
    case .news: .news(news)
    case .likers: .likers(news)
    case .like(_, let user): .like(news, user)
    case .merge: .merge(news)
    default: route
    }
}

/// The path of a route as an app would write it.
private func canonicalPath(_ route: Route) -> String {
    switch route {
    case .newsCollection: "/v1/news"
    case .news(let news): "/v1/news/\(encoded(news))"
    case .likers(let news): "/v1/news/\(encoded(news))/likes"
    case .like(let news, let user): "/v1/news/\(encoded(news))/likes/\(encoded(user))"
    case .merge(let news): "/v1/news/\(encoded(news))/merge"
    case .profile(let user): "/v1/profiles/\(encoded(user))"
    case .profileLikes(let user): "/v1/profiles/\(encoded(user))/likes"
    case .likes: "/v1/likes"
    case .counts: "/v1/counts"
    case .feed: "/v1/feed"
    case .events: "/v1/events"
    case .export: "/v1/admin/export"
    case .import: "/v1/admin/import"
    case .verification: "/v1/admin/verify"
    case .health: "/healthz"
    case .readiness: "/readyz"
    case .metrics: "/metrics"
    case .description: "/openapi.yaml"
    case .page(let address): canonicalPath(address)
    }
}

private func canonicalPath(_ address: PageAddress) -> String {
    switch address {
    case .home: "/"
    case .news(let news): "/news/\(encoded(news))"
    case .ownProfile: "/profiles"
    case .profile(let user): "/profiles/\(encoded(user))"
    case .demo: "/demo"
    case .likeButton: "/like-button.js"
    case .part(let file): "/page/\(file.name ?? "")"
    }
}

private func encoded<Subject>(_ id: Identifier<Subject>) -> String { PercentEncoding.encode(id.text) }

/// Percent-encoding is undone by decoding, and decoding by encoding.
func checkPercentEncoding(_ bytes: [UInt8]) throws(Violation) {
    if let text = String(validating: bytes, as: UTF8.self) {
        let encoded = Array(PercentEncoding.encode(text).utf8)
        for plusIsSpace in [false, true] {
            let decoded = PercentEncoding.decode(encoded.span, plusIsSpace: plusIsSpace)
            try require(decoded == bytes, "\(bytes) is encoded as \(encoded), which is decoded to \(decoded ?? [])")
        }
    }
    let isValid = PercentEncoding.isValid(bytes.span)
    guard let decoded = PercentEncoding.decode(bytes.span, plusIsSpace: false) else {
        try require(!isValid, "\(bytes) are called valid, and cannot be decoded")
        return try require(bytes.contains(UInt8(ascii: "%")), "\(bytes) cannot be decoded, without any percent sign")
    }
    try require(isValid, "\(bytes) are called invalid, and can be decoded")
    if PercentEncoding.isPlain(bytes.span, plusIsSpace: false) {
        try require(decoded == bytes, "\(bytes) are called plain, and mean \(decoded)")
    }
    let signs = bytes.count { $0 == UInt8(ascii: "%") }
    try require(decoded.count + 2 * signs == bytes.count, "\(bytes) is decoded to \(decoded.count) bytes")
}

/// An error says what is wrong, in one of the codes that a parser may use.
func checkProblem(_ problem: Problem, _ codes: Set<Problem.Code>) throws(Violation) {
    try require(codes.contains(problem.code), "\(problem.code) is not to be expected here: \(problem.detail)")
    try require(!problem.detail.isEmpty, "\(problem.code) without a word")
    try require(problem.detail.utf8.count <= 2_000, "\(problem.code) with \(problem.detail.utf8.count) bytes of words")
}
