package import Logging
package import MicroHTTP

/// What the log says of requests: of each, if it is asked to; otherwise only of those that the server did not manage to answer.
package struct RequestLog: Sendable {
    private let log: Log
    private let logsAccess: Bool

    /// - Parameter logsAccess: whether there is a line for each request.
    package init(_ log: Log, logsAccess: Bool) {
        self.log = log
        self.logsAccess = logsAccess
    }

    /// Writes what is to be written of a request.
    ///
    /// - Parameter makeRequest: called only when there is something to write.
    package func observe(_ observation: Observation, _ makeRequest: () -> Request) {
        let isFailure = observation.status.map(Self.isFailure) ?? false
        guard isFailure || logsAccess else { return }
        let request = makeRequest()
        if isFailure { log.write(.warning, "request_failed") { Self.describe(observation, request, &$0) } }
        guard logsAccess else { return }
        log.writeRequest(isRefused: (observation.status ?? 400) >= 400) { fields in
            Self.describe(observation, request, &fields)
            fields.add("target", String(decoding: request.uri, as: UTF8.self))
            fields.add("client", ifThere: request.client?.text)
        }
    }

    /// Whether a status says that the server has failed: not what it does not do, which is the client's mistake.
    private static func isFailure(_ status: Int) -> Bool { status >= 500 && status != 501 && status != 505 }

    private static func describe(
        _ observation: Observation, _ request: borrowing Request, _ fields: inout LogFields
    ) {
        fields.add("method", request.method.name)
        fields.add("route", RouteTemplate(observation, request.uri)?.path ?? "other")
        if let status = observation.status { fields.add("status", status) } else { fields.add("aborted", true) }
        fields.add("microseconds", observation.microseconds)
        fields.add("operationId", ifThere: request.header("Operation-Id"))
    }
}
