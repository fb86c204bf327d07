import Foundation
import Testing

/// `/metrics`, read by the parser of Prometheus.
@Suite("Metrics")
struct MetricsTests {
    private static let like = "/v1/news/{id}/likes/{user}"

    @Test("requests are counted by route, method and status, with the time that they took, before they are answered")
    func requests() async throws {
        try await withServer { server in
            try await server.api.make("a", "b")
            for _ in 0..<3 { _ = try await server.api.like("a", by: "ann") }
            _ = try await server.api.like("c", by: "ann")
            _ = try await server.api.send("HEAD", "/v1/feed")
            _ = try await server.api.get("/v1/news/%00")
            _ = try await server.api.send("BREW", "/v1/feed")
            let metrics = try await Metrics(server)
            #expect(metrics.requests("PUT", Self.like, 201) == 1)
            #expect(metrics.requests("PUT", Self.like, 200) == 2)
            #expect(metrics.requests("PUT", Self.like, 404) == 1)
            #expect(metrics.requests("PUT", "/v1/news/{id}", 201) == 2)
            #expect(metrics.requests("HEAD", "/v1/feed", 200) == 1)
            #expect(metrics.requests("GET", "/v1/news/{id}", 400) == 1)
            #expect(metrics.requests("other", "/v1/feed", 501) == 1)
            let time = "likesd_http_request_duration_seconds"
            #expect(metrics["\(time)_count{method=PUT,route=\(Self.like)}"] == 4)
            #expect(metrics["\(time)_sum{method=PUT,route=\(Self.like)}"] ?? 0 > 0)
            #expect(metrics["likesd_http_requests_aborted_total"] == 0)
            // The one that asks is counted when it has its answer.
            #expect(metrics.requests("GET", "/metrics", 200) == nil)
            #expect(try await Metrics(server).requests("GET", "/metrics", 200) == 1)
        }
    }

    @Test("likes, unlikes, what changed nothing, and what there is")
    func likes() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a", "b")
            for user in ["ann", "bob", "ann"] { _ = try await api.like("a", by: user) }
            _ = try await api.like("b", by: "ann")
            for user in ["bob", "bob", "nobody"] { _ = try await api.unlike("a", by: user) }
            _ = try await api.delete(API.news("b"))
            let metrics = try await Metrics(server)
            #expect(metrics["likesd_likes_added_total"] == 3)
            // Bob's, and Ann's of the news that was deleted.
            #expect(metrics["likesd_likes_removed_total"] == 2)
            #expect(metrics["likesd_noops_total{op=like}"] == 1)
            #expect(metrics["likesd_noops_total{op=unlike}"] == 2)
            #expect(metrics["likesd_news"] == 1)
            #expect(metrics["likesd_likes"] == 1)
            #expect(metrics["likesd_users"] == 2)
            let sequence = try await api.detail("a").position
            #expect(metrics["likesd_sequence"] == sequence.map(Double.init))
            #expect(metrics["likesd_commit_events_sum"] == metrics["likesd_sequence"])
            #expect(metrics["likesd_commit_duration_seconds_count"] == metrics["likesd_commit_events_count"])
            #expect(metrics["likesd_queue_commands"] == 0)
            #expect(metrics["likesd_queue_refusals_total"] == 0)
            #expect(metrics["likesd_journal_up"] == 1)
            #expect(metrics["likesd_audit_drift"] == 0)
        }
    }

    @Test("whatever is asked for, there are no more labels than routes, methods and statuses")
    func bounded() async throws {
        try await withServer { server in
            let methods = ["GET", "PUT", "DELETE", "POST", "PATCH", "BREW", "A-VERY-LONG-METHOD", "get"]
            func flood(_ round: Int) async throws {
                for method in methods {
                    let requests = (0..<40).flatMap { number in
                        [
                            "/\(round)/\(number)", "/v1/news/\(round)-\(number)", "/v1/news/x/likes/\(round)-\(number)",
                            "/v1/\(number)?a=\(round)", "/page/\(round)\(number)", "/v1/news/%zz\(number)",
                        ].map { WireRequest(method, $0) }
                    }
                    _ = try await WireClient.send(requests, port: server.port)
                }
            }
            try await flood(1)
            _ = try await Metrics(server)
            let before = try await Metrics(server).names
            try await flood(2)
            #expect(try await Metrics(server).names == before)
            #expect(!before.contains { $0.contains("-1") || $0.contains("BREW") || $0.contains("zz") })
        }
    }

    @Test("what is no request is counted, too, and harms nobody")
    func malformed() async throws {
        try await withServer { server in
            let port = server.port
            try await offPool {
                for line in ["GET \0", "GET \0/", "GET \0?a", "GET *", "GET ?"] {
                    let connection = try WireConnection(port: port)
                    try connection.send("\(line) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(try connection.answer()?.status == 400, "\(line)")
                }
                let connection = try WireConnection(port: port)
                try connection.send("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try connection.answer()?.status == 204)
            }
            let metrics = try await Metrics(server)
            #expect(metrics.requests("GET", "other", 400) == 5)
            #expect(metrics.requests("OPTIONS", "other", 204) == 1)
            #expect(!metrics.names.contains { $0.contains("route=/,") })
        }
    }

    /// Begins a request and is gone before its body.
    private func leaveInTheMiddle(port: UInt16) throws {
        let connection = try WireConnection(port: port)
        try connection.send(
            "POST /v1/likes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
        #expect(try connection.continues())
        connection.leaveAbruptly()
    }

    @Test("a client that is gone before its answer is counted as that")
    func aborted() async throws {
        try await withServer { server in
            try leaveInTheMiddle(port: server.port)
            let deadline = Deadline.seconds()
            while try await Metrics(server)["likesd_http_requests_aborted_total"] != 1 {
                if deadline.passed { throw Failure("nobody noticed") }
            }
            #expect(try await Metrics(server).names.allSatisfy { !$0.contains("route=/v1/likes,") })
        }
    }

    @Test("live streams: how many are open, may be open, and were refused")
    func streams() async throws {
        try await withServer(.memory, ["--max-streams", "2"]) { server in
            let streams = try await inParallel(2) { _ in try await EventStream.open(server) }
            let refusal = try await WireClient.send(streamRequest(), port: server.port)
            #expect(refusal.status == 503)
            let metrics = try await Metrics(server)
            #expect(metrics["likesd_streams"] == 2)
            #expect(metrics["likesd_streams_limit"] == 2)
            #expect(metrics["likesd_streams_refused_total"] == 1)
            #expect(metrics["likesd_streams_cut_total"] == 0)
            #expect(metrics.requests("GET", "/v1/events", 200) == 2)
            #expect(metrics.requests("GET", "/v1/events", 503) == 1)
            withExtendedLifetime(streams) {}
        }
    }

    @Test("what a start has read, and snapshots, which a stop takes")
    func starts() async throws {
        try await withDurableServer { server in
            let child = try await likesd(
                "import", Places.msweb("news.csv"), Places.msweb("likes.csv"), "--url", server.address,
                deadline: .seconds(120))
            #expect(child.status == .exit(0))
            let sequence = try #require(try await Metrics(server)["likesd_sequence"])
            try await server.kill()
            try await server.startAgain()
            let killed = try await Metrics(server)
            let (snapshot, replayed) = (killed["likesd_snapshot_sequence"], killed["likesd_replayed_events"])
            #expect((snapshot ?? 0) + (replayed ?? 0) == sequence)
            #expect(killed["likesd_replay_duration_seconds"] ?? 0 > 0)
            #expect(killed["likesd_likes"] == 98_653)
            #expect(try await server.stop() == .exit(0))
            try await server.startAgain()
            let stopped = try await Metrics(server)
            #expect(stopped["likesd_snapshot_sequence"] == sequence)
            #expect(stopped["likesd_replayed_events"] == 0)
        }
    }

    @Test("a journal that cannot be written is down, and the refused writes are counted")
    func journal() async throws {
        try await withServer(fileLimit: 512 * 1024) { server in
            try await server.api.make("a")
            var number = 0
            while try await server.api.like("a", by: "user \(number)").status != 503 { number += 1 }
            let metrics = try await Metrics(server)
            #expect(metrics["likesd_journal_up"] == 0)
            #expect(metrics.requests("PUT", Self.like, 503) == 1)
            #expect(metrics["likesd_likes_added_total"] == Double(number))
        }
    }

    @Test("the process: memory, descriptors, processor time, and what is running")
    func process() async throws {
        try await withServer { server in
            let metrics = try await Metrics(server)
            #expect(metrics["process_resident_memory_bytes"] ?? 0 > 1_000_000)
            #expect(metrics["process_resident_memory_bytes"] ?? .infinity < 100_000_000)
            #expect(metrics["process_open_fds"] ?? 0 >= 5)
            #expect(metrics["process_max_fds"] ?? 0 > metrics["process_open_fds"] ?? .infinity)
            #expect(metrics["process_cpu_seconds_total"] != nil)
            let age = Date().timeIntervalSince1970 - (metrics["process_start_time_seconds"] ?? 0)
            #expect((-2...3_600).contains(age), "\(age)")
            let version = try await likesd("version").output.split(separator: " ").last?.dropLast() ?? ""
            #expect(metrics.names.contains { $0.hasPrefix("likesd_build_info") && $0.contains("version=\(version)") })
            #expect(metrics.types["likesd_likes"] == "gauge")
        }
    }
}
