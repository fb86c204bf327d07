import Foundation
import Testing

/// A data folder of the first versions: a snapshot of format 1, and a journal of version 3. It holds 400 likes of four news by a
/// hundred users; those of `b` given again and again, twenty of `a` taken back and one added with a time of 2001, and `d` merged
/// into `c`.
@Suite struct FirstFormatTests {
    private static let files = Places.package.appending(path: "Tests/IntegrationTests/FirstFormat")

    private func withFolder(_ body: (Server) async throws -> Void) async throws {
        try await Places.withFolder { folder in
            let data = folder + "/data"
            try FileManager.default.copyItem(atPath: Self.files.path, toPath: data)
            try await withServer(.folder(data), [], body)
        }
    }

    private func check(_ api: API) async throws {
        for (news, count) in [("a", 81), ("b", 100), ("c", 100)] {
            #expect(try await api.get("/v1/news/\(news)").json["likesCount"] == .integer(Int64(count)))
        }
        let newest = try await api.get("/v1/news/a/likes?limit=2").json["likes"].elements
        #expect(newest.map { $0["user"] } == ["late", "user99"])
        #expect(newest.first?["likedAt"] == "2001-02-03T04:05:06.789Z")
        let taken = try await api.get("/v1/news/a/likes/user3")
        #expect(taken.status == 404)
        #expect(try await api.get("/v1/profiles/user3").json["numberOfGivenLikes"] == .integer(2))
        #expect(try await api.get("/v1/profiles/ada").json["numberOfReceivedLikes"] == .integer(281))
        let verified = try await api.post("/v1/admin/verify", .object([:])).json
        #expect(verified["drift"] == .integer(0) && verified["orphans"] == .integer(0))
    }

    @Test func `It is read, written to, and read again in the present format`() async throws {
        try await withFolder { server in
            try await check(server.api)
            let likes = (0..<2_500).map { JSON.object(["op": "like", "news": "b", "user": .string("new \($0)")]) }
            #expect(try await server.api.post("/v1/likes", .array(likes)).json["changed"] == .integer(2_500))
            let gone = (0..<2_500).map { JSON.object(["op": "unlike", "news": "b", "user": .string("new \($0)")]) }
            #expect(try await server.api.post("/v1/likes", .array(gone)).json["changed"] == .integer(2_500))
            #expect(try await server.stop() == .exit(0))
            try await server.startAgain()
            try await check(server.api)
        }
    }

    @Test func `It is as right after the process was killed`() async throws {
        try await withFolder { server in
            try await server.kill()
            try await server.startAgain()
            try await check(server.api)
        }
    }
}
