import Foundation
import Testing

/// What goes out comes in again as it was: `GET /v1/admin/export`, `POST /v1/admin/import`, `likesd export` and `import`.
@Suite struct ExportTests {
    private let unchanged: JSON = 0

    // Reported of others: applause-button#101
    @Test func `Everything comes back the same by HTTP, and a second time changes nothing`() async throws {
        try await withDurableServer { first in
            try await RichState.make(first.api)
            let export = try await first.api.export()
            #expect(export.headers["content-type"] == "application/x-ndjson")
            #expect(
                export.headers["content-disposition"] == "attachment; filename=\"likes-\(export.position ?? 0).ndjson\""
            )
            let lines = export.body.split(separator: 10)
            #expect(lines.count == 4 + 2 + 10, "\(String(decoding: export.body, as: UTF8.self))")
            try await withAnotherServer { second in
                let taken = try await second.api.importAll(export.body)
                #expect(taken["news"] == ["taken": 4, "changed": 4])
                #expect(taken["merges"] == ["taken": 2, "changed": 2])
                #expect(taken["likes"] == ["taken": 10, "changed": 10])
                #expect(try await second.api.export().body == export.body)
                #expect(try await RichState.shown(by: second.api) == RichState.shown(by: first.api))
                let old = try await WireClient.send(WireRequest("GET", API.news("older")), port: second.port)
                #expect(old.status == 308)
                for server in [first, second] {
                    let before = try await server.api.export()
                    let again = try await server.api.importAll(export.body)
                    for kind in ["news", "merges", "likes"] { #expect(again[kind]["changed"] == unchanged) }
                    let after = try await server.api.export()
                    #expect(after.headers["likes-sequence"] == before.headers["likes-sequence"])
                    #expect(again["sequence"].integer == after.position)
                }
            }
        }
    }

    @Test func `Everything comes back the same by the command line, and after a restart`() async throws {
        try await withDurableServer { first in
            try await RichState.make(first.api)
            let export = try await first.api.export().body
            #expect(try await exported("--url", first.address) == export)
            #expect(try await first.stop() == .exit(0))
            try await first.startAgain()
            #expect(try await first.api.export().body == export)
            try await first.kill()
            try await first.startAgain()
            #expect(try await first.api.export().body == export)

            try await Places.withFolder { folder in
                let file = try Places.write(String(decoding: export, as: UTF8.self), to: folder + "/all.ndjson")
                let run = try await likesd("import", file, "--data", folder + "/data")
                #expect(run.status == .exit(0), "\(run.output)")
                #expect(run.output.contains("2 merged ids (2 new)"), "\(run.output)")
                #expect(try await exported("--data", folder + "/data") == export)
                try await withAnotherServer { second in
                    let run = try await likesd("import", file, "--url", second.address)
                    #expect(run.status == .exit(0), "\(run.output)")
                    #expect(try await second.api.export().body == export)
                }
            }
        }
    }

    @Test func `98,653 real likes come back the same, by HTTP and by the command line`() async throws {
        try await Places.withFolder { folder in
            let (news, likes) = (Places.msweb("news.csv"), Places.msweb("likes.csv"))
            let run = try await likesd("import", news, likes, "--data", folder + "/first")
            #expect(run.status == .exit(0), "\(run.output)")
            let export = try await exported("--data", folder + "/first")
            #expect(export.split(separator: 10).count == 285 + 98_653)
            let file = folder + "/all.ndjson"
            try export.write(to: URL(fileURLWithPath: file))

            let again = try await likesd("import", file, "--data", folder + "/second")
            #expect(again.status == .exit(0), "\(again.output)")
            #expect(try await exported("--data", folder + "/second") == export)
            try await withServer { server in
                let taken = try await server.api.importAll(export)
                #expect(taken["likes"] == ["taken": 98_653, "changed": 98_653])
                #expect(try await server.api.export().body == export)
            }
            try await withServer { server in
                let run = try await likesd("import", file, "--url", server.address)
                #expect(run.status == .exit(0), "\(run.output)")
                #expect(try await exported("--url", server.address) == export)
            }
        }
    }

    // MARK: Filters

    /// Exports with a filter by HTTP and both ways by the command line, which must be the same, and imports that into an
    /// empty server, which must then export the same again.
    private func filtered(_ server: Server, _ query: String, _ flags: [String]) async throws -> [JSON] {
        let export = try await server.api.export(query).body
        let run = try await exported(["--url", server.address] + flags)
        #expect(run == export, "\(flags)")
        try await withAnotherServer { other in
            try await other.api.importAll(export)
            #expect(try await other.api.export().body == export, "\(flags)")
        }
        return export.split(separator: 10).compactMap { JSON(text: Data($0)) }
    }

    @Test func `A news comes with its likes and the ids that lead to it, also when an old id is asked for`()
        async throws
    {
        try await withServer { server in
            try await RichState.make(server.api)
            let odd = JSON.string(RichState.oddNews)
            let query = API.query(["news": RichState.oddNews])
            let lines = try await filtered(server, query, ["--news", RichState.oddNews])
            #expect(lines.filter { $0["id"] != .absent }.map { $0["id"] } == [odd])
            #expect(lines.filter { $0["merged"] != .absent }.map { $0["merged"] } == ["old", "older"])
            let likers = try await server.api.allLikers(RichState.oddNews)
            let likes = lines.filter { $0["op"] == "like" }
            #expect(
                likes.compactMap { $0["user"].string } == likers.reversed() && likes.allSatisfy { $0["news"] == odd })
            #expect(try await server.api.export("?news=older").body == server.api.export(query).body)
        }
    }

    @Test func `A user comes with the likes and their news; several filters add up; an unknown id adds nothing`()
        async throws
    {
        try await withServer { server in
            try await RichState.make(server.api)
            let user = RichState.oddUser
            let lines = try await filtered(server, API.query(["user": user]), ["--user=" + user])
            #expect(lines.compactMap { $0["id"].string } == [RichState.oddNews, "✨"])
            let likes = lines.filter { $0["op"] == "like" }
            #expect(likes.compactMap { $0["news"].string } == [RichState.oddNews, "✨"])
            #expect(likes.allSatisfy { $0["user"] == .string(user) })

            let both = try await filtered(
                server, API.query(["news": "again", "user": user, "user": "u5", "news": "nobody's"]),
                ["--news", "again", "--user", user, "--user", "u5", "--news", "nobody's"])
            #expect(both.compactMap { $0["id"].string } == [RichState.oddNews, "✨", "again"])
            #expect(both.filter { $0["op"] == "like" }.count == likes.count + 1)
            #expect(try await server.api.export("?news=unknown&user=nobody").body.isEmpty)
        }
    }

    @Test func `A folder is exported with the same filters`() async throws {
        try await withDurableServer { server in
            try await RichState.make(server.api)
            let query = API.query(["news": "plain", "user": RichState.oddUser])
            let export = try await server.api.export(query).body
            try await Places.withFolder { folder in
                let all = try await server.api.export().body
                let file = try Places.write(String(decoding: all, as: UTF8.self), to: folder + "/all.ndjson")
                _ = try await likesd("import", file, "--data", folder + "/data")
                let written = try await exported(
                    "--data", folder + "/data", "--news", "plain", "--user", RichState.oddUser)
                #expect(written == export)
            }
        }
    }

    @Test func `Filters that are none are refused`() async throws {
        try await withServer { server in
            expectProblem(try await server.api.get("/v1/admin/export?news="), 400, "invalid_id", naming: "news")
            expectProblem(try await server.api.get("/v1/admin/export?user=%07"), 400, "invalid_id", naming: "user")
            let many = (0...1_000).map { _ in "news=a" }.joined(separator: "&")
            let request = WireRequest("GET", "/v1/admin/export?" + many)
            let answer = try await WireClient.send(request, port: server.port)
            expectProblem(answer, 400, "invalid_parameter", naming: "1000 ids")
        }
    }

    // MARK: The rest

    @Test func `HEAD has the headers only, other methods are 405`() async throws {
        try await withServer { server in
            try await server.api.make("a")
            let head = try await server.api.send("HEAD", "/v1/admin/export", headers: ["Operation-Id": "op-1"])
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.headers["content-type"] == "application/x-ndjson")
            #expect(head.headers["operation-id"] == "op-1" && head.position == 1)
            expectProblem(try await server.api.post("/v1/admin/export", []), 405, "method_not_allowed")
            expectProblem(try await server.api.get("/v1/admin/import"), 405, "method_not_allowed")
            // HEAD takes no place for good.
            for _ in 0..<5 { #expect(try await server.api.send("HEAD", "/v1/admin/export").status == 200) }
            #expect(try await server.api.export().body.split(separator: 10).count == 1)
        }
    }

    @Test func `A folder without data is named, not made`() async throws {
        try await Places.withFolder { folder in
            let run = try await likesdOutput(["export", "--data", folder + "/misspelt"])
            #expect(run.status == .exit(66) && run.said.contains("misspelt"), "\(run.said)")
            #expect(!FileManager.default.fileExists(atPath: folder + "/misspelt"))
        }
    }

    @Test(arguments: [
        (["--news"], "--news"), (["--news", ""], "--news"), (["--user", "."], "--user"), (["--port", "1"], "--port"),
        (["--data", "x", "--url", "http://127.0.0.1:1"], "--url"), (["a-file"], "a-file"),
    ])
    func `A flag that is wrong is named, with exit status 64`(flags: [String], name: String) async throws {
        let child = try Child(Places.binary, ["export"] + flags)
        #expect(try await child.ended() == .exit(64))
        #expect(child.output.contains(name), "\(child.output)")
    }

    @Test func `A standard output that takes no more is said, with exit status 73`() async throws {
        try await withServer { server in
            try await server.api.make("a")
            let script = "exec \"$0\" export --url \"$1\" > /dev/full"
            let child = try Child("/bin/sh", ["-c", script, Places.binary, server.address])
            #expect(try await child.ended() == .exit(73))
            #expect(child.output.contains("cannot write the standard output: No space left"), "\(child.output)")
        }
    }
}
