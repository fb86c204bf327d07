import Foundation
import Glibc

/// Export and import by name.
extension API {
    static let lines = "application/x-ndjson"

    /// What the server exports.
    func export(_ query: String = "") async throws -> Answer {
        try await get("/v1/admin/export" + query).succeeded()
    }

    /// Imports lines.
    func importLines(_ text: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("POST", "/v1/admin/import", headers: headers, body: text, type: API.lines)
    }

    /// Imports what was exported; fails when something is refused.
    @discardableResult func importAll(_ export: Data) async throws -> JSON {
        let answer = try await importLines(String(decoding: export, as: UTF8.self)).succeeded()
        guard answer.json["refused"] == 0 else { throw Failure("refused: \(answer)") }
        return answer.json
    }
}

/// Runs the binary with its standard output in a file; what it wrote there, and said on standard error.
func likesdOutput(_ arguments: [String]) async throws -> (status: Child.Status, written: Data, said: String) {
    try await Places.withFolder { folder in
        let file = folder + "/out"
        let script = "file=$1; shift; exec \"$0\" \"$@\" > \"$file\""
        let child = try Child("/bin/sh", ["-c", script, Places.binary, file] + arguments)
        let status = try await child.ended()
        return (status, try Data(contentsOf: URL(fileURLWithPath: file)), child.output)
    }
}

/// What the binary writes on its standard output; fails when its exit status is not 0.
func exported(_ arguments: String...) async throws -> Data { try await exported(arguments) }

/// What the binary writes on its standard output; fails when its exit status is not 0.
func exported(_ arguments: [String]) async throws -> Data {
    let run = try await likesdOutput(["export"] + arguments)
    guard run.status == .exit(0) else { throw Failure("\(arguments): \(run.said)") }
    return run.written
}

extension [UInt8] {
    /// Whether these are the last bytes.
    func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

/// A connection that a test reads and writes byte by byte, or neglects. It blocks: use it in `offPool`.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter receiveBuffer: bytes that the system keeps until they are read.
    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        if var size = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
        }
        guard Loopback.connect(descriptor, port: port, overIPv6: false) == 0 else {
            throw Failure("no connection to port \(port): \(errno)")
        }
    }

    deinit { close(descriptor) }

    /// Writes all of it.
    func send(_ bytes: some Sequence<UInt8>) throws {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure("cannot send: \(errno)") }
            sent += count
        }
    }

    /// Reads until the end of the connection or, when it is given, until `enough` says so.
    @discardableResult func receive(until enough: ([UInt8]) -> Bool = { _ in false }) throws -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !enough(all) {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Failure("cannot receive: \(errno)") }
            if count == 0 { break }
            all += buffer[..<count]
        }
        return all
    }

    /// Closes the connection for both sides, at once.
    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A server's state in which there is something of everything that an export has to carry.
enum RichState {
    static let oddNews = "https://a.example/b?c=1"
    static let oddUser = "u/1?x=y&z=%41 +ü"

    static func make(_ api: API) async throws {
        let title = "\"quoted\" \\ back\u{1}\u{1F}\n\t\u{7F} ✨ e\u{301} \u{2028}"
        try await api.make("again", "gone", "old", "older")
        try await api.putNews(
            oddNews,
            [
                "title": .string(title), "author": .string(oddUser), "url": "https://a.example/?q=\"x\"",
                "publishedAt": "2020-01-02T03:04:05.678+01:00", "baseLikes": 12,
                "properties": ["k\"ey\n": "v\u{2}al", "é": "✨", "empty": ""],
            ]
        ).succeeded()
        try await api.make("✨", "plain")
        try await api.like("again", by: ["u1", "u2"])
        try await api.like("older", by: ["u1", "u3", oddUser])
        try await api.like("old", by: ["u3", "u4"])
        try await api.like("plain", by: ["u4", "u5", "u1"])
        let old = [
            ("plain", "early", "1999-12-31T23:59:59.999Z"), (oddNews, oddUser, "2001-02-03T04:05:06Z"),
            (oddNews, "early", "1970-01-01T00:00:00Z"), ("✨", oddUser, "2024-02-29T12:00:00.5+02:00"),
        ]
        for (news, user, at) in old {
            let entry: JSON = ["op": "like", "news": .string(news), "user": .string(user), "at": .string(at)]
            try await api.post("/v1/likes", [entry]).succeeded()
        }
        // Taken back, taken back and given again, deleted with its likes, deleted and made again.
        try await api.unlike("plain", by: "u5").succeeded()
        try await api.unlike("plain", by: "u4").succeeded()
        try await api.like("plain", by: "u4").succeeded()
        try await api.like("gone", by: ["u1"])
        for id in ["gone", "again"] { try await api.delete(API.news(id)).succeeded() }
        try await api.make("again")
        try await api.like("again", by: ["u2"])
        try await api.post(API.path("v1", "news", "older", "merge"), ["into": "old"]).succeeded()
        try await api.post(API.path("v1", "news", "old", "merge"), ["into": .string(oddNews)]).succeeded()
    }

    /// What readers see of it, in order.
    static func shown(by api: API) async throws -> [JSON] {
        var shown: [JSON] = []
        for sort in ["newest", "top"] { shown.append(try await api.feed(sort: sort, limit: 100).json["news"]) }
        for news in [oddNews, "✨", "plain", "again"] {
            shown.append(try await api.get(API.likers(news)).succeeded().json["likes"])
        }
        for user in ["u1", "u3", "u4", "u5", "early", oddUser] {
            shown.append(try await api.get(API.likes(of: user)).succeeded().json["likes"])
            shown.append(try await api.profile(user).json["numberOfReceivedLikes"])
        }
        return shown
    }
}
