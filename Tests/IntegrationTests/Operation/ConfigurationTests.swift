import Foundation
import Testing

/// Flags and variables, from the one table that the program has of them.
@Suite("Configuration")
struct ConfigurationTests {
    @Test("the page of the documentation is what the program says")
    func page() async throws {
        let run = try await likesd("help", "markdown")
        #expect(run.status == .exit(0))
        let page = String(decoding: try Places.contents("Documentation/configuration.md"), as: UTF8.self)
        #expect(run.output + "\n" == page, "write it anew: likesd help markdown > Documentation/configuration.md")
    }

    @Test(
        "a wrong value is named, with its flag or variable, and with what is allowed",
        arguments: [
            ("port", "65536", "from 0 to 65535"), ("port", "tcp://10.0.0.1:8080", "from 0 to 65535"),
            ("port", "+80", "from 0 to 65535"), ("workers", "0", "from 1 to 256"),
            ("in-memory", "yes", "true or false"),
            ("stream-stall", "30", "from 1s to 1h"), ("stream-heartbeat", "2h", "from 1s to 1h"),
            ("trending-half-life", "1.5h", "from 1h to 365d"), ("log-format", "xml", "json or text"),
            ("cors-origin", "https://a.example/path", "scheme://host[:port]"),
            ("max-streams", "-1", "from 0 to 1000000"),
            ("host", "", "not empty"),
        ])
    func wrong(flag: String, value: String, allowed: String) async throws {
        let variable = "LIKESD_" + flag.uppercased().replacingOccurrences(of: "-", with: "_")
        for (arguments, environment, name) in [
            (["--\(flag)=\(value)"], [:], "--\(flag)"), ([], [variable: value], variable),
        ] {
            let child = try Child(Places.binary, ["serve"] + arguments, environment: environment)
            defer { child.send(SIGKILL) }
            #expect(try await child.ended() == .exit(64))
            #expect(child.output.hasPrefix("likesd: \(name): \"\(value)\" "), "\(child.output)")
            #expect(child.output.contains(allowed), "\(child.output)")
            #expect(child.output.split(separator: "\n").count == 1, "\(child.output)")
        }
    }

    @Test("the soft limit of open files is raised to the hard one, and said")
    func openFiles() async throws {
        let script = "ulimit -Sn 100 && ulimit -Hn 300 && exec \"$0\" serve --in-memory --port 0"
        let child = try Child("/bin/sh", ["-c", script, Places.binary])
        defer { child.send(SIGKILL) }
        let entry = try await offPool {
            try child.waitForLine { line in
                JSON(text: Data(line.utf8)).flatMap { $0["event"] == "configuration" ? $0 : nil }
            }
        }
        #expect(entry["openFiles"] == 300)
        let limits = try String(contentsOfFile: "/proc/\(child.pid)/limits", encoding: .utf8)
        #expect(limits.contains(#/Max open files +300 +300 /#))
    }
}
