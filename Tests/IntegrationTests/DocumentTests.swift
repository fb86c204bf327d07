import Foundation
import Testing

/// The documents, held against the project: each command is run against the real binary, and prints what is shown; each link
/// leads somewhere; log events, alerts and figures are those of the code, the rules and the measurements.
@Suite("The documents")
struct DocumentTests {
    @Test("what they say is so")
    func hold() async throws { try await run("Documents") }

    @Test("what is not so would be found")
    func findsFaults() async throws { try await run("Documents.trial") }

    private func run(_ module: String) async throws {
        let environment = [
            "LIKESD_BINARY": Places.binary, "PYTHONPATH": Places.path("Tests"), "PYTHONDONTWRITEBYTECODE": "1",
        ]
        // Any Python will do: nothing of PyPI is needed.
        let child = try Child("/usr/bin/env", ["python3", "-m", module], environment: environment)
        // What it has started ends with it.
        defer { child.send(SIGKILL) }
        let status = try await child.ended(.seconds(600))
        #expect(status == .exit(0), "\(child.output)")
    }
}
