import Glibc

/// A client that sends exactly the bytes it is told, over a blocking socket whose waits are bounded.
final class Client {
    let descriptor: Int32
    var buffer: [UInt8] = []
    /// Whether the peer has closed, or reset, the connection.
    private(set) var isClosed = false

    /// Whether the peer has reset it.
    private(set) var isReset = false

    /// Connects; nil if that is refused.
    ///
    /// - Parameter receiveBuffer: bytes that the kernel takes before the client reads; 0 for its own choice.
    init?(port: UInt16, ipv6: Bool = false, seconds: Int = 10, receiveBuffer: Int32 = 0) {
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var size = receiveBuffer
        if size > 0 { unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        var on: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        guard (ipv6 ? Client.connect6(descriptor, port) : Client.connect4(descriptor, port)) == 0 else { return nil }
    }

    deinit { close(descriptor) }

    private static func connect4(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func connect6(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        unsafe inet_pton(AF_INET6, "::1", &address.sin6_addr)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    /// Sends all bytes; false if the peer does not take them.
    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, 0x4000)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads one response; nil when the connection ends or time is up before it is whole.
    func response(toHead: Bool = false) -> Answer? {
        let mark = Array("\r\n\r\n".utf8)
        var end: Int?
        while true {
            end = buffer.indices.first { buffer[$0...].starts(with: mark) }
            if end != nil || !fill() { break }
        }
        guard let end else { return nil }
        var answer = Answer(head: String(decoding: buffer[..<end], as: UTF8.self))
        buffer.removeFirst(end + 4)
        if answer.status == 100 || toHead { return answer }
        let length = answer.header("content-length").flatMap { Int($0) } ?? 0
        while buffer.count < length { guard fill() else { return nil } }
        answer.body = String(decoding: buffer[..<length], as: UTF8.self)
        buffer.removeFirst(length)
        return answer
    }

    /// Sends a request and reads its response.
    func ask(_ text: String) -> Answer? {
        send(text)
        return response()
    }

    /// Whether the peer closes the connection without another byte.
    func endsHere() -> Bool {
        while !isClosed && buffer.isEmpty { if !fill() { break } }
        return isClosed && buffer.isEmpty
    }

    /// Whether the connection ended in the middle of a response.
    var hasHalfAnAnswer: Bool { !buffer.isEmpty }

    /// Reads some bytes; false at the end or when time is up.
    func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 && errno == ECONNRESET { isReset = true }
        if count == 0 || isReset { isClosed = true }
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }
}

/// A response as it came.
struct Answer {
    let head: String
    var body = ""

    init(head: String) { self.head = head }

    var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }

    /// The first value of a header field.
    func header(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name {
                return String(parts[1].drop { $0 == " " })
            }
        }
        return nil
    }

    var closes: Bool { header("connection")?.lowercased() == "close" }
}
