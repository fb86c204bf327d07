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
                refuse: { refusal in
                    switch refusal {
                    case .uriTooLong: Response(status: 414)
                    case .headTooLarge: Response(status: 431)
                    default: Response(status: 500)
                    }
                },
                amend: { response, request in
                    response.headers.append(
                        Header("X-Amended", "\(request.method.name) \(request.header("X-Test") ?? "-")"))
                }))
        server.start()
    }

    private static func reply(_ request: borrowing Request) -> Reply {
        switch text(Array(request.uri.prefix { $0 != UInt8(ascii: "x") })) {
        case "/later":
            let body = request.body
            return .later { responder in
                responder.complete { request in
                    let seen = "\(request.method.name) \(text(request.uri)) \(request.header("X-Test") ?? "-") "
                    return answer(seen + "\(text(body)) \(request.body.count)")
                }
            }
        case "/body": return .now(Response(status: 200, body: Array(repeating: 120, count: 8_000_000)))
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
        #expect(answer.status == (request.utf8.count > HTTPLimits.target ? 414 : 500))
        #expect(answer.header("x-amended") == "PUT a")
        #expect(answer.head.split(separator: "X-Amended").count == 2)
    }

    /// What is added may be what there is no room for behind a large head. The client does not take a long answer at once.
    @Test(arguments: [("/body", 200), ("/stream", 431), ("/stream" + String(repeating: "x", count: 7_500), 414)])
    func whatFindsNoRoomIsAmendedOnce(_ target: String, _ status: Int) throws {
        defer { server.stop(deadlineMilliseconds: 0) }
        let client = try #require(Client(port: server.port, receiveBuffer: 4096))
        let value = String(repeating: "a", count: 2_000)
        let filling = String(repeating: "b", count: 14_000 - target.utf8.count - 2_300)
        let answer = try #require(client.ask(get(target, headers: "X-Test: \(value)\r\nX: \(filling)\r\n")))
        #expect(answer.status == status && answer.closes)
        #expect(answer.header("x-amended") == "GET \(value)")
        #expect(answer.head.split(separator: "X-Amended").count == 2)
        #expect(answer.body.utf8.count == (status == 200 ? 8_000_000 : 0))
        #expect(client.endsHere())
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
