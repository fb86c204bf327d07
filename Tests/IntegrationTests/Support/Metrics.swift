import Foundation

/// What `/metrics` says, as the parser of Prometheus' own client library reads it.
struct Metrics {
    private let samples: [String: Double]
    /// The type of each metric; a counter's name lacks its `_total`.
    let types: [String: String]

    /// Asks a server.
    init(_ server: Server) async throws {
        let reader = try Child(
            Places.python("python"), [Places.path("Tests/Metrics/read.py"), server.address + "/metrics"],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        defer { reader.send(SIGKILL) }
        let status = try await reader.ended()
        guard status == .exit(0) else { throw Failure("the metrics cannot be read: \(reader.output)") }
        struct Read: Decodable {
            let samples: [String: Double]
            let types: [String: String]
        }
        let read = try JSONDecoder().decode(Read.self, from: Data(reader.output.utf8))
        (samples, types) = (read.samples, read.types)
    }

    /// All names with their labels, in alphabetical order: `name{a=1,b=2}`.
    var names: Set<String> { Set(samples.keys) }

    /// A value; labels in alphabetical order.
    subscript(name: String) -> Double? { samples[name] }

    /// How often requests to a path were answered so; nil for never.
    func requests(_ method: String, _ route: String, _ status: Int) -> Double? {
        self["likesd_http_requests_total{method=\(method),route=\(route),status=\(status)}"]
    }
}
