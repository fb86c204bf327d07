import Glibc
import Testing

/// What was answered is there afterwards, however the server ended.
@Suite struct DurabilityTests {
    private static let news = ["a", "b", "c", "d", "e"]

    /// Writes on 16 connections until the server is gone; after so many answers it gets the signal.
    private func load(
        _ server: Server, _ ledger: inout Ledger, round: Int, signal: Int32, after answers: Int
    ) async throws -> [WireClient.Log] {
        let port = server.port
        let child = server.child
        let before = ledger
        let logs = try await offPool {
            let scripts = (0..<16).map { before.script(round: round, connection: $0) }
            return try WireClient(port: port, connections: 16).run(scripts) { count in
                if count == answers { child.send(signal) }
            }
        }
        ledger.note(logs)
        return logs
    }

    // Reported of others: hits#84, OneLife#861, bucketeer#2736, osu-web#1815
    @Test func `Killed under load again and again, it has every answered like, and counts that equal their lists`()
        async throws
    {
        try await withDurableServer { server in
            for id in DurabilityTests.news { try await server.api.make(id) }
            var ledger = Ledger(news: DurabilityTests.news)
            let epoch = try await server.api.feed().epoch
            for round in 1...6 {
                _ = try await load(server, &ledger, round: round, signal: SIGKILL, after: 150 * round)
                #expect(try await server.child.ended() == .signal(SIGKILL))
                try await server.startAgain()
                try await ledger.expectKept(by: server.api)
                let feed = try await server.api.feed()
                #expect(feed.epoch == epoch)
                #expect((feed.position ?? 0) >= ledger.lastSequence)
            }
            #expect(ledger.answers >= 150 * 21)
        }
    }

    // Reported of others: hits#84, OneLife#861
    @Test func `Killed the moment an answer has come, it has that like`() async throws {
        try await withDurableServer { server in
            try await server.api.make("n")
            for number in 1...12 {
                let port = server.port
                let child = server.child
                let logs = try await offPool {
                    let like = WireRequest("PUT", "/v1/news/n/likes/user%20\(number)")
                    return try WireClient(port: port, connections: 1)
                        .run([{ $0 == 0 ? like : nil }]) { _ in child.send(SIGKILL) }
                }
                let liked = try #require(logs[0].exchanges.first).answer
                #expect(liked.status == 201)
                #expect(try await child.ended() == .signal(SIGKILL))
                try await server.startAgain()
                let detail = try await server.api.detail("n").json
                #expect(detail["likesCount"] == .integer(Int64(number)))
                #expect(detail["newestLikers"][0] == ["user": liked.json["user"], "likedAt": liked.json["likedAt"]])
            }
        }
    }

    @Test func `Killed, it has everything else too: news, their members, deletions, orders and times`() async throws {
        try await withDurableServer { server in
            let api = server.api
            try await api.putNews("full", ["title": "T", "author": "w", "baseLikes": 3, "properties": ["k": "v"]])
                .succeeded()
            try await api.make("gone", "other")
            try await api.like("full", by: ["a", "b", "c"])
            try await api.like("gone", by: ["a"])
            try await api.unlike("full", by: "b").succeeded()
            try await api.delete(API.news("gone")).succeeded()
            try await api.put(API.likes(of: "d")).succeeded()
            try await api.putNews("other", ["title": "Another title"]).succeeded()
            let targets = [
                "/v1/news/full?viewer=b", "/v1/feed?viewer=a", "/v1/feed?sort=top", "/v1/news/full/likes",
                "/v1/profiles/a", "/v1/profiles/w", "/v1/profiles/a/likes", "/v1/profiles/d/likes",
            ]
            var before: [JSON] = []
            for target in targets { before.append(try await api.get(target).succeeded().json) }
            try await server.kill()
            try await server.startAgain()
            for (target, json) in zip(targets, before) {
                #expect(try await server.api.get(target).json == json, "\(target)")
            }
            expectProblem(try await server.api.detail("gone"), 404, "news_not_found")
        }
    }

    @Test func `Killed while a news with many likes is deleted, it is there as a whole or gone as a whole`()
        async throws
    {
        try await withDurableServer { server in
            try await server.api.make("n")
            let users = (0..<5000).map { "\($0)" }
            try await server.api.like("n", by: users)
            for _ in 1...3 {
                try WireClient.sendAndLeave(WireRequest("DELETE", "/v1/news/n"), port: server.port)
                try await server.kill()
                try await server.startAgain()
                let isThere = try await server.api.detail("n").status == 200
                if !isThere { #expect(try await server.api.putNews("n").status == 201) }
                try await expectOneTruth(server.api, "n", count: isThere ? 5000 : 0)
                for user in ["0", "2500", "4999"] {
                    #expect(try await server.api.profile(user).json["numberOfGivenLikes"] == (isThere ? 1 : 0))
                    #expect(try await server.api.allNews(likedBy: user) == (isThere ? ["n"] : []))
                }
                if !isThere { try await server.api.like("n", by: users) }
            }
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `Asked to stop under load, it exits with 0 within 10 s and has every answered like afterwards`(
        signal: Int32
    ) async throws {
        try await withDurableServer { server in
            for id in DurabilityTests.news { try await server.api.make(id) }
            var ledger = Ledger(news: DurabilityTests.news)
            let epoch = try await server.api.feed().epoch
            let logs = try await load(server, &ledger, round: 1, signal: signal, after: 400)
            let closed = ContinuousClock.now
            #expect(try await server.child.ended() == .exit(0))
            #expect(closed.duration(to: .now) < .seconds(10))
            let statuses = Set(logs.flatMap(\.exchanges).map(\.answer.status))
            #expect(statuses.isSubset(of: [200, 201, 503]), "\(statuses)")

            try await server.startAgain()
            try await ledger.expectKept(by: server.api)
            let next = try await server.api.like("a", by: "next")
            #expect((next.json["sequence"].integer ?? 0) > ledger.lastSequence)
            #expect(next.epoch == epoch)
        }
    }

    @Test func `Asked to stop with open connections that say nothing, it exits at once`() async throws {
        try await withDurableServer { server in
            let port = server.port
            let idle = try WireClient(port: port, connections: 20)
            let asked = ContinuousClock.now
            #expect(try await server.stop() == .exit(0))
            #expect(asked.duration(to: .now) < .seconds(10))
            withExtendedLifetime(idle) {}
        }
    }

    @Test func `In memory: stops as cleanly, and begins anew with another epoch`() async throws {
        try await withServer { server in
            try await server.api.make("n")
            let before = try await server.api.like("n", by: "u").epoch
            #expect(try await server.stop() == .exit(0))
            try await server.startAgain()
            expectProblem(try await server.api.detail("n"), 404, "news_not_found")
            let after = try await server.api.feed()
            #expect(after.position == 0)
            #expect(after.epoch != before)
        }
    }
}
