import Foundation
import Testing

/// HTTP itself: methods, unknown paths, errors, the addresses that watch over the service.
@Suite struct HTTPTests {
    private static let reads = [
        "/v1/news/n", "/v1/news/n/likes", "/v1/news/n/likes/u", "/v1/feed", "/v1/feed?sort=top&limit=1",
        "/v1/counts?news=n", "/v1/profiles/u", "/v1/profiles/u/likes", "/healthz", "/readyz", "/openapi.yaml",
    ]

    @Test func `HEAD answers as GET does, without the body, and the connection goes on`() async throws {
        try await withServer { server in
            try await server.api.make("n", "m")
            try await server.api.like("n", by: "u").succeeded()
            for target in HTTPTests.reads {
                let answers = try await WireClient.send(
                    [WireRequest("HEAD", target), WireRequest("GET", target)], port: server.port)
                #expect(answers[0].status == 200, "\(target)")
                #expect(answers[0].body.isEmpty)
                #expect(!answers[1].body.isEmpty)
                let ofGet = answers[1].headers.filter { $0.key != "date" }
                #expect(answers[0].headers.filter { $0.key != "date" } == ofGet, "\(target)")
            }
        }
    }

    @Test func `HEAD of what is not there is 404 without a body`() async throws {
        try await withServer { server in
            let answers = try await WireClient.send(
                [WireRequest("HEAD", "/v1/news/unknown"), WireRequest("GET", "/healthz")], port: server.port)
            #expect(answers[0].status == 404)
            #expect(answers[1].status == 200)
        }
    }

    @Test(arguments: [
        ("/v1/news", "POST"), ("/v1/news/n", "DELETE GET HEAD PUT"), ("/v1/news/n/likes", "GET HEAD"),
        ("/v1/news/n/likes/u", "DELETE GET HEAD PUT"), ("/v1/likes", "POST"), ("/v1/feed", "GET HEAD"),
        ("/v1/profiles/u", "DELETE GET HEAD"), ("/v1/counts", "GET HEAD POST"),
        ("/v1/profiles/u/likes", "DELETE GET HEAD PUT"), ("/healthz", "GET HEAD"),
        ("/readyz", "GET HEAD"), ("/openapi.yaml", "GET HEAD"),
    ])
    func `A method that a path does not have is 405, and Allow names those it has`(
        path: String, methods: String
    ) async throws {
        try await withServer { server in
            for method in ["PATCH", "POST", "DELETE", "PUT", "GET", "HEAD"] where !methods.contains(method) {
                let answer = try await WireClient.send(WireRequest(method, path), port: server.port)
                #expect(answer.status == 405, "\(method)")
                if method != "HEAD" { expectProblem(answer, 405, "method_not_allowed", "\(method)") }
                let allowed = answer.headers["allow"]?.split(separator: ", ").filter { $0 != "OPTIONS" } ?? []
                #expect(allowed.sorted().joined(separator: " ") == methods, "\(method)")
            }
        }
    }

    @Test(arguments: [
        "/v2/news/n", "/v1", "/v1/", "/v1/new", "/v1/news/n/like", "/v1/news/n/likes/u/v", "/v1/profiles",
        "/v1/profiles/u/like", "/V1/feed", "/v1/feed/", "/v1/feed/x", "/healthz/x", "/.env", "/v1%2Ffeed",
    ])
    func `A path that does not exist is 404 as problem+json`(path: String) async throws {
        try await withServer { server in
            let answer = try await WireClient.send(WireRequest("GET", path), port: server.port)
            expectProblem(answer, 404, "not_found")
            #expect(answer.json["type"] == "about:blank")
            #expect(answer.json["title"] == "Not Found")
            #expect(answer.json["detail"].string?.isEmpty == false)
        }
    }

    @Test func `A refused request does not break the next one on its connection`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let answers = try await WireClient.send(
                [
                    WireRequest("PUT", "/v1/news/unknown/likes/u"), WireRequest("PUT", "/v1/news/x", body: "{"),
                    WireRequest("GET", "/v1/feed?limit=0"), WireRequest("PATCH", "/v1/feed"),
                    WireRequest("GET", "/nothing"), WireRequest("PUT", "/v1/news/n/likes/u"),
                ], port: server.port)
            #expect(answers.map(\.status) == [404, 400, 400, 405, 404, 201])
        }
    }

    @Test func `The addresses that watch over the service answer`() async throws {
        try await withServer { server in
            for path in ["/healthz", "/readyz"] {
                let answer = try await server.api.get(path)
                #expect(answer.status == 200)
                #expect(answer.json["status"] == "ok")
            }
        }
    }

    @Test func `The contract is served as it stands in the project`() async throws {
        try await withServer { server in
            let answer = try await server.api.get("/openapi.yaml")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"]?.hasPrefix("application/yaml") == true)
            let file = try Places.contents("openapi.yaml")
            #expect(answer.body == file)
        }
    }

    @Test(arguments: ["localhost", "localhost:8080", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8080"])
    func `On loopback, a loopback name or address is answered`(host: String) async throws {
        try await withServer { server in
            let answer = try await WireClient.send(WireRequest("GET", "/v1/feed", host: host), port: server.port)
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080", "192.0.2.1", "[::2]"])
    func `On loopback, another name is refused, so that no web page gets in by its own name`(
        host: String
    ) async throws {
        try await withServer { server in
            try await server.api.make("n")
            for (method, target) in [("GET", "/v1/feed"), ("PUT", "/v1/news/n/likes/u")] {
                let answer = try await WireClient.send(WireRequest(method, target, host: host), port: server.port)
                expectProblem(answer, 421, "misdirected_request")
            }
            #expect(try await server.api.detail("n").json["likesCount"] == 0)
        }
    }
}
