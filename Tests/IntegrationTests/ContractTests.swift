import Foundation
import Testing

/// `openapi.yaml` and the running server, compared by programs of others that know nothing but that file.
@Suite("The contract, checked by machine")
struct ContractTests {
    private static let description = Places.path("openapi.yaml")

    @Test("openapi.yaml is an OpenAPI document")
    func isValid() async throws {
        try await run("openapi-spec-validator", [Self.description])
    }

    @Test("schemathesis finds nothing", arguments: [[], ["--create-unknown-news"]])
    func isKept(flags: [String]) async throws {
        try await withServer(.memory, flags) { server in
            // What the examples in openapi.yaml speak of, and more than fits one page.
            try await server.api.make("9", "35", "https://a.example/b?c=1", "✨")
            try await server.api.like("9", by: (1...30).map { "user \($0)" } + ["40310"])
            let settings = Places.path("Tests/Contract/schemathesis.toml")
            try await run(
                "schemathesis",
                ["--config-file", settings, "run", Self.description, "--url", server.address, "--no-color"])
        }
    }

    /// Runs a program to its end. When it finds something, what it says is the failure.
    private func run(_ program: String, _ arguments: [String]) async throws {
        try await Places.withFolder { folder in
            let environment = [
                "SCHEMATHESIS_HOOKS": Places.path("Tests/Contract/hooks.py"), "HYPOTHESIS_STORAGE_DIRECTORY": folder,
                "PYTHONDONTWRITEBYTECODE": "1",
            ]
            let child = try Child(Places.python(program), arguments, environment: environment)
            defer { child.send(SIGKILL) }
            let status = try await child.ended(.seconds(900))
            #expect(status == .exit(0), "\(program):\n\(child.output)")
        }
    }
}
