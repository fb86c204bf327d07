import LikesCore
import MicroHTTP
import Testing

@testable import LikesAPI

@Suite("Paths lead to routes")
struct RouteTests {
    private func route(_ target: String) throws -> Route { try Route(uri: Array(target.utf8)) }

    private func code(_ target: String) -> Problem.Code? {
        do throws(Problem) {
            _ = try Route(uri: Array(target.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "an id in a path is decoded exactly once",
        arguments: [
            ("/v1/news/9", "9"), ("/v1/news/a%2Fb", "a/b"), ("/v1/news/%252F", "%2F"), ("/v1/news/a+b", "a+b"),
            ("/v1/news/%E2%9C%A8?viewer=x/y", "✨"),
            ("/v1/news/https%3A%2F%2Fa.example%2Fb%3Fc%3D1", "https://a.example/b?c=1"),
        ])
    func decoding(target: String, id: String) throws {
        guard case .news(let found) = try route(target) else { throw Mismatch() }
        #expect(Array(found.text.utf8) == Array(id.utf8))
    }

    @Test("a like's path names the news and the user")
    func like() throws {
        guard case .like(let news, let user) = try route("/v1/news/a%2Fb/likes/c%2Fd") else { throw Mismatch() }
        #expect(news.text == "a/b")
        #expect(user.text == "c/d")
    }

    @Test(
        "a bad id is invalid_id",
        arguments: [
            "/v1/news/", "/v1/news/%", "/v1/news/%4", "/v1/news/%zz", "/v1/news/%00", "/v1/news/%0A", "/v1/news/%C2%85",
            "/v1/news/%FF", "/v1/news/%C3", "/v1/news/.", "/v1/news/%2E%2E", "/v1/news/9/likes/", "/v1/profiles/%7F",
            "/v1/profiles/" + String(repeating: "a", count: 257),
        ])
    func badID(target: String) {
        #expect(code(target) == .invalidID)
    }

    @Test(
        "what is no path is not_found",
        arguments: [
            "/v2/news/9", "/v1", "/v1/", "/v1/nope", "/v1/news/9/", "/v1/news/9/like/3", "/v1/news/9/likes/3/4",
            "/V1/news/9", "/healthz/x", "/v1/feed/x", "/v1/profiles",
        ])
    func notFound(target: String) {
        #expect(code(target) == .notFound)
    }

    @Test("what does not begin with a slash is no path", arguments: ["", "*", "?", "\t", "a", "v1/feed"])
    func noPath(target: String) {
        let target = Array(target.utf8)
        #expect(RouteTemplate(target.span, PathSegments(target.span)) == nil)
    }

    @Test("a path lists its methods, HEAD where there is GET")
    func methods() throws {
        #expect(try route("/v1/news/9").methods.map(\.name) == ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
        #expect(try route("/v1/news/9/merge").methods.map(\.name) == ["POST", "OPTIONS"])
        #expect(try route("/v1/likes").methods.map(\.name) == ["POST", "OPTIONS"])
        #expect(try route("/v1/feed").methods.map(\.name) == ["GET", "HEAD", "OPTIONS"])
    }
}

@Suite("A request about a merged news is led to the same thing of the other news")
struct RedirectionTests {
    @Test(
        "the path stays but for the id, which is encoded; the query stays as it came",
        arguments: [
            ("/v1/news/a", "/v1/news/%2Fb%3F%E2%9C%A8"),
            ("/v1/news/a%2Fb?viewer=x%2Fy&a=/?", "/v1/news/%2Fb%3F%E2%9C%A8?viewer=x%2Fy&a=/?"),
            ("/v1/news/a/likes/u%2Fv", "/v1/news/%2Fb%3F%E2%9C%A8/likes/u%2Fv"),
            ("/v1/news/news/likes?limit=1", "/v1/news/%2Fb%3F%E2%9C%A8/likes?limit=1"),
            ("/v1/news/a/merge?", "/v1/news/%2Fb%3F%E2%9C%A8/merge?"),
        ])
    func location(target: String, location: String) throws {
        let news = try #require(try Route(uri: Array(target.utf8)).news)
        let response = Redirection(news: news, uri: Array(target.utf8)).response(to: NewsID(trusted: "/b?✨"))
        #expect(response.status == 308)
        #expect(response.headers.first?.value == location)
        guard case .news = try Route(uri: Array(location.utf8)) else { return }
        #expect(try Route(uri: Array(location.utf8)).news?.text == "/b?✨")
    }
}

/// A value was of another case than expected.
struct Mismatch: Error {}
