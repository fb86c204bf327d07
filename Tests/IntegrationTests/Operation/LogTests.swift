import Foundation
import Glibc
import Testing

/// What the server writes to its standard error stream.
@Suite("The server's log")
struct ServerLogTests {
    /// The entries about an event so far.
    private func entries(_ server: Server, _ event: String) -> [JSON] {
        server.child.output.split(separator: "\n").compactMap { JSON(text: Data($0.utf8)) }.filter {
            $0["event"] == .string(event)
        }
    }

    @Test("every line is an object with time, level and event, from the configuration to the end")
    func lines() async throws {
        try await withDurableServer { server in
            try await server.api.make("a")
            #expect(try await server.stop() == .exit(0))
            let lines = server.child.output.split(separator: "\n")
            for line in lines {
                let entry = try #require(JSON(text: Data(line.utf8)), "\(line)")
                #expect(
                    entry["time"].string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(line)")
                #expect(["info", "warning", "error"].contains(entry["level"].string ?? ""), "\(line)")
            }
            let events = lines.compactMap { JSON(text: Data($0.utf8))?["event"].string }
            #expect(events.prefix(3) == ["replayed", "configuration", "listening"])
            #expect(events.suffix(2) == ["stopping", "stopped"])
        }
    }

    @Test("the start says what is in force, wherever it comes from")
    func configuration() async throws {
        try await withServer(
            .memory, ["--workers=3", "--cors-origin", "https://a.example", "--cors-origin", "https://b.example"],
            environment: ["LIKESD_STREAM_STALL": "90s"]
        ) { server in
            let entry = try #require(entries(server, "configuration").first)
            #expect(entry["in-memory"] == "true")
            #expect(entry["workers"] == "3")
            #expect(entry["cors-origin"] == "https://a.example,https://b.example")
            #expect(entry["stream-stall"] == "90s")
            #expect(entry["stream-heartbeat"] == "15s")
            #expect(entry["openFiles"].integer ?? 0 > 100)
            let help = try await likesd("help").output
            for flag in entry.names.subtracting(["time", "level", "event", "openFiles"]) {
                #expect(help.contains("--\(flag)"), "\(flag)")
            }
        }
    }

    @Test("requests are not logged, however many are bad")
    func quiet() async throws {
        try await withServer { server in
            let before = server.child.output
            let requests = (0..<2_000).map { WireRequest("GET", $0 % 2 == 0 ? "/v1/news/\($0)" : "/v1/news/%00?\($0)") }
            let answers = try await WireClient.send(requests, port: server.port)
            #expect(answers.count == 2_000)
            #expect(try await server.stop() == .exit(0))
            #expect(server.child.output.split(separator: "\n").count == before.split(separator: "\n").count + 2)
        }
    }

    @Test("with --access-log each request is a line; of a flood of bad ones some are, and a count")
    func access() async throws {
        try await withServer(.memory, ["--access-log"]) { server in
            try await server.api.make("a")
            _ = try await server.api.put(API.like("a", "ann/1"), headers: ["Operation-Id": "op-1"])
            let requests = (0..<2_000).map { WireRequest("GET", "/v1/news/\($0)") }
            let begun = ContinuousClock.now
            let answers = try await WireClient.send(requests, port: server.port)
            let seconds = Int(begun.duration(to: .now).components.seconds) + 2
            #expect(answers.count == 2_000)
            #expect(try await server.stop() == .exit(0))
            let lines = entries(server, "request")
            let like = try #require(lines.dropFirst().first)
            #expect(like["method"] == "PUT")
            #expect(like["route"] == "/v1/news/{id}/likes/{user}")
            #expect(like["target"] == "/v1/news/a/likes/ann%2F1")
            #expect(like["status"] == 201)
            #expect(like["operationId"] == "op-1")
            #expect(like["client"] == "127.0.0.1")
            #expect(like["microseconds"].integer ?? 0 > 0)
            let refused = lines.count { $0["status"] == 404 }
            let leftOut = entries(server, "log_left_out").compactMap { $0["lines"].integer }
            #expect(refused + Int(leftOut.reduce(0, +)) == 2_000)
            #expect(refused <= seconds * 100)
        }
    }

    @Test("writes that fail are told of, but a flood of them is only counted")
    func failures() async throws {
        try await withServer(fileLimit: 512 * 1024) { server in
            try await server.api.make("a")
            var number = 0
            while try await server.api.like("a", by: "user \(number)").status != 503 { number += 1 }
            let requests = (0..<500).map { WireRequest("PUT", API.like("a", "other \($0)")) }
            let statuses = try await WireClient.send(requests, port: server.port).map(\.status)
            #expect(statuses == Array(repeating: 503, count: 500))
            #expect(try await server.stop() == .exit(0))
            let told = entries(server, "request_failed")
            #expect(told.first?["status"] == 503)
            #expect(told.first?["route"] == "/v1/news/{id}/likes/{user}")
            let leftOut = entries(server, "log_left_out").filter { $0["of"] == "request_failed" }
                .compactMap { $0["lines"].integer }
            #expect(told.count + Int(leftOut.reduce(0, +)) == 501)
            // In each minute, and there is one line about each.
            #expect(told.count <= 30 * (leftOut.count + 1))
            #expect(entries(server, "journal_unavailable").first?["level"] == "error")
        }
    }

    @Test("for people, and for systemd's journal, a line is words")
    func text() async throws {
        for isForJournal in [false, true] {
            // The journal is known by the device and the inode of the stream.
            let journal = isForJournal ? "export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2);" : ""
            let script = "\(journal) exec \"$0\" serve --in-memory --port 0 --log-format text"
            let child = try Child("/bin/sh", ["-c", script, Places.binary])
            defer { child.send(SIGKILL) }
            let line = try await offPool { try child.waitForLine { $0.contains("listening") ? $0 : nil } }
            if isForJournal {
                #expect(line.hasPrefix("<6>listening url=http://127.0.0.1:"), "\(line)")
            } else {
                #expect(line.wholeMatch(of: /\d{4}-\S+Z info listening url=http:\S+ urls=http:\S+/) != nil, "\(line)")
            }
        }
    }

    /// Reads a pipe up to the line that says where the server listens, and its port.
    private func port(listening reader: Int32, _ deadline: Deadline = .seconds()) throws -> UInt16 {
        var text = ""
        while true {
            for line in text.split(separator: "\n") {
                if let port = Server.url(listening: String(line))?.port { return UInt16(port) }
            }
            if deadline.passed { throw Failure("it does not start: \(text)") }
            var item = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            unsafe poll(&item, 1, 100)
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe read(reader, &buffer, buffer.count)
            if count > 0 { text += String(decoding: buffer[..<count], as: UTF8.self) }
        }
    }

    @Test("a log that nobody reads any more stops nothing")
    func stuck() async throws {
        try await Places.withFolder { folder in
            let pipe = "\(folder)/log"
            let isMade = unsafe mkfifo(pipe, 0o600) == 0
            try #require(isMade)
            let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(reader) }
            let script = "exec 2>\"$1\"; exec \"$0\" serve --in-memory --port 0 --access-log"
            let child = try Child("/bin/sh", ["-c", script, Places.binary, pipe])
            defer { child.send(SIGKILL) }
            let port = try await offPool { try self.port(listening: reader) }
            // Some megabytes of lines: more than the pipe and the buffer hold.
            let long = String(repeating: "x", count: 1_500)
            for _ in 0..<5 {
                let requests = (0..<500).map { _ in WireRequest("GET", "/v1/feed?viewer=\(long.prefix(200))&x=\(long)")
                }
                let answers = try await WireClient.send(requests, port: port)
                #expect(answers.count == 500)
            }
            child.send(SIGTERM)
            #expect(try await child.ended() == .exit(0))
        }
    }
}
