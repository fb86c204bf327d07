import Foundation
import Glibc
import Testing

/// Few files that the system lets the server have open: nobody is lost, nothing spins, and who leaves makes room.
@Suite struct DescriptorTests {
    /// A shell that becomes the server, with a limit, soft and hard or the soft one alone.
    private func launcher(files: Int, _ kind: String = "") -> [String] {
        ["/bin/sh", "-c", "ulimit \(kind) -n \(files) && exec \"$0\" \"$@\""]
    }

    /// How many files a process may have open: the soft limit, and the hard one.
    private func limits(_ view: ProcessView) throws -> [Int] {
        let limits = try String(contentsOfFile: "/proc/\(view.pid)/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        return line.split(separator: " ").compactMap { Int($0) }
    }

    /// Lets a server have no more files open than it has, and so many others; nil for as many as ever.
    private func allow(_ others: Int?, _ view: ProcessView) throws {
        let soft = try others.map { try view.descriptors + $0 } ?? limits(view)[1]
        let child = try Child("/usr/bin/prlimit", ["--pid", "\(view.pid)", "--nofile=\(soft):"])
        guard try child.waitForExit(.seconds()) == .exit(0) else { throw Failure("no limit: \(child.output)") }
    }

    private func like(_ visitor: Int) -> WireRequest { WireRequest("PUT", API.like("n", "u\(visitor)")) }

    /// Lets all come in who wait, by those leaving who are served.
    private func servesAll(_ visitors: Visitors) throws {
        while visitors.count > 0 {
            try visitors.receive(untilServed: 1)
            visitors.leaveServed()
        }
    }

    @Test(arguments: [80, 300]) func `Hundreds of clients are served in turn where few files may be open`(
        files: Int
    ) async throws {
        try await Places.withFolder { folder in
            try await withServer(by: launcher(files: files), folder) { server in
                // Not by `api`, which would keep its connection.
                let news = WireRequest("PUT", "/v1/news/n", body: #"{"title": "t"}"#)
                #expect(try await WireClient.send(news, port: server.port).status == 201)
                let (port, view) = (server.port, ProcessView(pid: server.child.pid))
                try await offPool {
                    let visitors = try Visitors(port: port, 400)
                    visitors.ask(0..<400, like)
                    try visitors.receive(untilServed: 4)
                    #expect(try view.rests, "it does nothing for those it has no room for")
                    try visitors.receive(untilServed: 4)
                    let served = visitors.served
                    print("descriptors: with \(files) files \(served.count) clients at one time")
                    #expect(served.count < files)
                    visitors.ask(served) { WireRequest("GET", "/v1/news/n?viewer=u\($0)") }
                    try visitors.receive(untilServed: served.count)
                    try servesAll(visitors)
                    #expect(try view.rests)
                }
                try await expectOneTruth(server.api, "n", count: 400)
            }
        }
    }

    @Test(arguments: [0, 8]) func `A server that is given no more descriptors does not spin, and goes on when it is`(
        free: Int
    ) async throws {
        try await withDurableServer { server in
            try await server.api.make("n")
            let (port, view) = (server.port, ProcessView(pid: server.child.pid))
            try await offPool {
                try allow(free, view)
                let visitors = try Visitors(port: port, 200)
                visitors.ask(0..<200, like)
                try visitors.receive(untilServed: free)
                #expect(try view.rests, "it does nothing for those it has no room for")
                // Who is in is served as ever, and who comes in for one that leaves, too.
                for _ in 0..<3 where free > 0 {
                    visitors.ask(visitors.served) { WireRequest("GET", "/v1/news/n?viewer=u\($0)") }
                    try visitors.receive(untilServed: free)
                    visitors.leaveServed()
                    try visitors.receive(untilServed: free)
                }
                try allow(nil, view)
                try visitors.receive(untilServed: visitors.count)
                #expect(try view.rests)
            }
            try await expectOneTruth(server.api, "n", count: 200)
        }
    }

    @Test func `The limit is raised as far as it goes`() async throws {
        try await Places.withFolder { folder in
            try await withServer(by: launcher(files: 256, "-S"), folder) { server in
                let limits = try limits(ProcessView(pid: server.child.pid))
                #expect(limits.count == 2 && limits[0] == limits[1] && limits[0] > 256, "\(limits)")
                let port = server.port
                try await offPool {
                    let visitors = try Visitors(port: port, 600)
                    visitors.ask(0..<600) { _ in WireRequest("GET", "/healthz") }
                    try visitors.receive(untilServed: 600)
                }
            }
        }
    }
}
