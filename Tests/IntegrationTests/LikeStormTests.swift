import Testing

/// Many equal requests at the same time.
@Suite struct LikeStormTests {
    // Reported of others: django-musette#88, raven#1697, sb11-otboo#262, synapse#15075, inaturalist#4233
    @Test func `50 parallel likes by one user leave one, and one answer says that it changed something`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let answers = try await inParallel(50) { _ in try await api.like("n", by: "u") }
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 201 })
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.count { $0.json["changed"] == true } == 1)
            #expect(answers.allSatisfy { $0.json["likesCount"] == 1 })
            #expect(try await api.allLikers("n") == ["u"])
            #expect(try await api.profile("u").json["numberOfGivenLikes"] == 1)
        }
    }

    // Reported of others: DebateAI#475, forem#4680, throat#250
    @Test func `50 parallel unlikes after one like never count below zero`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            try await api.like("n", by: "u").succeeded()
            let answers = try await inParallel(50) { _ in try await api.unlike("n", by: "u") }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(answers.count { $0.json["changed"] == true } == 1)
            #expect(answers.allSatisfy { $0.json["likesCount"] == 0 })
            try await expectOneTruth(api, "n", count: 0)
            #expect(try await api.profile("u").json["numberOfGivenLikes"] == 0)
        }
    }

    // Reported of others: misskey#6252, danbooru#1500, osu-web#1815, cartodb#2899, Caw#58
    @Test func `While one user hammers, another's like stays`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n", "other")
            try await api.like("n", by: "calm").succeeded()
            try await api.like("other", by: "wild").succeeded()
            let answers = try await inParallel(60) { number in
                if number % 3 == 0 {
                    let seen = try await api.detail("n", viewer: "calm")
                    #expect(seen.json["viewerLikes"] == true)
                    return seen
                }
                return try await number % 3 == 1 ? api.like("n", by: "wild") : api.unlike("n", by: "wild")
            }
            let counts = answers.compactMap { $0.json["likesCount"].integer }
            #expect(counts.count == 60)
            #expect(counts.allSatisfy { 1...2 ~= $0 })
            try await api.unlike("n", by: "wild").succeeded()
            #expect(try await api.allLikers("n") == ["calm"])
            try await expectOneTruth(api, "n", count: 1)
            #expect(try await api.profile("wild").json["numberOfGivenLikes"] == 1)
            #expect(try await api.allNews(likedBy: "wild") == ["other"])
        }
    }

    // Reported of others: appengine-counter#15
    @Test func `A client that saw no answer and repeats is counted once`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let lost = WireRequest("PUT", "/v1/news/n/likes/u")
            let port = server.port
            try await offPool { try WireClient.sendAndLeave(lost, port: port) }
            let repeated = try await api.like("n", by: "u")
            #expect(repeated.status == 200 || repeated.status == 201)
            #expect(repeated.json["likesCount"] == 1)
            #expect(try await api.allLikers("n") == ["u"])
        }
    }

    // Reported of others: applause-button#97
    @Test func `Likes by many users at once are all counted`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let answers = try await inParallel(100) { number in try await api.like("n", by: "user \(number)") }
            #expect(Set(answers.compactMap { $0.json["likesCount"].integer }) == Set(1...100))
            try await expectOneTruth(api, "n", count: 100)
        }
    }

    @Test func `A news that is deleted while it is liked has no likes when it is made again`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("n")
            let answers = try await inParallel(60) { number in
                number == 30
                    ? try await api.delete(API.news("n")) : try await api.like("n", by: "user \(number)")
            }
            #expect(Set(answers.map(\.status)).isSubset(of: [201, 204, 404]))
            try await api.make("n")
            try await expectOneTruth(api, "n", count: 0)
            for number in [0, 29, 31, 59] {
                #expect(try await api.profile("user \(number)").json["numberOfGivenLikes"] == 0)
            }
        }
    }
}
