import Foundation
import Glibc
import Testing

/// Starting the program: flags, the environment, addresses, and what it refuses.
@Suite struct RunningTests {
    @Test func `The line that says that it listens has the address`() async throws {
        try await withServer { server in
            let line = try server.child.waitForLine { $0.contains("\"listening\"") ? $0 : nil }
            let entry = try #require(JSON(text: Data(line.utf8)))
            #expect(entry["event"] == "listening")
            let url = entry["url"].string ?? ""
            #expect(url.wholeMatch(of: /http:\/\/127\.0\.0\.1:[1-9][0-9]*/) != nil, "\(url)")
        }
    }

    @Test func `127.0.0.1 and ::1 both answer, on one port`() async throws {
        try await withServer { server in
            let request = WireRequest("GET", "/healthz")
            for overIPv6 in Loopback.hasIPv6 ? [false, true] : [false] {
                let answer = try await WireClient.send(request, port: server.port, overIPv6: overIPv6)
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `A second process on the same data folder says so and stops`() async throws {
        try await Places.withFolder { folder in
            try await withServer(.folder(folder)) { server in
                try await server.api.make("n")
                for verb in [["serve", "--port", "0"], ["import", Places.msweb("news.csv")]] {
                    let child = try Child(Places.binary, verb + ["--data", folder])
                    let status = try await child.ended()
                    #expect(status != .exit(0), "\(verb)")
                    guard case .exit = status else { throw Failure("\(status)") }
                    #expect(child.output.contains(folder), "\(child.output)")
                }
                #expect(try await server.api.allNews() == ["n"])
            }
        }
    }

    @Test func `A port in use is said in a line, with exit status 69`() async throws {
        try await withServer { server in
            for flags in [[], ["--host", "127.0.0.1"]] {
                let port = String(server.port)
                let child = try Child(Places.binary, ["serve", "--in-memory", "--port", port] + flags)
                #expect(try await child.ended() == .exit(69))
                #expect(child.output.contains(port), "\(child.output)")
            }
        }
    }

    @Test(arguments: Loopback.hasIPv6 ? [false, true] : [false])
    func `A port that another program has on one of the two addresses is in use`(overIPv6: Bool) async throws {
        let listener = try Loopback.Listener(overIPv6: overIPv6)
        let port = String(listener.port)
        let run = try await likesd("serve", "--in-memory", "--port", port)
        #expect(run.status == .exit(69))
        #expect(run.output.contains(port), "\(run.output)")
        withExtendedLifetime(listener) {}
    }

    @Test(arguments: [
        (["--prot", "80"], "--prot"), (["--port", "http"], "--port"), (["--port", "65536"], "--port"),
        (["--port", "-1"], "--port"), (["--port"], "--port"), (["--workers", "0"], "--workers"),
        (["--workers", "many"], "--workers"), (["--in-memory=perhaps"], "--in-memory"), (["stray"], "stray"),
    ])
    func `A flag that is unknown or has a bad value stops it with its name and exit status 64`(
        flags: [String], name: String
    ) async throws {
        let child = try Child(Places.binary, ["serve", "--in-memory"] + flags)
        defer { child.send(SIGKILL) }
        #expect(try await child.ended() == .exit(64))
        #expect(child.output.contains(name), "\(child.output)")
    }

    @Test(arguments: [("LIKESD_PORT", "http"), ("LIKESD_WORKERS", "0"), ("LIKESD_IN_MEMORY", "perhaps")])
    func `A bad value in the environment stops it as a flag does`(variable: String, value: String) async throws {
        let child = try Child(Places.binary, ["serve"], environment: [variable: value])
        defer { child.send(SIGKILL) }
        #expect(try await child.ended() == .exit(64))
        #expect(child.output.contains(variable) || child.output.contains("--"), "\(child.output)")
    }

    @Test func `A verb that does not exist is named, with exit status 64`() async throws {
        let run = try await likesd("sevre")
        #expect(run.status == .exit(64))
        #expect(run.output.contains("sevre"), "\(run.output)")
    }

    @Test func `Flags may stand in the environment`() async throws {
        try await Places.withFolder { folder in
            let environment = ["LIKESD_PORT": "0", "LIKESD_DATA": folder + "/data", "LIKESD_WORKERS": "1"]
            for news in ["one", "two"] {
                let child = try Child(Places.binary, ["serve"], environment: environment)
                defer { child.send(SIGKILL) }
                let url = try await offPool { try child.waitForLine { Server.url(listening: $0) } }
                try await API(url).make(news)
                child.send(SIGTERM)
                #expect(try await child.ended() == .exit(0))
            }
            try await withServer(.folder(folder + "/data")) { server in
                let news = try await server.api.allNews()
                #expect(news == ["two", "one"])
            }
        }
    }

    @Test func `A flag goes before its variable`() async throws {
        let listener = try Loopback.Listener()
        try await withServer(environment: ["LIKESD_PORT": String(listener.port)]) { server in
            let answer = try await server.api.get("/healthz")
            #expect(answer.status == 200)
            #expect(server.port != listener.port)
        }
    }

    @Test func `Help lists the flags with their variables and defaults`() async throws {
        let run = try await likesd("help")
        #expect(run.status == .exit(0))
        for text in [
            "serve", "import", "--host", "--port", "LIKESD_PORT", "8080", "--data", "--in-memory", "--workers",
        ] {
            #expect(run.output.contains(text), "\(text)")
        }
    }

    @Test func `Version says one`() async throws {
        let run = try await likesd("version")
        #expect(run.status == .exit(0))
        #expect(run.output.contains(/\d+\.\d+/), "\(run.output)")
    }

    @Test func `Health is 0 when the server is well and 1 when there is none`() async throws {
        try await withServer { server in
            let well = try await likesd("health", "--url", server.address)
            #expect(well.status == .exit(0), "\(well.output)")
            let address = server.address
            try await server.kill()
            let gone = try await likesd("health", "--url", address)
            #expect(gone.status == .exit(1), "\(gone.output)")
        }
    }

    @Test func `A data folder that cannot be made is named`() async throws {
        let run = try await likesd("serve", "--port", "0", "--data", "/dev/null/data")
        guard case .exit(let status) = run.status else { throw Failure("\(run)") }
        #expect(status != 0)
        #expect(run.output.contains("/dev/null/data"), "\(run.output)")
    }

    @Test func `Data that is damaged is refused in a line, not taken for an empty folder`() async throws {
        try await Places.withFolder { folder in
            try await withServer(.folder(folder)) { server in
                try await server.api.make("n")
                _ = try await server.stop()
            }
            let garbage = String(repeating: "garbage ", count: 4096)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                _ = try Places.write(garbage, to: "\(folder)/\(name)")
            }
            let run = try await likesd("serve", "--port", "0", "--data", folder)
            guard case .exit(let status) = run.status else { throw Failure("\(run)") }
            #expect(status != 0)
            #expect(run.output.contains("likesd: "), "\(run.output)")
        }
    }

    @Test(.enabled(if: Places.binary.contains("/release/"), "only the release build is small"))
    func `Idle, it needs at most 8 MB of memory`() async throws {
        try await withDurableServer { server in
            #expect(try await server.api.get("/healthz").status == 200)
            let status = try String(contentsOfFile: "/proc/\(server.child.pid)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            let kilobytes = try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
            #expect(kilobytes <= 8 * 1024)
            #expect(kilobytes > 500)
        }
    }
}
