import Foundation

/// A request as it goes over the wire, byte for byte.
struct WireRequest: Sendable {
    let method: String
    let target: String
    let bytes: [UInt8]

    /// A well-formed request; `target` and `headers` go out as they are.
    init(
        _ method: String, _ target: String, host: String = "localhost", headers: [String: String] = [:],
        body: String? = nil, type: String = "application/json"
    ) {
        self.method = method
        self.target = target
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body {
            head += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        } else if method == "POST" || method == "PUT" {
            if headers["Content-Length"] == nil { head += "Content-Length: 0\r\n" }
        }
        bytes = Array((head + "\r\n" + (body ?? "")).utf8)
    }

    /// A request with something behind its end: a body that may be no text.
    init(_ request: WireRequest, appending body: [UInt8]) {
        method = request.method
        target = request.target
        bytes = request.bytes + body
    }
}

/// A request and what came back.
struct WireExchange: Sendable {
    let request: WireRequest
    let answer: Answer
}

/// The answers in a stream of bytes.
struct WireParser {
    private var bytes: [UInt8] = []

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// What belongs to no answer yet.
    var unread: [UInt8] { bytes }

    mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

    /// Whether there are bytes that belong to no answer yet.
    var isEmpty: Bool { bytes.isEmpty }

    /// The next answer, or nil when it has not come completely.
    mutating func next(to method: String) throws -> Answer? {
        while true {
            guard let end = headEnd() else { return nil }
            let (status, headers) = try WireParser.head(bytes[..<end])
            let start = end + 4
            let hasBody = method != "HEAD" && status != 204 && status != 304 && status >= 200
            let length = hasBody ? headers["content-length"].flatMap { Int($0) } : 0
            guard let length else { throw Failure("an answer without Content-Length: \(status) \(headers)") }
            guard bytes.count >= start + length else { return nil }
            let body = Data(bytes[start..<start + length])
            bytes.removeSubrange(..<(start + length))
            if status >= 200 { return Answer(status: status, headers: headers, body: body) }
        }
    }

    /// The head of an answer without an end, and its length; nil when it has not come completely.
    static func streamHead(_ bytes: [UInt8]) throws -> (StreamHead, length: Int)? {
        guard let end = WireParser(bytes).headEnd() else { return nil }
        let (status, headers) = try head(bytes[..<end])
        return (StreamHead(status: status, headers: headers), end + 4)
    }

    private func headEnd() -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...bytes.count - 4).first { index in
            bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10
        }
    }

    private static func head(_ bytes: ArraySlice<UInt8>) throws -> (Int, [String: String]) {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        let words = lines.isEmpty ? [] : lines.removeFirst().split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { throw Failure("no status line: \(words)") }
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Failure("not a header: \(line)") }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return (status, headers)
    }
}
