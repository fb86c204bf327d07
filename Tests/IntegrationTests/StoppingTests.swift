import Foundation
import Testing

/// Stopping a service that has much in hand.
@Suite struct StoppingTests {
    private static let likers = 110_000

    /// A folder's data: three news by one author, two of them with very many likes, and one with a few.
    private func importLikes(_ folder: String) async throws {
        let news = "id,title,author,baseLikes\nhot,Hot,writer,5\nwarm,Warm,writer,\nkept,Kept,writer,3\n"
        var likes = "user,news\n"
        for number in 0..<StoppingTests.likers {
            likes += "u\(number),hot\nu\(number),warm\n"
            if number % 1_000 == 0 { likes += "u\(number),kept\n" }
        }
        let files = [
            try Places.write(news, to: folder + "/news.csv"), try Places.write(likes, to: folder + "/likes.csv"),
        ]
        let run = try await likesd("import", files[0], files[1], "--data", folder + "/data")
        #expect(run.status == .exit(0), "\(run.output)")
    }

    @Test func `Stopped while two news with very many likes are deleted, it ends in seconds and goes on next time`()
        async throws
    {
        try await Places.withFolder { folder in
            try await importLikes(folder)
            try await withServer(.folder(folder + "/data")) { server in
                let api = server.api
                #expect(try await api.profile("writer").json["numberOfReceivedLikes"] == 220_118)
                async let hot = try? api.delete(API.news("hot"))
                async let warm = try? api.delete(API.news("warm"))
                let deadline = Deadline.seconds()
                for news in ["hot", "warm"] {
                    while try await api.detail(news).status != 404, !deadline.passed {}
                }
                let start = ContinuousClock.now
                #expect(try await server.stop() == .exit(0))
                #expect(.now - start < .seconds(10))
                for answer in await [hot, warm] {
                    // Done, or refused; or the connection was closed first.
                    #expect([nil, 204, 503].contains(answer?.status))
                }

                try await server.startAgain()
                let again = server.api
                for news in ["hot", "warm"] { #expect(try await again.detail(news).status == 404) }
                // They go on by themselves. The oldest likes are withdrawn last.
                while try await again.profile("u0").json["numberOfGivenLikes"] != 1, !deadline.passed {}
                #expect(try await again.allNews() == ["kept"])
                for (user, given) in [("u0", 1), ("u1", 0), ("u54321", 0), ("u109000", 1), ("u109999", 0)] {
                    #expect(try await again.profile(user).json["numberOfGivenLikes"] == .integer(Int64(given)))
                    #expect(try await again.allNews(likedBy: user) == (given == 1 ? ["kept"] : []))
                }
                #expect(try await again.profile("writer").json["numberOfReceivedLikes"] == 113)
                try await expectOneTruth(again, "kept", count: 113, base: 3)
            }
        }
    }
}
