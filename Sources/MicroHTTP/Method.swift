internal import Glibc

/// The method of a request. Names are case-sensitive: `get` is not `GET`, it is `other("get")`.
package enum Method: Sendable, Equatable {
    case get, head, put, post, delete, options, patch
    case other(String)

    /// The name as it stands in the request line.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .put: "PUT"
        case .post: "POST"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .other(let name): name
        }
    }

    /// The method of a terminated name as it came. No string is made of those that are known.
    init(name: UnsafePointer<CChar>) {
        // Safety: both sides of each comparison are terminated.
        func isNamed(_ word: StaticString) -> Bool {
            unsafe strcmp(name, UnsafeRawPointer(word.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
        }
        switch true {
        case isNamed("GET"): self = .get
        case isNamed("PUT"): self = .put
        case isNamed("DELETE"): self = .delete
        case isNamed("POST"): self = .post
        case isNamed("HEAD"): self = .head
        case isNamed("OPTIONS"): self = .options
        case isNamed("PATCH"): self = .patch
        default: self = unsafe .other(String(cString: name))
        }
    }
}
