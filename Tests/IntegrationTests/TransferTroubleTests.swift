import Foundation
import Synchronization
import Testing

/// Exports and imports of some size, with others writing meanwhile, and with clients that do not stay.
@Suite struct TransferTroubleTests {
    /// Lines with one news and so many likes of it, by users with long ids.
    private func manyLikes(_ count: Int) -> String {
        let filling = String(repeating: "x", count: 230)
        let likes = (0..<count).map { "{\"op\":\"like\",\"news\":\"n\",\"user\":\"\($0)-\(filling)\"}" }
        return "{\"id\":\"n\",\"title\":\"N\"}\n" + likes.joined(separator: "\n")
    }

    /// Begins an export and reads no more than its beginning.
    private func begin(_ port: UInt16) async throws -> RawConnection {
        try await offPool {
            let connection = try RawConnection(port: port, receiveBuffer: 4096)
            try connection.send("GET /v1/admin/export HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            let start = try connection.receive { $0.count >= 15 }
            guard start.starts(with: "HTTP/1.1 200 OK".utf8) else {
                throw Failure(String(decoding: start, as: UTF8.self))
            }
            return connection
        }
    }

    @Test func `Two exports at a time; a third is 503; what clients give up makes room again`() async throws {
        try await withServer { server in
            let (api, port) = (server.api, server.port)
            // More than the buffers of a connection hold.
            try await api.importAll(Data(manyLikes(60_000).utf8))
            for _ in 0..<2 {
                // The place of the first that was given up may be free before that of the second.
                let neglected = [try await beginWhenFree(port), try await beginWhenFree(port)]
                let third = try await api.get("/v1/admin/export")
                expectProblem(third, 503, "too_busy", naming: "2 exports")
                #expect(third.headers["retry-after"] == "1")
                #expect(try await api.get("/healthz").status == 200)
                for connection in neglected { connection.hangUp() }
                let deadline = Deadline.seconds()
                while try await api.send("HEAD", "/v1/admin/export").status == 503 {
                    if deadline.passed { throw Failure("the places do not come free") }
                }
            }
            let whole = try await inParallel(2) { _ in
                let deadline = Deadline.seconds()
                while true {
                    let answer = try await api.get("/v1/admin/export")
                    if answer.status == 200 { return answer.body.split(separator: 10).count }
                    if deadline.passed { throw Failure("the second place does not come free") }
                }
            }
            #expect(whole == [60_001, 60_001])
        }
    }

    @Test func `A server with neglected exports stops in time`() async throws {
        try await withServer { server in
            try await server.api.importAll(Data(manyLikes(60_000).utf8))
            let neglected = [try await begin(server.port), try await begin(server.port)]
            #expect(try await server.stop() == .exit(0))
            // What they get is not a whole export: its last chunk is missing.
            for connection in neglected {
                let rest = try? await offPool { try connection.receive() }
                #expect(rest?.ends(with: "0\r\n\r\n") != true)
            }
        }
    }

    /// An export that is begun as soon as there is a place for it.
    private func beginWhenFree(_ port: UInt16) async throws -> RawConnection {
        let deadline = Deadline.seconds()
        while true {
            do { return try await begin(port) } catch { if deadline.passed { throw error } }
        }
    }

    /// What writers were told: by user, the sequence and whether the pair is liked from then on.
    private typealias Told = [String: [(sequence: Int64, liked: Bool)]]

    /// Likes two news by a user and takes both back, one batch each, until the flag is up.
    private func toggle(_ user: String, _ api: API, until flag: Flag) async throws -> Told {
        var told: Told = [:]
        var liked = false
        while !flag.isRaised {
            liked.toggle()
            let op: JSON = liked ? "like" : "unlike"
            let entries = ["a", "b"].map { JSON.object(["op": op, "news": .string($0), "user": .string(user)]) }
            let answer = try await api.post("/v1/likes", .array(entries)).succeeded()
            guard let sequence = answer.json["sequence"].integer, answer.json["changed"] == 2 else {
                throw Failure("\(answer)")
            }
            told[user, default: []].append((sequence, liked))
        }
        return told
    }

    @Test func `An export shows one moment, that of its Likes-Sequence, while others write`() async throws {
        try await withServer { server in
            let api = server.api
            try await api.make("a", "b")
            // So that it takes a while.
            try await api.importAll(Data(manyLikes(5_000).utf8))
            let done = Flag()
            async let writers = inParallel(4) { [self] in try await toggle("writer \($0)", api, until: done) }
            var exports: [Answer] = []
            do {
                defer { done.raise() }
                for _ in 0..<25 { exports.append(try await api.export()) }
            }
            let told = try await writers.reduce(into: Told()) { all, one in all.merge(one) { first, _ in first } }
            #expect(told.count == 4)
            var seen: Set<Set<String>> = []
            for export in exports {
                let lines = export.body.split(separator: 10).compactMap { JSON(text: Data($0)) }
                func users(_ news: JSON) -> Set<String> {
                    Set(lines.filter { $0["op"] == "like" && $0["news"] == news }.compactMap { $0["user"].string })
                }
                let position = try #require(export.position)
                let liking = told.filter { $0.value.last { $0.sequence <= position }?.liked ?? false }
                #expect(users("a") == Set(liking.keys), "at \(position)")
                #expect(users("b") == users("a"), "at \(position)")
                #expect(users("n").count == 5_000)
                seen.insert(users("a"))
            }
            #expect(seen.count > 1, "the writers did write meanwhile")
        }
    }

    @Test func `300,000 lines of 320 bytes go in by one request, in little memory`() async throws {
        try await withDurableServer { server in
            let (port, count) = (server.port, 300_000)
            let before = try peak(server)
            let answer = try await offPool {
                let connection = try RawConnection(port: port)
                try connection.send(
                    ("POST /v1/admin/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(API.lines)\r\n"
                        + "Connection: close\r\nContent-Length: \((count + 300) * 320)\r\n\r\n").utf8)
                func line(_ text: String) -> [UInt8] {
                    Array(text.utf8) + [UInt8](repeating: 0x20, count: 319 - text.utf8.count) + [10]
                }
                for number in 0..<300 { try connection.send(line("{\"id\":\"\(number)\",\"title\":\"T\"}")) }
                for start in stride(from: 0, to: count, by: 1000) {
                    let lines = (start..<(start + 1000)).map { number in
                        line("{\"op\":\"like\",\"news\":\"\(number % 300)\",\"user\":\"\(number / 300)\"}")
                    }
                    try connection.send(lines.joined())
                }
                return String(decoding: try connection.receive(), as: UTF8.self)
            }
            #expect(answer.contains("\"likes\":{\"taken\":300000,\"changed\":300000},\"refused\":0"), "\(answer)")
            let grown = try peak(server) - before
            print("300,000 lines, 96 MB: the server's peak grew by \(grown) kB")
            // The likes themselves take about 10 MB.
            #expect(grown < 50_000)
            let export = try await server.api.export().body
            #expect(export.split(separator: 10).count == 300_300)
            try await expectOneTruth(server.api, "299", count: 1000)
        }
    }

    /// The most memory that the server ever had, in kB.
    private func peak(_ server: Server) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.child.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        guard let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
            throw Failure("no VmHWM")
        }
        return kilobytes
    }

    @Test func `What a client sent before it went away is in, and the rest can be sent again`() async throws {
        try await withDurableServer { server in
            let (api, port) = (server.api, server.port)
            let lines = manyLikes(12_000)
            let connection = try await offPool {
                let connection = try RawConnection(port: port)
                try connection.send(
                    ("POST /v1/admin/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(API.lines)\r\n"
                        + "Content-Length: 100000000\r\n\r\n" + lines).utf8)
                return connection
            }
            let deadline = Deadline.seconds()
            while try await api.detail("n").json["likesCount"].integer ?? 0 < 5_000 {
                if deadline.passed { throw Failure("nothing is taken in") }
            }
            connection.hangUp()
            try await api.importAll(Data(lines.utf8))
            try await expectOneTruth(api, "n", count: 12_000)
            try await server.kill()
            try await server.startAgain()
            try await expectOneTruth(server.api, "n", count: 12_000)
        }
    }

    @Test func `When the journal fails, it is 503 and says how far it came; what was before that is in`() async throws {
        try await withServer(fileLimit: 4 << 20) { server in
            let (api, lines) = (server.api, manyLikes(60_000))
            let request = WireRequest("POST", "/v1/admin/import", body: lines, type: API.lines)
            let answer = try await WireClient.send(request, port: server.port)
            expectProblem(answer, 503, "journal_unavailable", naming: "are through")
            #expect(answer.headers["retry-after"] == "1")
            let detail = answer.json["detail"].string ?? ""
            let through = try #require(detail.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int($0) })
            let likers = try await api.allLikers("n")
            #expect(likers.count >= through - 1 && likers.count < 60_000, "\(likers.count): \(detail)")
            // In the order of the lines, without a gap.
            let numbers = likers.compactMap { $0.split(separator: "-").first.flatMap { Int($0) } }
            #expect(numbers == Array((0..<likers.count).reversed()))

            let raised = try Child("/usr/bin/prlimit", ["--pid", "\(server.child.pid)", "--fsize=unlimited"])
            #expect(try await raised.ended() == .exit(0))
            let deadline = Deadline.seconds()
            while try await api.importLines(lines).status == 503 {
                if deadline.passed { throw Failure("it does not recover") }
            }
            try await expectOneTruth(api, "n", count: 60_000)
        }
    }
}
