internal import Glibc
internal import JSONText

/// A small HTTP/1.1 client for a likesd server: plain HTTP, one connection at a time, kept open between requests.
///
/// It reads answers with a `Content-Length` or in chunks, which ours all have. libcurl would do it too, but brings some twenty
/// libraries into the image for two commands.
final class HTTPClient {
    private let host: String
    private let port: String
    private let timeoutSeconds: Int
    private var connection: Int32?

    /// An answer.
    struct Answer {
        let status: Int
        let body: [UInt8]
    }

    /// - Throws: a stop with status 64 when the address is none of `http://host[:port]`.
    init(url: String, timeoutSeconds: Int) throws(Stop) {
        guard url.hasPrefix("http://") else { throw Stop(.usage, "--url: \"\(url)\" does not begin with http://") }
        let authority = url.dropFirst(7).prefix { $0 != "/" }
        let colon = authority.lastIndex(of: ":").flatMap { authority[$0...].contains("]") ? nil : $0 }
        let name = authority[..<(colon ?? authority.endIndex)]
        host = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : String(name)
        port = colon.map { String(authority[authority.index(after: $0)...]) } ?? "80"
        guard !host.isEmpty, UInt16(port) != nil, url.dropFirst(7 + authority.count).allSatisfy({ $0 == "/" }) else {
            throw Stop(.usage, "--url: \"\(url)\" is not an address like http://127.0.0.1:8080")
        }
        self.timeoutSeconds = timeoutSeconds
    }

    deinit { disconnect() }

    private func disconnect() {
        if let connection { close(connection) }
        connection = nil
    }

    /// Sends a request and reads the answer. The body of one in chunks is handed to `piece` as it comes, which returns
    /// false to end it; that of another answer is returned.
    func send(
        _ method: String, _ path: String, contentType: String? = nil, body: [UInt8] = [],
        piece: (ArraySlice<UInt8>) -> Bool = { _ in true }
    ) throws(HTTPClientError) -> Answer {
        let hostHeader = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(hostHeader)\r\n"
        if let contentType { head += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n" }
        let request = Array((head + "\r\n").utf8) + body
        do throws(HTTPClientError) {
            let connection = try connected()
            do throws(HTTPClientError) { try write(request, to: connection) } catch {
                // A server that takes no more of a body has said why, before it closed.
                defer { disconnect() }
                if let answer = try? readAnswer(from: connection, piece) { return answer }
                throw error
            }
            return try readAnswer(from: connection, piece)
        } catch {
            disconnect()
            throw error
        }
    }

    private func connected() throws(HTTPClientError) -> Int32 {
        if let connection { return connection }
        let new = try connect()
        connection = new
        return new
    }

    private func connect() throws(HTTPClientError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, port, &hints, &list) == 0 else {
            throw HTTPClientError(reason: "unknown host \(host)")
        }
        defer { unsafe freeaddrinfo(list) }
        var reason = "no address"
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            let descriptor = unsafe socket(entry.ai_family, entry.ai_socktype, entry.ai_protocol)
            var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                unsafe setsockopt(
                    descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
            }
            if unsafe Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return descriptor }
            reason = unsafe String(cString: strerror(errno))
            close(descriptor)
            unsafe next = unsafe entry.ai_next
        }
        throw HTTPClientError(reason: reason)
    }

    private func write(_ bytes: [UInt8], to connection: Int32) throws(HTTPClientError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    connection, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw HTTPClientError.system("sending") }
            sent += count
        }
    }

    private func readAnswer(
        from connection: Int32, _ piece: (ArraySlice<UInt8>) -> Bool
    ) throws(HTTPClientError) -> Answer {
        var bytes: [UInt8] = []
        var head: AnswerHead?
        while head == nil {
            bytes += try read(from: connection)
            head = try AnswerHead(bytes)
        }
        guard let head else { throw HTTPClientError(reason: "the answer is not HTTP") }
        bytes.removeFirst(head.length)
        defer { if head.closes { disconnect() } }
        if head.isChunked {
            var chunks = ChunkedBody()
            var isWanted = true
            while true {
                try chunks.take(bytes[...]) { isWanted = isWanted && piece($0) }
                guard isWanted else { throw HTTPClientError(reason: "the rest of the answer is not wanted") }
                if chunks.isComplete { break }
                bytes = try read(from: connection)
            }
            return Answer(status: head.status, body: [])
        }
        while bytes.count < head.bodyLength { bytes += try read(from: connection) }
        return Answer(status: head.status, body: Array(bytes.prefix(head.bodyLength)))
    }

    private func read(from connection: Int32) throws(HTTPClientError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(connection, &buffer, buffer.count, 0)
        guard count >= 0 else { throw HTTPClientError.system("reading") }
        guard count > 0 else { throw HTTPClientError(reason: "the server closed the connection") }
        return Array(buffer[..<count])
    }
}

/// The head of an answer.
private struct AnswerHead {
    let status: Int
    /// Bytes up to the body.
    let length: Int
    var bodyLength = 0
    var isChunked = false
    var closes = false

    /// Nil when it is not there as a whole yet.
    init?(_ bytes: [UInt8]) throws(HTTPClientError) {
        let end = Array("\r\n\r\n".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        length = start + end.count
        let lines = String(decoding: bytes[..<start], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw HTTPClientError(reason: "the answer is not HTTP")
        }
        self.status = status
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].drop { $0 == " " }
            switch parts[0].lowercased() {
            case "content-length": bodyLength = Int(value) ?? 0
            case "transfer-encoding": isChunked = value.lowercased() == "chunked"
            case "connection": closes = value.lowercased() == "close"
            default: break
            }
        }
    }
}

extension HTTPClient.Answer {
    /// What a problem says of itself, in parentheses; empty for anything else.
    var explanation: String {
        guard let members = try? JSONDocument(body).root.members,
            let detail = members.first(where: { $0.key == "detail" })?.value.string
        else { return "" }
        return " (\(detail))"
    }
}

/// Why there is no answer.
struct HTTPClientError: Error {
    let reason: String

    static func system(_ doing: String) -> HTTPClientError {
        if errno == EAGAIN || errno == EWOULDBLOCK { return HTTPClientError(reason: "\(doing) took too long") }
        return HTTPClientError(reason: unsafe "\(doing): \(String(cString: strerror(errno)))")
    }
}
