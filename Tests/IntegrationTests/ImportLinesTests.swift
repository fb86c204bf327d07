import Foundation
import Testing

/// `POST /v1/admin/import`: what it takes, and how it says what it does not.
@Suite struct ImportLinesTests {
    @Test func `Bad lines are named in order, with a code, and the good ones are in`() async throws {
        try await withServer { server in
            let api = server.api
            let lines = [
                "\u{FEFF}{\"id\":\"a\",\"title\":\"A\"}\r", "", "not json", "[1]", " {\"id\":\"b\",\"title\":\"B\"} \r",
                "{\"op\":\"like\",\"news\":\"a\",\"user\":\"u\"}",
                "{\"op\":\"like\",\"news\":\"nobody's\",\"user\":\"u\"}",
                "{\"op\":\"like\",\"news\":\"a\",\"user\":\"u\"}", "{\"op\":\"like\",\"news\":\"a\",\"user\":\".\"}",
                "{\"op\":\"unlike\",\"news\":\"a\",\"user\":\"u\"}",
                "{\"op\":\"unlike\",\"news\":\"a\",\"user\":\"u\"}",
                "{\"op\":\"like\",\"news\":\"a\",\"user\":\"u\",\"at\":\"2999-01-01T00:00:00Z\"}",
                "{\"id\":\"c\",\"title\":\"\"}",
                "{\"merged\":\"x\",\"into\":\"nobody's\"}", "{\"merged\":\"a\",\"into\":\"a\"}", "{\"merged\":\"x\"}",
                "{\"merged\":\"x\",\"into\":\"a\"}", "{\"id\":\"x\",\"title\":\"X\"}",
                "{\"op\":\"like\",\"news\":\"x\",\"user\":\"v\"}",
            ]
            // The last line has no end.
            let answer = try await api.importLines(lines.joined(separator: "\n"), headers: ["Operation-Id": "op-7"])
            #expect(answer.status == 200 && answer.headers["operation-id"] == "op-7")
            let refusals = answer.json["refusals"].elements
            #expect(
                refusals.map { "\($0["line"]) \($0["code"].string ?? "")" } == [
                    "3 invalid_json", "4 invalid_body", "7 news_not_found", "9 invalid_id", "12 invalid_body",
                    "13 invalid_body", "14 news_not_found", "15 merge_conflict", "16 invalid_body", "18 news_merged",
                ])
            #expect(answer.json["refused"] == 10)
            #expect(answer.json["news"] == ["taken": 2, "changed": 2])
            #expect(answer.json["likes"] == ["taken": 5, "changed": 3])
            #expect(answer.json["merges"] == ["taken": 1, "changed": 1])
            #expect(answer.json["sequence"].integer == answer.position)
            #expect(try await api.allLikers("a") == ["v"])
            #expect(Set(try await api.allNews()) == ["a", "b"])
        }
    }

    @Test func `A body without a line is no error, and says where the server is`() async throws {
        try await withServer { server in
            try await server.api.make("a", "b")
            for body in ["", "\n", " \r\n\n", "\u{FEFF}"] {
                let answer = try await server.api.importLines(body)
                #expect(answer.status == 200 && answer.json["refused"] == 0, "\(answer)")
                #expect(answer.json["sequence"] == 2 && answer.position == 2, "\(answer)")
            }
        }
    }

    @Test(arguments: ["application/json", "text/plain", "application/x-www-form-urlencoded", ""])
    func `Another type is 415, and names the one`(type: String) async throws {
        try await withServer { server in
            for body in ["", "{\"id\":\"a\",\"title\":\"A\"}"] {
                let request = WireRequest("POST", "/v1/admin/import", body: body, type: type)
                let answer = try await WireClient.send(request, port: server.port)
                expectProblem(answer, 415, "unsupported_media_type", naming: "must be application/x-ndjson")
            }
            #expect(try await server.api.allNews().isEmpty)
        }
    }

    @Test func `Too long a line is 413 and named; those before it are in, those behind it are not`() async throws {
        try await withServer { server in
            let made = "{\"id\":\"a\",\"title\":\"A\"}"
            // The longest line that is allowed is only refused for what it says.
            let longest = "{\"op\":\"" + String(repeating: "x", count: (256 << 10) - 8) + "\""
            let behind = "{\"id\":\"z\",\"title\":\"Z\"}"
            let body = [made, longest, made, longest + "x", behind].joined(separator: "\n")
            let request = WireRequest("POST", "/v1/admin/import", body: body, type: API.lines)
            let answer = try await WireClient.send(request, port: server.port)
            expectProblem(answer, 413, "body_too_large", naming: "line 4:")
            #expect(try await server.api.allNews() == ["a"])
        }
    }

    @Test func `Refusals beyond 10,000 are only counted; each is short, whatever the line says`() async throws {
        try await withServer { server in
            let like = "\"op\":\"like\",\"news\":\"a\",\"user\":\"u\""
            let endless = "{\(like),\"" + String(repeating: "k", count: 200_000) + "\":1}"
            let bad = [endless, "{\(like)}"] + (0..<10_050).map { "bad \($0)" }
            let answer = try await server.api.importLines(bad.joined(separator: "\n"))
            #expect(answer.json["refused"] == 10_052)
            let refusals = answer.json["refusals"].elements
            #expect(refusals.compactMap { $0["line"].integer } == Array(1...10_000))
            #expect(refusals[0]["detail"].string?.utf8.count ?? .max < 500)
        }
    }

    @Test func `A client that expects 100-continue is asked for the body`() async throws {
        try await withServer { server in
            let port = server.port
            let answer = try await offPool {
                let connection = try RawConnection(port: port)
                let head =
                    "POST /v1/admin/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(API.lines)\r\n"
                    + "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
                try connection.send(head.utf8)
                try connection.receive { $0.ends(with: "100 Continue\r\n\r\n") }
                let body = "{\"id\":\"a\",\"title\":\"A\"}"
                try connection.send("\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n".utf8)
                return String(decoding: try connection.receive(), as: UTF8.self)
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("\"taken\":1,\"changed\":1"), "\(answer)")
        }
    }

    @Test func `The command names file and line, with exit status 65, whatever file and batch the line is in`()
        async throws
    {
        try await withServer { server in
            try await Places.withFolder { folder in
                let news = "{\"id\":\"a\",\"title\":\"A\"}\n\n{\"id\":\"b\"}\n"
                let first = try Places.write(news, to: folder + "/first.ndjson")
                let likes = (0..<10_500).map { number in
                    number % 5_000 == 3
                        ? "{\"op\":\"like\",\"news\":\"b\",\"user\":\"u\(number)\"}"
                        : "{\"op\":\"like\",\"news\":\"a\",\"user\":\"u\(number)\"}"
                }
                let second = try Places.write(likes.joined(separator: "\n"), to: folder + "/second.ndjson")
                let run = try await likesd("import", first, second, "--url", server.address)
                #expect(run.status == .exit(65), "\(run.output)")
                for place in [
                    "first.ndjson:3: op", "second.ndjson:4: ", "second.ndjson:5004: ", "second.ndjson:10004: ",
                ] {
                    #expect(run.output.contains(place), "\(place) in \(run.output)")
                }
                #expect(run.output.contains("10497 likes (10497 new), 4 refused"), "\(run.output)")
            }
        }
    }
}
