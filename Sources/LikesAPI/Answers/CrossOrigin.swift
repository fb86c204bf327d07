internal import MicroHTTP

/// What browsers are told so that web pages of other origins may call the API (CORS, as the Fetch standard has it).
///
/// Credentials are never allowed: there are none.
package struct CrossOrigin: Sendable {
    /// The origins that may; nil for all.
    private let allowed: Set<String>?

    /// Lets pages of these origins call; there is at least one.
    package init(_ origins: [Origin]) {
        allowed = origins.contains(.any) ? nil : Set(origins.map(\.text))
    }

    /// The headers of an answer that a page may read.
    private static let exposed =
        "Link, ETag, Likes-Sequence, Location, Retry-After, Allow, Operation-Id, Content-Disposition"

    /// The headers that a page may send beyond those that it may send anyway.
    private static let accepted = "Content-Type, If-None-Match, Operation-Id, Likes-Min-Sequence, Last-Event-ID"

    /// What the HTTP server adds to every answer.
    var amendment: @Sendable (inout Response, borrowing Request) -> Void {
        { response, request in amend(&response, request) }
    }

    /// Adds to an answer what the origin of its request calls for.
    private func amend(_ response: inout Response, _ request: borrowing Request) {
        let origin: String
        if let allowed {
            // Also of answers to those who may not, and to those who say no origin: a cache must not mix them up.
            response.headers.append(Header("Vary", "Origin"))
            guard let named = request.header("Origin"), allowed.contains(named) else { return }
            origin = named
        } else {
            origin = Origin.any.text
        }
        response.headers.append(Header("Access-Control-Allow-Origin", origin))
        guard isPreflight(request) else {
            response.headers.append(Header("Access-Control-Expose-Headers", Self.exposed))
            return
        }
        // A preflight that failed, of an unknown path say, remains what it is: the browser then makes no request.
        guard let methods = response.headers.first(where: { "\($0.name)" == "Allow" }) else { return }
        response.headers += [
            Header("Access-Control-Allow-Methods", methods.value),
            Header("Access-Control-Allow-Headers", Self.accepted),
            Header("Access-Control-Max-Age", "\(APILimits.preflightSeconds)"),
        ]
        if request.header("Access-Control-Request-Private-Network") == "true" {
            response.headers.append(Header("Access-Control-Allow-Private-Network", "true"))
        }
    }

    /// Whether a browser asks what it may ask.
    private func isPreflight(_ request: borrowing Request) -> Bool {
        request.method == .options && request.header("Origin") != nil
            && request.header("Access-Control-Request-Method") != nil
    }
}
