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
        for method in Method.known {
            if unsafe strcmp(name, method.name) == 0 {
                self = method
                return
            }
        }
        self = unsafe .other(String(cString: name))
    }

    /// The methods with a case of their own, the most frequent first.
    private static let known: [Method] = [.get, .put, .delete, .post, .head, .options, .patch]
}
