import Testing

/// `likesd import` with files that are not as they should be.
@Suite struct ImportTests {
    private let news = """
        id,title,author,baseLikes
        a,"Quoted, with ""quotes"" and a comma",writer,4
        b,Plain,,
        """

    private func put(_ text: String, _ name: String, in folder: String) throws -> String {
        try Places.write(text, to: "\(folder)/\(name)")
    }

    @Test func `Names file and line of each bad record, takes the good ones, and exits with 65`() async throws {
        try await Places.withFolder { folder in
            let file = try put(news + "\n,no id,,\nc,,,\nd,Good,,\n", "some-news.csv", in: folder)
            let likes = try put("user,news\nu,a\nu,\nv,a\n,a\nw,a,extra\nx,d\n", "some-likes.csv", in: folder)
            let run = try await likesd("import", file, likes, "--data", folder + "/data")
            #expect(run.status == .exit(65), "\(run.output)")
            for place in ["some-news.csv:4", "some-news.csv:5", "some-likes.csv:3", "some-likes.csv:5"] {
                #expect(run.output.contains(place), "\(place) in:\n\(run.output)")
            }
            try await withServer(.folder(folder + "/data")) { server in
                #expect(Set(try await server.api.allNews()) == ["a", "b", "d"])
                let likers = try await server.api.allLikers("a")
                #expect(Set(likers).isSuperset(of: ["u", "v"]))
                #expect(try await server.api.allLikers("d") == ["x"])
            }
        }
    }

    @Test func `The same with a running server`() async throws {
        try await withServer { server in
            try await Places.withFolder { folder in
                let file = try put(news + "\nc,,,\n", "some-news.csv", in: folder)
                let likes = try put(
                    "user,news,at\nu,a,2001-01-01T00:00:00Z\nu,unknown,\n", "some-likes.csv", in: folder)
                let run = try await likesd("import", file, likes, "--url", server.address)
                #expect(run.status == .exit(65), "\(run.output)")
                #expect(run.output.contains("some-news.csv:4"), "\(run.output)")
                #expect(run.output.contains("some-likes.csv:3"), "\(run.output)")
                let liked = try await server.api.get(API.likers("a")).json["likes"][0]
                #expect(liked == ["user": "u", "likedAt": "2001-01-01T00:00:00.000Z"])
            }
        }
    }

    @Test func `Reads quoted fields, authors and baseLikes`() async throws {
        try await withServer { server in
            try await Places.withFolder { folder in
                let file = try put(news, "news.csv", in: folder)
                let run = try await likesd("import", file, "--url", server.address)
                #expect(run.status == .exit(0), "\(run.output)")
                let a = try await server.api.detail("a").json
                #expect(a["title"] == "Quoted, with \"quotes\" and a comma")
                #expect(a["author"] == "writer")
                #expect(a["likesCount"] == 4)
                #expect(try await server.api.detail("b").json["author"] == .absent)
            }
        }
    }

    @Test func `Reads lines that end with CR LF, and a byte order mark`() async throws {
        try await withServer { server in
            try await Places.withFolder { folder in
                let file = try put("\u{FEFF}id,title\r\na,A title\r\n", "news.csv", in: folder)
                let run = try await likesd("import", file, "--url", server.address)
                #expect(run.status == .exit(0), "\(run.output)")
                #expect(try await server.api.detail("a").json["title"] == "A title")
            }
        }
    }

    @Test func `A file that is not there is named, and nothing is done`() async throws {
        try await Places.withFolder { folder in
            let run = try await likesd("import", folder + "/missing.csv", "--data", folder + "/data")
            #expect(run.status != .exit(0))
            #expect(run.output.contains("missing.csv"), "\(run.output)")
        }
    }

    @Test func `A file whose first line says nothing known is refused`() async throws {
        try await Places.withFolder { folder in
            let file = try put("name,colour\nx,red\n", "strange.csv", in: folder)
            let run = try await likesd("import", file, "--data", folder + "/data")
            #expect(run.status == .exit(65), "\(run.output)")
            #expect(run.output.contains("strange.csv"), "\(run.output)")
        }
    }

    @Test(arguments: [
        (["--colour", "red"], "--colour"), (["--data"], "--data"), (["--url", "ftp://x"], "--url"),
        (["--port", "1"], "--port"),
    ])
    func `A flag that is unknown or wrong is named, with exit status 64`(flags: [String], name: String) async throws {
        let child = try Child(Places.binary, ["import", Places.msweb("news.csv")] + flags)
        let status = try await child.ended()
        #expect(status == .exit(64))
        #expect(child.output.contains(name), "\(child.output)")
    }

    @Test func `A server that is not there is said in a line, with an exit status that is not 0`() async throws {
        let run = try await likesd("import", Places.msweb("news.csv"), "--url", "http://127.0.0.1:1")
        #expect(run.status != .exit(0))
        #expect(run.output.contains("likesd: "), "\(run.output)")
    }

    /// Imports news into a folder and serves it.
    private func imported(
        _ text: String, _ body: (API, (status: Child.Status, output: String)) async throws -> Void
    ) async throws {
        try await Places.withFolder { folder in
            let file = try put(text, "news.csv", in: folder)
            let run = try await likesd("import", file, "--data", folder + "/data")
            try await withServer(.folder(folder + "/data")) { try await body($0.api, run) }
        }
    }

    @Test func `A quote inside of a field stands for itself; quoted fields have commas, line ends and doubled quotes`()
        async throws
    {
        let text = #"""
            id,title,author
            1,5" disk,
            "2","a, b
            c ""d""
            ",writer
            3,"""",
            4,plain,"writer"

            """#
        try await imported(text) { api, run in
            #expect(run.status == .exit(0), "\(run.output)")
            let titles = ["1": "5\" disk", "2": "a, b\nc \"d\"\n", "3": "\"", "4": "plain"]
            for (id, title) in titles {
                let detail = try await api.detail(id)
                #expect(detail.json["title"] == .string(title))
            }
            #expect(try await api.detail("2").json["author"] == "writer")
            #expect(try await api.detail("4").json["author"] == "writer")
            #expect(try await api.allNews().count == 4)
        }
    }

    @Test(arguments: ["good,Good", "good,\"Good, and quoted\"", "\"good\",\"Good \"\"\"", "good,5\" disk"])
    func `A quote that is never closed costs its own line only, which is named`(next: String) async throws {
        let many = (0..<250).map { "\($0),t\n" }.joined()
        try await imported("id,title\nfirst,t\nbad,\"never closed\n\(next)\n\(many)last,\"also never\n") { api, run in
            #expect(run.status == .exit(65), "\(run.output)")
            for place in ["news.csv:3: ", "news.csv:255: "] { #expect(run.output.contains(place), "\(run.output)") }
            let ids = try await api.allNews()
            #expect(Set(ids) == Set(["first", "good"] + (0..<250).map(String.init)))
        }
    }

    @Test func `10,000 news with long titles go to a running server, though one request could not hold them`()
        async throws
    {
        try await withServer { server in
            try await Places.withFolder { folder in
                let title = String(repeating: "t", count: 900)
                let text = "id,title\n" + (0..<10_000).map { "\($0),\(title)\n" }.joined()
                let file = try put(text, "news.csv", in: folder)
                let run = try await likesd("import", file, "--url", server.address)
                #expect(run.status == .exit(0), "\(run.output)")
                #expect(run.output.contains("10000 news (10000 new or changed)"), "\(run.output)")
                #expect(try await server.api.allNews().count == 10_000)
                #expect(try await server.api.detail("9999").json["title"] == .string(title))
            }
        }
    }
}
