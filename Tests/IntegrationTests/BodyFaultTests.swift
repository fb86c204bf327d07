import Testing

/// What a body may have wrong, at every address that takes one.
@Suite struct BodyFaultTests {
    /// An address that takes a body, and a body that it takes.
    struct Address: Sendable, CustomTestStringConvertible {
        let method: String
        let target: String
        /// An object with a member that is named `member`.
        let right: String
        let member: String
        /// Bytes that a body may have.
        let limit: Int
        /// Whether a body may be an array.
        var takesMany = false

        var testDescription: String { "\(method) \(target)" }

        func request(_ body: [UInt8]) -> WireRequest { WireRequest(method, target, body: body) }
    }

    static let addresses = [
        Address(method: "PUT", target: "/v1/news/n", right: #"{"title":"T"}"#, member: "title", limit: 128 << 10),
        Address(method: "POST", target: "/v1/news/n/merge", right: #"{"into":"m"}"#, member: "into", limit: 8 << 10),
        Address(
            method: "PUT", target: "/v1/profiles/u/likes", right: #"{"news":["n"]}"#, member: "news", limit: 8 << 20),
        Address(method: "POST", target: "/v1/counts", right: #"{"news":["n"]}"#, member: "news", limit: 1 << 20),
        Address(
            method: "POST", target: "/v1/news", right: #"{"news":[{"id":"n","title":"T"}]}"#, member: "news",
            limit: 8 << 20, takesMany: true),
        Address(
            method: "POST", target: "/v1/likes", right: #"{"likes":[{"op":"like","news":"n","user":"u"}]}"#,
            member: "likes", limit: 8 << 20, takesMany: true),
    ]

    /// Bodies that are no JSON, made of one that is right.
    private static func noJSON(_ right: String) -> [(String, [UInt8])] {
        let bytes = Array(right.utf8)
        let with = { (value: String) in bytes.dropLast() + Array(",\"x\":\(value)}".utf8) }
        return [
            ("whitespace", Array(" \r\n\t ".utf8)), ("byte order mark", [0xEF, 0xBB, 0xBF] + bytes),
            ("trailing bytes", bytes + Array("x".utf8)), ("two values", bytes + bytes), ("trailing NUL", bytes + [0]),
            ("cut off", Array(bytes.dropLast())), ("not UTF-8", with("\"x").dropLast() + [0xFF, 0x22, 0x7D]),
            ("lone surrogate", with(#""\ud800""#)), ("NUL in a key", bytes.dropLast() + Array(#","\u0000":1}"#.utf8)),
            ("raw control character", with("\"\n\"")), ("beyond doubles", with("1e999")),
            ("beyond 64 bits", with("-9223372036854775809")), ("NaN", with("NaN")), ("infinity", with("Infinity")),
            ("too deep", with(String(repeating: "[", count: 2_100) + String(repeating: "]", count: 2_100))),
            ("nothing but depth", Array(String(repeating: "{\"a\":", count: 1_500).utf8)),
        ]
    }

    // Reported of others: mcp registry#862, schautrack#378
    @Test(arguments: addresses)
    func `A body that is no JSON is 400, and the connection goes on`(address: Address) async throws {
        try await withServer { server in
            try await server.api.make("n", "m")
            let faults = BodyFaultTests.noJSON(address.right)
            let requests = faults.map { address.request($0.1) } + [WireRequest("GET", "/v1/news/n")]
            let answers = try await WireClient.send(requests, port: server.port)
            for (fault, answer) in zip(faults, answers) {
                expectProblem(answer, 400, "invalid_json", naming: "line ", "\(fault.0)")
            }
            try expectUnchanged(answers[faults.count])
        }
    }

    @Test(arguments: addresses)
    func `A key that comes twice is 400 and named, at any depth`(address: Address) async throws {
        try await withServer { server in
            try await server.api.make("n", "m")
            let bodies = [#","a":1,"a":1}"#, #","x":[{"y":{"a":1,"b":2,"a":3}}]}"#].map {
                Array((address.right.dropLast() + $0).utf8)
            }
            for answer in try await WireClient.send(bodies.map(address.request), port: server.port) {
                expectProblem(answer, 400, "invalid_json", naming: "a: ")
            }
            try expectUnchanged(try await server.api.detail("n"))
        }
    }

    @Test(arguments: addresses)
    func `A member that is missing, unknown or of another type is 400 and named`(address: Address) async throws {
        try await withServer { server in
            try await server.api.make("n", "m")
            let member = address.member
            let wrong = ["{}"] + ["null", "true", "7", "-1", "1.5", "{}"].map { "{\"\(member)\":\($0)}" }
            let unknown = String(address.right.dropLast()) + #","colour":1}"#
            let requests = (wrong + [unknown]).map { address.request(Array($0.utf8)) }
            let answers = try await WireClient.send(requests, port: server.port)
            for (text, answer) in zip(wrong, answers) {
                expectProblem(answer, 400, "invalid_body", naming: "\(member): ", "\(text)")
            }
            expectProblem(answers[wrong.count], 400, "invalid_body", naming: "colour: ")
            try expectUnchanged(try await server.api.detail("n"))
        }
    }

    @Test(arguments: addresses)
    func `A body that is JSON and no object is 400`(address: Address) async throws {
        try await withServer { server in
            try await server.api.make("n", "m")
            let texts = ["null", "true", "7", "1.5", #""text""#] + (address.takesMany ? [] : ["[]"])
            let requests = texts.map { address.request(Array($0.utf8)) }
            for (text, answer) in zip(texts, try await WireClient.send(requests, port: server.port)) {
                expectProblem(answer, 400, "invalid_body", "\(text)")
            }
            try expectUnchanged(try await server.api.detail("n"))
        }
    }

    @Test(arguments: addresses.filter { $0.method == "POST" || $0.member == "title" })
    func `A body that is empty is 400`(address: Address) async throws {
        try await withServer { server in
            try await server.api.make("n", "m")
            let answer = try await WireClient.send(address.request([]), port: server.port)
            expectProblem(answer, 400, "invalid_json")
            try expectUnchanged(try await server.api.detail("n"))
        }
    }

    @Test(arguments: addresses)
    func `A body as large as it may be is taken, one with a byte more is 413`(address: Address) async throws {
        try await withServer { server in
            try await server.api.make("n", "m")
            let right = Array(address.right.utf8)
            let spaces = [UInt8](repeating: 0x20, count: address.limit - right.count)
            let tooLarge = try await WireClient.send(address.request(spaces + right + [0x20]), port: server.port)
            expectProblem(tooLarge, 413, "body_too_large", naming: "\(address.limit)")
            try expectUnchanged(try await server.api.detail("n"))
            #expect(try await WireClient.send(address.request(spaces + right), port: server.port).status < 300)
        }
    }

    /// Expects that the news is as it was made.
    private func expectUnchanged(_ detail: Answer) throws {
        try detail.succeeded()
        #expect(detail.json["title"] == "A title")
        #expect(detail.json["likesCount"] == 0)
    }
}

extension WireRequest {
    /// A request with a body of JSON, or of what is none.
    fileprivate init(_ method: String, _ target: String, body: [UInt8]) {
        let head = ["Content-Type": "application/json", "Content-Length": "\(body.count)"]
        self.init(WireRequest(method, target, headers: head), appending: body)
    }
}
