import MicroHTTP
import Testing
import Threading

/// What a program adds to every answer, and a second look at the request.
@Suite struct AmendmentTests {
    private let server: HTTPServer

    /// `/later` is answered after a second look at the request, `/refused` is turned away on its headers, `/stream` is sent
    /// in chunks; every answer shows the request's `X-Test`.
    init() throws {
        server = try HTTPServer(
            configuration: .init(hosts: ["127.0.0.1"], port: 0),
            application: Application(
                admit: { request in
                    text(request.uri) == "/refused" ? .refuse(Response(status: 403)) : .accept(maximumBody: 10)
                },
                respond: { request in AmendmentTests.reply(request) },
                refuse: { _ in Response(status: 500) },
                amend: { response, request in
                    response.headers.append(
                        Header("X-Amended", "\(request.method.name) \(request.header("X-Test") ?? "-")"))
                }))
        server.start()
    }

    private static func reply(_ request: borrowing Request) -> Reply {
        switch text(request.uri) {
        case "/later":
            let body = request.body
            return .later { responder in
                responder.complete { request in
                    let seen = "\(request.method.name) \(text(request.uri)) \(request.header("X-Test") ?? "-") "
                    return answer(seen + "\(text(body)) \(request.body.count)")
                }
            }
        case "/stream": return .now(Response(status: 200) { $0.finish() })
        case "/304": return .now(Response(status: 304))
        default: return .now(answer("now"))
        }
    }

    @Test(arguments: ["/now", "/later", "/refused", "/stream", "/304"], ["GET", "HEAD"])
    func everyAnswerIsAmendedOnce(_ target: String, _ method: String) throws {
        defer { server.stop(deadlineMilliseconds: 0) }
        let client = try #require(Client(port: server.port))
        client.send(get(target, method: method, headers: "X-Test: a\r\n"))
        let answer = try #require(client.response(toHead: method == "HEAD"))
        #expect(answer.header("x-amended") == "\(method) a")
        #expect(answer.head.split(separator: "X-Amended").count == 2)
    }

    @Test(arguments: [
        "PUT /now HTTP/1.1\r\nHost: a\r\nX-Test: a\r\nContent-Length: 11\r\n\r\nhello world",
        "PUT /now HTTP/1.1\r\nHost: a\r\nX-Test: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n",
        "PUT /now HTTP/1.1\r\nHost: a\r\nX-Test: a\r\nContent-Length: 99999999\r\n\r\n",
        "PUT /now HTTP/1.1\r\nHost: a\r\nX-Test: a\r\nExpect: more\r\n\r\n",
        "PUT http:///now HTTP/1.1\r\nHost: a\r\nX-Test: a\r\n\r\n",
        "PUT /now HTTP/1.1\r\nX-Test: a\r\n\r\n",
        "PUT /\(String(repeating: "x", count: HTTPLimits.target)) HTTP/1.1\r\nHost: a\r\nX-Test: a\r\n\r\n",
    ])
    func whatTheServerTurnsAwayIsAmended(_ request: String) throws {
        defer { server.stop(deadlineMilliseconds: 0) }
        let client = try #require(Client(port: server.port))
        let answer = try #require(client.ask(request))
        #expect(answer.status == 500)
        #expect(answer.header("x-amended") == "PUT a")
        #expect(answer.head.split(separator: "X-Amended").count == 2)
    }

    @Test func aSecondLookSeesTheRequestWithoutItsBody() throws {
        defer { server.stop(deadlineMilliseconds: 0) }
        let client = try #require(Client(port: server.port))
        let answers = ["a", "b"].map { value in
            client.ask(get("/later", method: "PUT", headers: "X-Test: \(value)\r\n", body: "hello"))
        }
        #expect(answers.map { $0?.body } == ["PUT /later a hello 0", "PUT /later b hello 0"])
        #expect(client.ask(get("/now"))?.body == "now")
    }
}
