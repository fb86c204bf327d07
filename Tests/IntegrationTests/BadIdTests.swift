import Testing

/// What is no id is refused, with 400 and a code, everywhere.
@Suite struct BadIdTests {
    /// Segments of a path, as they go over the wire.
    static let bad = [
        "%00", "a%00b", "%0A", "%0a", "%1F", "%7F", "%C2%80", "%C2%9F", "a%C2%85b", "%", "%4", "a%", "%zz", "%2",
        "%u0041",
        "%FF", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "%E2%9C", "%80", ".", "..", "%2E", "%2e%2e", ".%2E", "%2E.",
        String(repeating: "x", count: 257), String(repeating: "%C3%A9", count: 129), "",
    ]

    // Reported of others: mcp registry#862, schautrack#378
    @Test(arguments: bad)
    func `As a news in a path`(segment: String) async throws {
        try await withServer { server in
            try await server.api.make("n")
            let requests = [
                WireRequest("PUT", "/v1/news/\(segment)", body: #"{"title":"t"}"#),
                WireRequest("GET", "/v1/news/\(segment)"), WireRequest("DELETE", "/v1/news/\(segment)"),
                WireRequest("PUT", "/v1/news/\(segment)/likes/u"), WireRequest("DELETE", "/v1/news/\(segment)/likes/u"),
                WireRequest("GET", "/v1/news/\(segment)/likes/u"), WireRequest("GET", "/v1/news/\(segment)/likes"),
            ]
            for request in requests {
                let answer = try await WireClient.send(request, port: server.port)
                expectProblem(answer, 400, "invalid_id", "\(String(decoding: request.bytes, as: UTF8.self))")
            }
            #expect(try await server.api.allNews() == ["n"])
        }
    }

    // Reported of others: mcp registry#862, schautrack#378
    @Test(arguments: bad)
    func `As a user in a path`(segment: String) async throws {
        try await withServer { server in
            try await server.api.make("n")
            let requests = [
                WireRequest("PUT", "/v1/news/n/likes/\(segment)"), WireRequest("DELETE", "/v1/news/n/likes/\(segment)"),
                WireRequest("GET", "/v1/news/n/likes/\(segment)"), WireRequest("GET", "/v1/profiles/\(segment)"),
                WireRequest("GET", "/v1/profiles/\(segment)/likes"),
                WireRequest("PUT", "/v1/profiles/\(segment)/likes"),
            ]
            for request in requests {
                let answer = try await WireClient.send(request, port: server.port)
                expectProblem(answer, 400, "invalid_id", "\(String(decoding: request.bytes, as: UTF8.self))")
            }
            #expect(try await server.api.detail("n").json["likesCount"] == 0)
        }
    }

    @Test(arguments: bad)
    func `As a viewer in a query`(value: String) async throws {
        try await withServer { server in
            try await server.api.make("n")
            for target in ["/v1/news/n?viewer=\(value)", "/v1/feed?viewer=\(value)"] {
                let answer = try await WireClient.send(WireRequest("GET", target), port: server.port)
                // Broken percent-encoding is a fault of the query, or of the id in it.
                let broken = answer.json["code"] == "invalid_parameter" && value.contains("%")
                expectProblem(answer, 400, broken ? "invalid_parameter" : "invalid_id", "\(target)")
            }
        }
    }

    static let texts = [
        #""""#, #"".""#, #""..""#, #""a\u0000b""#, #""\n""#, #""\u007f""#, #""\u0085""#,
        "\"" + String(repeating: "x", count: 257) + "\"",
    ]

    // Reported of others: mcp registry#862, schautrack#378
    @Test(arguments: texts)
    func `In JSON`(text: String) async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let author = try await api.send("PUT", "/v1/news/x", body: #"{"title":"t","author":\#(text)}"#)
            expectProblem(author, 400, "invalid_id")
            let many = try await api.send("POST", "/v1/news", body: #"[{"id":\#(text),"title":"t"}]"#)
            #expect(many.json["results"][0]["code"] == "invalid_id")
            for entry in [#""news":\#(text),"user":"u""#, #""news":"n","user":\#(text)"#] {
                let answer = try await api.send("POST", "/v1/likes", body: #"[{"op":"like",\#(entry)}]"#)
                #expect(answer.json["results"][0]["status"] == 400, "\(entry)")
                #expect(answer.json["results"][0]["code"] == "invalid_id", "\(entry)")
            }
            let all = try await api.send("PUT", API.likes(of: "u"), body: #"{"news":["n",\#(text)]}"#)
            expectProblem(all, 400, "invalid_id")
            #expect(try await api.allNews() == ["n"])
            #expect(try await api.detail("n").json["likesCount"] == 0)
        }
    }

    @Test func `A path too long is 414, and the connection's next request is answered or it closes`() async throws {
        try await withServer { server in
            let answer = try await WireClient.send(
                WireRequest("GET", "/v1/news/" + String(repeating: "x", count: 20_000)), port: server.port)
            #expect([400, 414, 431].contains(answer.status))
        }
    }
}
