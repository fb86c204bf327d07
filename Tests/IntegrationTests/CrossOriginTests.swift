import Testing

/// What web pages of other origins may do (CORS).
@Suite struct CrossOriginTests {
    private static let page = "https://a.example"
    private static let exposed = [
        "Link", "ETag", "Likes-Sequence", "Location", "Retry-After", "Allow", "Operation-Id", "Content-Disposition",
    ]

    /// A request of each kind of answer, with its status.
    private static let requests: [(request: WireRequest, status: Int)] = {
        let json = "application/json"
        let long = "/v1/feed?viewer=" + String(repeating: "x", count: 8_192)
        let origin = ["Origin": page]
        return [
            (WireRequest("GET", "/v1/feed?limit=1", headers: origin), 200),
            (WireRequest("HEAD", "/v1/news/n", headers: origin), 200),
            (WireRequest("GET", "/v1/feed", headers: ["Origin": page, "If-None-Match": "*"]), 304),
            (WireRequest("PUT", "/v1/news/n/likes/v", headers: origin), 201),
            (WireRequest("PUT", "/v1/news/n/likes/v", headers: origin), 200),
            (WireRequest("DELETE", "/v1/news/n/likes/v", headers: origin), 200),
            (WireRequest("DELETE", "/v1/news/unknown", headers: origin), 204),
            (WireRequest("GET", "/v1/news/merged", headers: origin), 308),
            (WireRequest("PUT", "/v1/news/merged/likes/v", headers: origin), 308),
            (WireRequest("GET", "/v1/feed?limit=0", headers: origin), 400),
            (WireRequest("PUT", "/v1/news/unknown/likes/v", headers: origin), 404),
            (WireRequest("GET", "/nothing", headers: origin), 404),
            (WireRequest("PATCH", "/v1/feed", headers: origin), 405),
            (WireRequest("POST", "/v1/news/n/merge", headers: origin, body: #"{"into": "n"}"#), 409),
            (WireRequest("PUT", "/v1/news/n", headers: origin, body: String(repeating: "x", count: 140_000)), 413),
            (WireRequest("PUT", "/v1/news/n", headers: ["Origin": page, "Content-Length": "9999999999"]), 415),
            (
                WireRequest(
                    "PUT", "/v1/news/n",
                    headers: ["Origin": page, "Content-Type": json, "Content-Length": "9999999999"]), 413
            ),
            (WireRequest("GET", long, headers: origin), 414),
            (WireRequest("PUT", "/v1/news/n", headers: origin, body: "title=x", type: "text/plain"), 415),
            (WireRequest("GET", "/v1/feed", headers: ["Origin": page, "Expect": "more"]), 417),
            (WireRequest("GET", "/v1/feed", host: "evil.example", headers: origin), 421),
            (WireRequest("GET", "/v1/feed", headers: ["Origin": page, "Host": "localhost"]), 400),
            (
                WireRequest(
                    "POST", "/v1/admin/import", headers: origin, body: #"{"id":"i","title":"I"}"#, type: API.lines), 200
            ),
            (WireRequest("HEAD", "/v1/admin/export", headers: origin), 200),
            (WireRequest("GET", "/healthz", headers: origin), 200),
            (WireRequest("OPTIONS", "/v1/feed", headers: origin), 204),
        ]
    }()

    private func prepare(_ api: API) async throws {
        try await api.make("n", "merged")
        try await api.like("n", by: "u").succeeded()
        try await api.post("/v1/news/merged/merge", ["into": "n"]).succeeded()
    }

    private func words(_ list: String?) -> Set<String> {
        Set((list ?? "").split(separator: ",").map { $0.drop { $0 == " " }.lowercased() })
    }

    @Test(arguments: [[page], ["*"], ["https://b.example", page]])
    func `Every answer tells the browser that the page may read it, and which headers`(
        origins: [String]
    ) async throws {
        try await withServer(.memory, origins.flatMap { ["--cors-origin", $0] }) { server in
            try await prepare(server.api)
            for (request, status) in CrossOriginTests.requests {
                let answer = try await WireClient.send(request, port: server.port)
                let place = Comment(rawValue: "\(request.method) \(request.target.prefix(40)) \(status)")
                #expect(answer.status == status, place)
                let isForAll = origins == ["*"]
                #expect(
                    answer.headers["access-control-allow-origin"] == (isForAll ? "*" : CrossOriginTests.page), place)
                #expect(answer.headers["vary"] == (isForAll ? nil : "Origin"), place)
                #expect(
                    words(answer.headers["access-control-expose-headers"])
                        .isSuperset(of: CrossOriginTests.exposed.map { $0.lowercased() }), place)
                #expect(answer.headers["access-control-allow-credentials"] == nil, place)
            }
        }
    }

    @Test func `An answer that is streamed tells it, too, and one that waited for a sequence`() async throws {
        try await withServer(.memory, ["--cors-origin", CrossOriginTests.page]) { server in
            try await prepare(server.api)
            let headers = ["Origin": CrossOriginTests.page]
            let export = try await server.api.get("/v1/admin/export", headers: headers)
            let token = (export.epoch ?? "") + ".1000000"
            let late = try await server.api.get("/v1/feed?min_sequence=" + token, headers: headers)
            #expect([export.status, late.status] == [200, 503])
            for answer in [export, late] {
                #expect(answer.headers["access-control-allow-origin"] == CrossOriginTests.page)
                #expect(words(answer.headers["access-control-expose-headers"]).contains("retry-after"))
            }
        }
    }

    @Test(arguments: [
        "https://b.example", "http://a.example", "https://a.example:8443", "null", "https://a.example.evil",
    ])
    func `A page of another origin is told nothing, and a cache that it depends on the origin`(
        origin: String
    ) async throws {
        try await withServer(.memory, ["--cors-origin", CrossOriginTests.page]) { server in
            let preflight = ["Origin": origin, "Access-Control-Request-Method": "PUT"]
            for request in [
                WireRequest("GET", "/v1/feed", headers: ["Origin": origin]), WireRequest("GET", "/v1/feed"),
                WireRequest("OPTIONS", "/v1/news/n/likes/u", headers: preflight),
            ] {
                let answer = try await WireClient.send(request, port: server.port)
                #expect((200..<300).contains(answer.status))
                #expect(answer.headers.keys.filter { $0.hasPrefix("access-control-") } == [])
                #expect(answer.headers["vary"] == "Origin")
            }
        }
    }

    @Test func `Without the flag there is nothing of it`() async throws {
        try await withServer { server in
            try await prepare(server.api)
            for (request, status) in CrossOriginTests.requests {
                let answer = try await WireClient.send(request, port: server.port)
                #expect(answer.status == status, "\(request.method) \(request.target.prefix(40))")
                #expect(answer.headers.keys.filter { $0.hasPrefix("access-control-") || $0 == "vary" } == [])
            }
        }
    }

    // Reported of others: wildebeest#147
    @Test(arguments: [
        ("/v1/news/n", ["GET", "HEAD", "PUT", "DELETE"]),
        // Browsers follow no redirection of a preflight; they do follow the one of the request behind it.
        ("/v1/news/merged", ["GET", "HEAD", "PUT", "DELETE"]),
        ("/v1/news/n/likes/u", ["GET", "HEAD", "PUT", "DELETE"]),
        ("/v1/news/n/likes", ["GET", "HEAD"]), ("/v1/news", ["POST"]), ("/v1/likes", ["POST"]),
        ("/v1/counts", ["GET", "HEAD", "POST"]), ("/v1/profiles/u", ["GET", "HEAD", "DELETE"]),
        ("/v1/profiles/u/likes", ["GET", "HEAD", "PUT", "DELETE"]), ("/v1/feed", ["GET", "HEAD"]),
        ("/v1/news/n/merge", ["POST"]), ("/v1/admin/export", ["GET", "HEAD"]), ("/v1/admin/import", ["POST"]),
        ("/v1/events", ["GET", "HEAD"]),
    ])
    func `A preflight is told the methods of the path, DELETE among them where there is one`(
        path: String, methods: [String]
    ) async throws {
        try await withServer(.memory, ["--cors-origin", CrossOriginTests.page]) { server in
            try await prepare(server.api)
            // Of a method that the path does not have, the browser sees that it is not in the list.
            for method in methods + ["PATCH"] {
                let answer = try await WireClient.send(
                    WireRequest(
                        "OPTIONS", path,
                        headers: [
                            "Origin": CrossOriginTests.page, "Access-Control-Request-Method": method,
                            "Access-Control-Request-Headers": "content-type, operation-id",
                        ]), port: server.port)
                #expect(answer.status == 204)
                #expect(answer.headers["access-control-allow-origin"] == CrossOriginTests.page)
                let allowed = words(answer.headers["access-control-allow-methods"])
                #expect(allowed == Set(methods.map { $0.lowercased() } + ["options"]), "\(method)")
                #expect(
                    words(answer.headers["access-control-allow-headers"]).isSuperset(of: [
                        "content-type", "if-none-match", "operation-id", "likes-min-sequence", "last-event-id",
                    ]))
                #expect(answer.headers["access-control-max-age"].flatMap { Int($0) } ?? 0 > 0)
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                #expect(answer.headers["access-control-allow-private-network"] == nil)
            }
        }
    }

    @Test func `A preflight may ask for a private network`() async throws {
        try await withServer(.memory, ["--cors-origin", "*"]) { server in
            let headers = [
                "Origin": CrossOriginTests.page, "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Private-Network": "true",
            ]
            let answer = try await WireClient.send(
                WireRequest("OPTIONS", "/v1/feed", headers: headers), port: server.port)
            #expect(answer.headers["access-control-allow-private-network"] == "true")
            #expect(answer.headers["access-control-allow-origin"] == "*")
        }
    }

    @Test(arguments: [("/v1/nothing", 404, "not_found"), ("/v1/news/%00", 400, "invalid_id")])
    func `A preflight of a path that does not exist fails as the request would, so that it can be read in the tools`(
        path: String, status: Int, code: String
    ) async throws {
        try await withServer(.memory, ["--cors-origin", CrossOriginTests.page]) { server in
            let headers = ["Origin": CrossOriginTests.page, "Access-Control-Request-Method": "PUT"]
            let answer = try await WireClient.send(WireRequest("OPTIONS", path, headers: headers), port: server.port)
            expectProblem(answer, status, code)
            #expect(answer.headers["access-control-allow-origin"] == CrossOriginTests.page)
            #expect(answer.headers["access-control-allow-methods"] == nil)
        }
    }

    @Test func `Origins may stand in a list, in the environment, and in another spelling`() async throws {
        for (flags, environment) in [
            (["--cors-origin", "https://b.example,HTTPS://A.example:443"], [:]),
            (["--cors-origin=https://b.example", "--cors-origin=https://a.example"], [:]),
            ([], ["LIKESD_CORS_ORIGIN": "https://b.example,https://a.example"]),
        ] {
            try await withServer(.memory, flags, environment: environment) { server in
                for origin in [CrossOriginTests.page, "https://b.example"] {
                    let answer = try await server.api.get("/v1/feed", headers: ["Origin": origin])
                    #expect(answer.headers["access-control-allow-origin"] == origin)
                }
            }
        }
    }

    @Test(arguments: ["a.example", "https://a.example/", "null", "https://*.example", "https://b.example,", ""])
    func `A value that is no origin stops the start, with the flag, the value and what is allowed`(
        value: String
    ) async throws {
        let bad = value.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
        let byFlag = try await likesd("serve", "--in-memory", "--port", "0", "--cors-origin", value)
        let byVariable = try await likesd(
            "serve", "--in-memory", "--port", "0", environment: ["LIKESD_CORS_ORIGIN": value])
        for (run, source) in [(byFlag, "--cors-origin"), (byVariable, "LIKESD_CORS_ORIGIN")] {
            #expect(run.status == .exit(64))
            for part in [source, "\"\(bad)\"", "scheme://host[:port]"] {
                #expect(run.output.contains(part), "\(run.output)")
            }
        }
    }
}
