import Foundation
import Testing

/// The web page and the like button, used by a real browser as people use them. One subject after the other: each has a
/// browser and servers of its own, and other tests run beside them.
@Suite("The web page, in a real browser", .serialized)
struct BrowserTests {
    @Test("nothing is amiss", arguments: try Self.subjects())
    func holds(subject: String) async throws {
        let all = ProcessInfo.processInfo.environment
        try await Places.withFolder { folder in
            var environment = [
                "LIKESD_BINARY": Places.binary, "PYTHONPATH": Places.path("Tests"), "PYTHONDONTWRITEBYTECODE": "1",
                "TMPDIR": folder,
            ]
            for name in ["LIKESD_CHROMIUM", "LIKESD_SCREENS"] { environment[name] = all[name] }
            let child = try Child(Places.python("python"), ["-m", "Browser", subject], environment: environment)
            // What it has started ends with it.
            defer { child.send(SIGKILL) }
            let status = try await child.ended(.seconds(900))
            #expect(status == .exit(0), "\(subject):\n\(child.output)")
        }
    }

    /// A file of `Tests/Browser/subjects` each, so that none is forgotten.
    private static func subjects() throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: Places.path("Tests/Browser/subjects"))
        return files.filter { $0.hasSuffix(".py") && $0 != "__init__.py" }.map { String($0.dropLast(3)) }.sorted()
    }
}
