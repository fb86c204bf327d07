internal import CMicroHTTPD
internal import Glibc

/// The bytes of an answer with which the connection ends.
enum LastAnswer {
    /// - Returns: nil for a body that is a stream, which nobody would write out.
    static func bytes(_ response: Response, withBody: Bool) -> [UInt8]? {
        switch response.body {
        case .bytes(let body): head(response, fields: "Content-Length: \(body.count)\r\n") + (withBody ? body : [])
        case .stream: nil
        case .socket: withBody ? nil : head(response)
        }
    }

    /// The head of an answer.
    ///
    /// - Parameter fields: further lines of it.
    static func head(_ response: Response, fields: String = "") -> [UInt8] {
        // Safety: the library returns a literal, or nil for a number it does not know.
        let phrase = unsafe MHD_get_reason_phrase_for(UInt32(clamping: response.status))
        let words = unsafe phrase.map { unsafe String(cString: $0) } ?? ""
        var head = "HTTP/1.1 \(response.status) \(words)\r\nDate: \(date())\r\nConnection: close\r\n"
        for header in response.headers where !header.value.utf8.contains(where: { $0 == 10 || $0 == 13 }) {
            head += "\(header.name): \(header.value)\r\n"
        }
        return Array((head + fields + "\r\n").utf8)
    }

    /// The time as HTTP writes it; `strftime` speaks English as long as nobody calls `setlocale`.
    private static func date() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            // Safety: `strftime` writes at most 40 bytes, the end mark included.
            guard unsafe strftime(start, 40, "%a, %d %b %Y %H:%M:%S GMT", &parts) > 0 else { return "" }
            return unsafe String(cString: start)
        }
    }
}
