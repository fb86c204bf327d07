import Testing

/// The known answers of Tests/Fixtures/msweb/README.md, over HTTP, after an import of the whole.
@Suite struct RealDataTests {
    private func expectKnownAnswers(_ api: API) async throws {
        let top = try await api.feed(sort: "top", limit: 5).json["news"].elements
        #expect(top.map { $0["id"] } == ["9", "35", "5", "19", "18"])
        #expect(top.map { $0["likesCount"] } == [10_835, 9_383, 8_463, 5_330, 5_108])
        let titles = top.prefix(3).map { $0["title"] }
        #expect(titles == ["Free Downloads", "Internet Explorer", "Microsoft.com Search"])

        let detail = try await api.detail("9", viewer: "40310").json
        #expect(detail["likesCount"] == 10_835)
        let likers = try await api.allLikers("9")
        #expect(likers.count == 10_835)
        #expect(Set(likers).count == 10_835)
        #expect(detail["viewerLikes"] == .bool(likers.contains("40310")))
        #expect(likers.compactMap { Int($0) } == likers.compactMap { Int($0) }.sorted(by: >), "newest like first")

        #expect(try await api.profile("40310").json["numberOfGivenLikes"] == 35)
        let liked = try await api.allNews(likedBy: "40310", limit: 10)
        #expect(Set(liked).count == 35 && liked.count == 35)

        let feed = try await api.feed(limit: 1000).json["news"].elements
        #expect(feed.count == 285)
        #expect(feed.compactMap { $0["likesCount"].integer }.reduce(0, +) == 98_653)
    }

    /// The numbers in a text, without the commas in them.
    private func numbers(_ text: String) -> Set<Int> {
        let plain = text.replacing(",", with: "")
        return Set(plain.split { !$0.isNumber }.compactMap { Int($0) })
    }

    @Test func `Imported into a data folder`() async throws {
        try await Places.withFolder { folder in
            let run = try await likesd("import", Places.msweb("news.csv"), Places.msweb("likes.csv"), "--data", folder)
            #expect(run.status == .exit(0), "\(run.output)")
            #expect(numbers(run.output).isSuperset(of: [285, 98_653]), "\(run.output)")
            try await withServer(.folder(folder)) { server in try await expectKnownAnswers(server.api) }
        }
    }

    @Test func `Imported into a running server`() async throws {
        try await withServer { server in
            let run = try await likesd(
                "import", Places.msweb("news.csv"), Places.msweb("likes.csv"), "--url", server.address)
            #expect(run.status == .exit(0), "\(run.output)")
            #expect(numbers(run.output).isSuperset(of: [285, 98_653]), "\(run.output)")
            try await expectKnownAnswers(server.api)
        }
    }

    @Test func `Imported again, it changes nothing`() async throws {
        try await withServer { server in
            let api = server.api
            var before: [JSON] = []
            for round in 1...2 {
                let run = try await likesd(
                    "import", Places.msweb("news.csv"), Places.msweb("likes.csv"), "--url", server.address)
                #expect(run.status == .exit(0), "\(run.output)")
                var now: [JSON] = []
                for target in ["/v1/feed?sort=top&limit=1000", "/v1/news/9/likes?limit=1000", "/v1/profiles/40310"] {
                    now.append(try await api.get(target).succeeded().json)
                }
                if round == 2 { #expect(now == before) }
                before = now
            }
        }
    }
}
