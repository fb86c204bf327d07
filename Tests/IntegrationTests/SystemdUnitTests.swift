import Foundation
import Testing

/// Where `systemd-analyze` is; nil where it is not.
private let analyzer = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

/// The unit for systemd, as far as `systemd-analyze` can tell without a systemd that runs.
@Suite(.enabled(if: analyzer != nil, "this machine has no systemd-analyze"))
struct SystemdUnitTests {
    /// What `systemd-analyze` says of the unit, with the binary under test in the place of the installed one.
    private func analyze(_ arguments: [String]) async throws -> (status: Child.Status, output: String) {
        let unit = String(decoding: try Places.contents("packaging/likesd.service"), as: UTF8.self)
        let installed = "ExecStart=/usr/local/bin/likesd serve"
        #expect(unit.contains(installed))
        return try await Places.withFolder { folder in
            let tried = unit.replacingOccurrences(of: installed, with: "ExecStart=\(Places.binary) serve")
            let path = try Places.write(tried, to: "\(folder)/likesd.service")
            let child = try Child(try #require(analyzer), arguments + [path])
            return (try await child.ended(), child.output)
        }
    }

    @Test func `Every line of it is one that systemd knows`() async throws {
        let said = try await analyze(["verify", "--man=no"])
        #expect(said.status == .exit(0))
        #expect(said.output.isEmpty, "\(said.output)")
    }

    @Test func `It gives the service little to attack with`() async throws {
        // In tenths; without any of it the exposure is 96.
        let said = try await analyze(["security", "--offline=true", "--no-pager", "--threshold=11"])
        #expect(said.status == .exit(0), "\(said.output)")
    }
}
