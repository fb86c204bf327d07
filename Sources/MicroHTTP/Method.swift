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

    /// The method of a name as it came.
    package init(name: String) {
        switch name {
        case "GET": self = .get
        case "HEAD": self = .head
        case "PUT": self = .put
        case "POST": self = .post
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        case "PATCH": self = .patch
        default: self = .other(name)
        }
    }
}
