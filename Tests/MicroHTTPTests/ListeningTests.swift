import MicroHTTP
import Testing

@Suite struct ListeningTests {
    @Test func portZeroIsOnePortOnBothLoopbackAddresses() throws {
        let server = try TestServer()
        #expect(server.port != 0)
        #expect(server.server.urls == ["http://127.0.0.1:\(server.port)", "http://[::1]:\(server.port)"])
        #expect(try server.client().ask(get("/echo"))?.status == 200)
        #expect(try server.client(ipv6: true).ask(get("/echo"))?.status == 200)
    }

    @Test(arguments: [(1, 1), (1, 3), (3, 1), (3, 3)], ["localhost", "0.0.0.0", "::", "127.0.0.1"])
    func aPortInUseIsRefused(_ workers: (Int, Int), _ host: String) throws {
        let first = try TestServer(workers: workers.0, starts: false)
        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(
                configuration: .init(hosts: [host], port: first.port, workers: workers.1), application: .silent)
        }
        guard case .addressInUse = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(error?.description.contains("\(first.port) is already in use") == true)
    }

    @Test func thePortIsFreeAgainAfterStop() throws {
        let first = try TestServer(workers: 2)
        let client = try first.client()
        #expect(client.ask(get("/echo"))?.status == 200)
        first.server.stop(deadlineMilliseconds: 1000)
        let second = try HTTPServer(configuration: .init(port: first.port, workers: 2), application: .silent)
        second.stop(deadlineMilliseconds: 0)
    }

    @Test func connectionsSpreadOverTheWorkers() throws {
        let names = Names()
        let server = try HTTPServer(
            configuration: .init(hosts: ["127.0.0.1"], port: 0, workers: 4), application: names.application)
        server.start()
        defer { server.stop(deadlineMilliseconds: 0) }
        let clients = (0..<200).compactMap { _ in Client(port: server.port) }
        for client in clients { #expect(client.ask(get("/"))?.status == 200) }
        let counts = names.counts
        #expect(counts.count == 4 && counts.allSatisfy { $0 > 10 }, "\(counts)")
    }

    @Test func wildcardsLiterals() throws {
        #expect(try ListenAddress.resolve("0.0.0.0") == [ListenAddress(family: .ipv4, host: "0.0.0.0")])
        #expect(try ListenAddress.resolve("::") == [ListenAddress(family: .ipv6, host: "::")])
        #expect(try ListenAddress.resolve("0:0::1") == [ListenAddress(family: .ipv6, host: "::1")])
        let server = try TestServer(hosts: ["0.0.0.0", "::"])
        #expect(try server.client().ask(get("/echo"))?.status == 200)
        #expect(try server.client(ipv6: true).ask(get("/echo"))?.status == 200)
    }

    @Test func addressesThatAreNotThere() {
        #expect(throws: HTTPServerError.unknownHost("no such host")) { try ListenAddress.resolve("no such host") }
        #expect(throws: HTTPServerError.addressUnavailable("192.0.2.1:8080")) {
            try HTTPServer(configuration: .init(hosts: ["192.0.2.1"], port: 8080), application: .silent)
        }
    }
}

extension Application {
    /// A program that has nothing to say.
    static var silent: Application {
        Application(
            admit: { _ in .accept(maximumBody: 0) }, respond: { _ in .now(Response(status: 200)) },
            refuse: { _ in Response(status: 500) })
    }
}
