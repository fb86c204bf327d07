import Testing

/// Many news in one request, and what bodies may look like.
@Suite struct ManyNewsTests {
    private static let lines = """
        {"id":"a","title":"A"}
        {"id":"b","title":"B","baseLikes":3}
        """

    @Test(arguments: [
        (#"[{"id":"a","title":"A"},{"id":"b","title":"B","baseLikes":3}]"#, "application/json"),
        (#"{"news":[{"id":"a","title":"A"},{"id":"b","title":"B","baseLikes":3}]}"#, "application/json"),
        (lines, "application/x-ndjson"), (lines + "\n", "application/x-ndjson; charset=utf-8"),
    ])
    func `An array, an object and lines are understood`(body: String, type: String) async throws {
        try await withServer { server in
            let answer = try await server.api.send("POST", "/v1/news", body: body, type: type)
            #expect(answer.status == 200)
            #expect(answer.json["changed"] == 2)
            #expect(answer.json["failed"] == 0)
            #expect(answer.json["results"].elements.map { $0["likesCount"] } == [0, 3])
            #expect(Set(try await server.api.allNews()) == ["a", "b"])
        }
    }

    @Test func `Each entry has its result in input order, and a bad one does not undo good ones`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("old")
            let answer = try await api.post(
                "/v1/news",
                [
                    ["id": "new", "title": "N"], ["id": "", "title": "no id"], ["id": "old", "title": "O"],
                    ["id": "untitled"], "not an object", ["id": "last", "title": "L", "baseLikes": 2],
                ])
            #expect(answer.status == 200)
            let results = answer.json["results"]
            #expect(results.elements.map { $0["status"] } == [201, 400, 200, 400, 400, 201])
            #expect(
                results.elements.map { $0["code"].string } == [
                    nil, "invalid_id", nil, "invalid_body", "invalid_body", nil,
                ])
            #expect(results[3]["detail"].string?.contains("title") == true)
            #expect(results[5]["likesCount"] == 2)
            #expect(answer.json["failed"] == 3)
            #expect(Set(try await api.allNews()) == ["new", "old", "last"])
        }
    }

    @Test func `The same id twice: the first makes it, the last one stays`() async throws {
        try await withServer { server in
            let api = server.api
            let answer = try await api.post("/v1/news", [["id": "n", "title": "1"], ["id": "n", "title": "2"]])
            #expect(answer.json["results"].elements.map { $0["status"] } == [201, 200])
            #expect(try await api.detail("n").json["title"] == "2")
            #expect(try await api.allNews() == ["n"])
        }
    }

    @Test func `A body that cannot be read as a whole is 400`() async throws {
        try await withServer { server in
            let answer = try await server.api.send("POST", "/v1/news", body: #"[{"id":"a","title":"A"}"#)
            expectProblem(answer, 400, "invalid_json")
            #expect(try await server.api.allNews() == [])
        }
    }

    @Test func `More than 10,000 entries are 413`() async throws {
        try await withServer { server in
            let entries = (0...10_000).map { #"{"id":"\#($0)","title":"t"}"# }
            let answer = try await server.api.send("POST", "/v1/news", body: "[" + entries.joined(separator: ",") + "]")
            expectProblem(answer, 413, "body_too_large")
            #expect(try await server.api.allNews() == [])
        }
    }

    @Test func `A news of more than 128 KiB is 413, said before it is sent`() async throws {
        try await withServer { server in
            let request = WireRequest(
                "PUT", "/v1/news/n", headers: ["Content-Type": "application/json", "Content-Length": "131073"])
            expectProblem(try await WireClient.send(request, port: server.port), 413, "body_too_large")
        }
    }

    @Test func `A news as large as it may be is taken`() async throws {
        try await withServer { server in
            // 64 members of 256 bytes each are 16 KiB, all of it escaped.
            let pairs = (10..<74).map { ("key \($0)", JSON.string(String(repeating: "\u{1}", count: 250))) }
            let properties = JSON.object(Dictionary(uniqueKeysWithValues: pairs))
            let title = JSON.string(String(repeating: "\"", count: 1000))
            let answer = try await server.api.putNews("n", ["title": title, "properties": properties])
            #expect(answer.status == 201)
            #expect(try await server.api.detail("n").json["properties"] == properties)
        }
    }

    @Test func `Properties of more than 16 KiB together are refused`() async throws {
        try await withServer { server in
            let pairs = (10..<74).map { ("key \($0)", JSON.string(String(repeating: "v", count: 251))) }
            let properties = JSON.object(Dictionary(uniqueKeysWithValues: pairs))
            let answer = try await server.api.putNews("n", ["title": "A title", "properties": properties])
            expectProblem(answer, 400, "invalid_body")
        }
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/x-ndjson"])
    func `A body of another type is 415`(type: String) async throws {
        try await withServer { server in
            let answer = try await server.api.send("PUT", "/v1/news/n", body: #"{"title":"t"}"#, type: type)
            expectProblem(answer, 415, "unsupported_media_type")
            expectProblem(try await server.api.detail("n"), 404, "news_not_found")
        }
    }

    @Test func `A body whose type nobody says is 415`() async throws {
        try await withServer { server in
            let bare = WireRequest("PUT", "/v1/news/n", headers: ["Content-Length": "0"])
            let answer = try await WireClient.send(bare, port: server.port)
            #expect(answer.status == 415 || answer.status == 400, "an empty body may be refused as no JSON instead")
            #expect(answer.status < 500)
        }
    }
}
