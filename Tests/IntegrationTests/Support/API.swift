import Foundation
import FoundationNetworking

/// What the server answered.
struct Answer: Sendable, CustomStringConvertible {
    let status: Int
    /// Names in small letters.
    let headers: [String: String]
    let body: Data
    /// The body, when it is JSON, else `.absent`.
    let json: JSON

    init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
        json = headers["content-type"]?.contains("json") == true ? JSON(text: body) ?? .absent : .absent
    }

    var description: String { "\(status) \(headers)\n\(String(decoding: body.prefix(500), as: UTF8.self))" }

    /// The answer itself, when it says success: for the steps that lead to what is tested.
    @discardableResult func succeeded() throws -> Answer {
        guard (200..<300).contains(status) else { throw Failure("refused: \(self)") }
        return self
    }

    /// The position in the header Likes-Sequence.
    var position: Int64? { headers["likes-sequence"]?.split(separator: ".").last.flatMap { Int64($0) } }

    /// The epoch in the header Likes-Sequence.
    var epoch: String? { headers["likes-sequence"]?.split(separator: ".").first.map(String.init) }
}

/// A client of the service that knows HTTP, ids in paths and JSON, over URLSession.
struct API: Sendable {
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 60
        return URLSession(configuration: configuration)
    }()

    private let base: String

    init(_ url: URL) { base = "http://\(url.host ?? "127.0.0.1"):\(url.port ?? 80)" }

    /// Sends a request and waits for the answer; `target` goes out as it is.
    func send(
        _ method: String, _ target: String, headers: [String: String] = [:], body: String? = nil,
        type: String = "application/json"
    ) async throws -> Answer {
        guard let url = URL(string: base + target) else { throw Failure("not a URL: \(base + target)") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.httpBody = Data(body.utf8)
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await API.session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw Failure("no HTTP: \(method) \(target)") }
        var named: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            named[name.lowercased()] = value
        }
        return Answer(status: response.statusCode, headers: named, body: data)
    }

    func get(_ target: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", target, headers: headers)
    }

    func put(_ target: String, _ body: JSON? = nil, headers: [String: String] = [:]) async throws -> Answer {
        try await send("PUT", target, headers: headers, body: body?.text)
    }

    func post(_ target: String, _ body: JSON, headers: [String: String] = [:]) async throws -> Answer {
        try await send("POST", target, headers: headers, body: body.text)
    }

    func delete(_ target: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("DELETE", target, headers: headers)
    }

    /// A path of these segments, each percent-encoded: all but letters, digits and `-._~`.
    static func path(_ segments: String...) -> String {
        segments.map { "/" + encoded($0) }.joined()
    }

    /// A text as a part of a path or a query.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return encoded
    }

    /// A query of these parameters; those without a value are left out.
    static func query(_ parameters: KeyValuePairs<String, String?>) -> String {
        let given = parameters.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }
        return given.isEmpty ? "" : "?" + given.joined(separator: "&")
    }
}
