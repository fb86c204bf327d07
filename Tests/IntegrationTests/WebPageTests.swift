import Foundation
import Testing

/// How the web page is served; what it does is tested in a browser.
@Suite struct WebPageTests {
    private static let parts = [
        "app.js", "mediator.js", "client.js", "elements.js", "feed.js", "detail.js", "profile.js",
        "demo.js",
    ]
    private static let scripts = ["/like-button.js"] + parts.map { "/page/\($0)" }
    private static let pages = [
        "/", "/?sort=top&flow=compact", "/news/9", "/news/https%3A%2F%2Fa.example%2Fb%3Fc%3D1", "/profiles",
        "/profiles/%E2%9C%A8", "/demo",
    ]
    private static let files = pages + scripts + ["/page/page.css"]

    @Test(arguments: files)
    func `A file is there, plain and compressed, as what it is`(path: String) async throws {
        try await withServer { server in
            let plain = try await wire(path, server)
            #expect(plain.status == 200)
            let type = Self.pages.contains(path) ? "html" : path.hasSuffix(".css") ? "css" : "javascript"
            #expect(plain.headers["content-type"] == "text/\(type); charset=utf-8")
            #expect(plain.headers["x-content-type-options"] == "nosniff")
            #expect(plain.headers["content-encoding"] == nil)
            let compressed = try await wire(path, server, ["Accept-Encoding": "br;q=1.0, GZIP ; q=0.5"])
            #expect(compressed.headers["content-encoding"] == "gzip")
            #expect(compressed.headers["vary"] == "Accept-Encoding")
            #expect(compressed.body.prefix(2) == Data([0x1F, 0x8B]))
            // URLSession, too, asks for gzip, and undoes it.
            let undone = try await server.api.get(path)
            #expect(undone.body == plain.body)
        }
    }

    @Test(arguments: ["identity", "gzip;q=0", "gzip; q=0.000, br", "x-gzip", ""])
    func `Who does not take gzip gets none`(codings: String) async throws {
        try await withServer { server in
            let answer = try await wire("/", server, ["Accept-Encoding": codings])
            #expect(answer.headers["content-encoding"] == nil)
            #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix("<!doctype html>"))
        }
    }

    @Test(arguments: files)
    func `What a browser has already is not sent again, and asked about each time`(path: String) async throws {
        try await withServer { server in
            let plain = try await wire(path, server)
            let compressed = try await wire(path, server, ["Accept-Encoding": "gzip"])
            let tags = [try #require(plain.headers["etag"]), try #require(compressed.headers["etag"])]
            #expect(tags[0] != tags[1], "a cache would mix them up")
            #expect(plain.headers["cache-control"] == "no-cache")
            for method in ["GET", "HEAD"] {
                let known = try await wire(path, server, ["If-None-Match": "\"other\", \(tags[0])"], method)
                #expect(known.status == 304)
                #expect(known.headers["etag"] == tags[0])
                let other = try await wire(path, server, ["If-None-Match": tags[1]], method)
                #expect(other.status == 200)
            }
        }
    }

    @Test(arguments: pages)
    func `A page loads nothing from elsewhere, runs nothing inline, and is in no frame`(path: String) async throws {
        try await withServer { server in
            let answer = try await wire(path, server)
            let policy = try #require(answer.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; "))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(answer.headers["x-frame-options"] == "DENY")
        }
    }

    @Test func `The like button, and nothing else, is for pages of others`() async throws {
        try await withServer { server in
            let button = try await wire("/like-button.js", server)
            #expect(button.headers["cross-origin-resource-policy"] == "cross-origin")
            for path in Self.files where !Self.pages.contains(path) && path != "/like-button.js" {
                let policy = try await wire(path, server).headers["cross-origin-resource-policy"]
                #expect(policy == "same-origin", "\(path)")
            }
        }
    }

    @Test func `The like button has 6 KB at most`() async throws {
        try await withServer { server in
            let button = try await wire("/like-button.js", server)
            #expect(button.body.count <= 6 * 1024)
        }
    }

    @Test func `What is no part of the page is not found, and a page cannot be written`() async throws {
        try await withServer { server in
            for path in [
                "/page", "/page/", "/page/page.html", "/page/../app.js", "/page/app.js/x", "/news", "/news/9/",
            ] {
                let answer = try await wire(path, server)
                #expect(answer.json["code"] == "not_found", "\(path)")
            }
            for path in ["/news/%FF", "/profiles/%00", "/news/.."] {
                let answer = try await wire(path, server)
                #expect(answer.json["code"] == "invalid_id", "\(path)")
            }
            for path in ["/", "/news/9", "/profiles/u", "/page/app.js"] {
                let refused = try await wire(path, server, [:], "DELETE")
                #expect(refused.status == 405)
                #expect(refused.headers["allow"] == "GET, HEAD, OPTIONS")
            }
        }
    }

    /// Asks for a path as it is, without what URLSession adds.
    private func wire(
        _ path: String, _ server: Server, _ headers: [String: String] = [:], _ method: String = "GET"
    ) async throws -> Answer {
        try await WireClient.send(WireRequest(method, path, headers: headers), port: server.port)
    }
}
