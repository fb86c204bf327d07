import Foundation
import Glibc
import Testing

/// `POST /v1/admin/verify` and `likesd verify`: everything is recounted, and nothing is ever wrong.
@Suite struct VerifyTests {
    private func verify(_ api: API, _ query: String = "") async throws -> Answer {
        try await api.send("POST", "/v1/admin/verify" + query)
    }

    private func expectClean(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 200, "\(answer)", sourceLocation: sourceLocation)
        for member in ["drift", "orphans", "fixed"] {
            #expect(answer.json[member] == 0, "\(answer)", sourceLocation: sourceLocation)
        }
    }

    private func importAll(_ target: String...) async throws {
        for file in ["news.csv", "likes.csv"] {
            let run = try await likesd("import", Places.msweb(file), target[0], target[1])
            #expect(run.status == .exit(0), "\(run.output)")
        }
    }

    /// The members of the line that `likesd verify` prints.
    private func line(_ output: String) throws -> JSON {
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("{") }, "\(output)")
        return try #require(JSON(text: Data(line.utf8)), "\(output)")
    }

    @Test func `A server without anything`() async throws {
        try await withServer { server in
            let answer = try await verify(server.api)
            expectClean(answer)
            #expect(
                answer.json
                    == [
                        "drift": 0, "orphans": 0, "news": 0, "users": 0, "likes": 0, "fixed": 0, "sequence": 0,
                    ])
            #expect(answer.position == 0)
            #expect(answer.headers["cache-control"] == "no-cache")
        }
    }

    // Reported of others: pixelfed#6940, gitea doctor
    @Test func `The real data, while it is liked and unliked`() async throws {
        try await withDurableServer { server in
            let api = server.api
            try await importAll("--url", server.address)
            let first = try await verify(api)
            expectClean(first)
            #expect(first.json["news"] == 285 && first.json["likes"] == 98_653, "\(first)")
            #expect(first.json["users"] == 32_710, "\(first)")
            let ended = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        var number = 0
                        while !ended.isRaised {
                            let (news, user) = (["9", "35", "5", "19"][number % 4], "writer-\(writer)-\(number % 50)")
                            if number % 100 < 50 {
                                try await api.like(news, by: user).succeeded()
                            } else {
                                try await api.unlike(news, by: user).succeeded()
                            }
                            number += 1
                        }
                    }
                }
                for round in 0..<10 {
                    let answer = try await verify(api, round % 2 == 0 ? "?fix=true" : "?fix=false")
                    expectClean(answer)
                    #expect(answer.json["sequence"].integer == answer.position)
                    if round == 5 { try await api.delete(API.news("18")).succeeded() }
                }
                ended.raise()
                try await group.waitForAll()
            }
            let last = try await verify(api)
            expectClean(last)
            #expect(last.json["news"] == 284)
            #expect(try await server.stop() == .exit(0))
            #expect(!server.child.output.contains("\"drift\""), "\(server.child.output)")
        }
    }

    @Test func `Many at once are answered, or told to come again`() async throws {
        try await withServer { server in
            let api = server.api
            try await importAll("--url", server.address)
            let answers = try await inParallel(16) { _ in try await verify(api) }
            #expect(answers.contains { $0.status == 200 })
            for answer in answers {
                if answer.status == 200 { expectClean(answer) } else { expectProblem(answer, 503, "too_busy") }
                #expect(answer.status == 200 || answer.headers["retry-after"] != nil)
            }
            // Whoever has an answer can ask again.
            for _ in 0..<5 { expectClean(try await verify(api)) }
        }
    }

    @Test func `What it takes, and what not`() async throws {
        try await withServer { server in
            let api = server.api
            for query in ["?fix=perhaps", "?fix=", "?fix=TRUE", "?fix=true&fix=true", "?fix=1"] {
                expectProblem(try await verify(api, query), 400, "invalid_parameter", naming: "fix")
            }
            expectProblem(try await api.get("/v1/admin/verify"), 405, "method_not_allowed")
            expectProblem(try await api.put("/v1/admin/verify"), 405, "method_not_allowed")
            expectProblem(try await api.send("POST", "/v1/admin"), 404, "not_found")
            let form = try await api.send("POST", "/v1/admin/verify", body: "fix=true", type: "text/plain")
            expectProblem(form, 415, "unsupported_media_type")
            expectClean(try await api.post("/v1/admin/verify", [:]))
            let named = try await api.send("POST", "/v1/admin/verify", headers: ["Operation-Id": "nightly"])
            expectClean(named)
            #expect(named.headers["operation-id"] == "nightly")
        }
    }

    @Test func `The command says the same of a folder that no server uses`() async throws {
        try await Places.withFolder { folder in
            let data = folder + "/data"
            try await importAll("--data", data)
            var answered: JSON = .absent
            try await withServer(.folder(data)) { server in
                try await server.api.delete(API.news("9")).succeeded()
                answered = try await verify(server.api).succeeded().json
                let used = try await likesd("verify", "--data", data)
                #expect(used.status == .exit(75), "\(used.output)")
                _ = try await server.stop()
            }
            for flags in [[], ["--fix"]] {
                let child = try Child(Places.binary, ["verify", "--data", data] + flags)
                #expect(try await child.ended() == .exit(0), "\(child.output)")
                #expect(try line(child.output) == answered)
            }
        }
    }

    @Test func `The command refuses what it cannot verify`() async throws {
        try await Places.withFolder { folder in
            let none = try await likesd("verify", "--data", folder + "/none")
            #expect(none.status == .exit(66), "\(none.output)")
            #expect(none.output.contains(folder + "/none"))
            #expect(!FileManager.default.fileExists(atPath: folder + "/none"), "a look makes no folder")
            let damaged = folder + "/damaged"
            try FileManager.default.createDirectory(atPath: damaged, withIntermediateDirectories: false)
            _ = try Places.write(String(repeating: "garbage ", count: 4096), to: damaged + "/journal.sqlite")
            let run = try await likesd("verify", "--data", damaged)
            #expect(run.status == .exit(74), "\(run.output)")
            #expect(try await likesd("verify", "--port", "1").status == .exit(64))
            #expect(try await likesd("verify", "stray").status == .exit(64))
        }
    }
}
