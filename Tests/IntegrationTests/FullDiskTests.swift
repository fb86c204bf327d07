import Testing

/// A disk that is full: what cannot be stored is not answered as if it were.
@Suite struct FullDiskTests {
    /// Likes by new users until one is not stored; how many were, and the answer to the one that was not.
    private func fill(_ api: API) async throws -> (stored: Int, refused: Answer) {
        let title = JSON.string(String(repeating: "t", count: 1000))
        for number in 0..<5000 {
            // A news of some size fills the disk soon. When there is no room for it any more, a like may still find some.
            let made = try await api.putNews("n", ["title": title, "properties": ["round": "\(number)"]])
            if made.status >= 300 { expectProblem(made, 503, "journal_unavailable") }
            let liked = try await api.like("n", by: "user \(number)")
            guard liked.status < 300 else { return (number, liked) }
        }
        throw Failure("the disk does not fill")
    }

    /// Expects that all who were answered are there, and that counts and lists agree.
    private func expectKept(_ api: API, _ stored: Int, and others: [String] = []) async throws {
        let likers = try await api.allLikers("n")
        let wanted = Set((0..<stored).map { "user \($0)" } + others)
        #expect(wanted.isSubset(of: likers))
        // Of the one like that was refused with 503 nobody knows.
        #expect(likers.count <= wanted.count + 1)
        try await expectOneTruth(api, "n", count: likers.count)
    }

    // Reported of others: bucketeer#2736
    @Test func `Writes are 503, reads go on, no answered like is lost`() async throws {
        try await withServer(fileLimit: 512 * 1024) { server in
            let api = server.api
            let (stored, refused) = try await fill(api)
            #expect(stored > 10)
            expectProblem(refused, 503, "journal_unavailable")
            #expect(refused.headers["retry-after"].flatMap { Int($0) } != nil)
            let again = try await api.like("n", by: "another")
            #expect(again.status == 503)
            try await expectKept(api, stored)
            #expect(try await api.get("/healthz").status == 200)
            let ready = try await api.get("/readyz")
            expectProblem(ready, 503, "journal_unavailable")
            #expect(ready.json["detail"].string?.contains("SQLite error") == true)
        }
    }

    @Test func `When there is room again, it goes on by itself, and after a restart all is there`() async throws {
        try await withServer(fileLimit: 512 * 1024) { server in
            let api = server.api
            let (stored, refused) = try await fill(api)
            #expect(refused.status == 503)
            let raised = try Child("/usr/bin/prlimit", ["--pid", "\(server.child.pid)", "--fsize=unlimited"])
            #expect(try await raised.ended() == .exit(0))

            let deadline = Deadline.seconds(30)
            while try await api.like("n", by: "the last").status == 503 {
                if deadline.passed { throw Failure("it does not recover") }
            }
            #expect(try await api.get("/readyz").status == 200)
            try await expectKept(api, stored, and: ["the last"])
            try await server.kill()
            try await server.startAgain()
            try await expectKept(server.api, stored, and: ["the last"])
        }
    }
}
