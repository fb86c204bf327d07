internal import Glibc

/// Why a server cannot listen.
package enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another program, or another server in this one, listens there.
    case addressInUse(String)
    /// The machine has no such address.
    case addressUnavailable(String)
    /// The system does not allow it, as with ports below 1024.
    case notPermitted(String)
    /// The name does not stand for an address.
    case unknownHost(String)
    /// Another refusal of the system.
    case system(operation: String, code: Int32)

    /// The error of a system call about `place`.
    init(operation: String, place: String, code: Int32) {
        switch code {
        case EADDRINUSE: self = .addressInUse(place)
        case EADDRNOTAVAIL, EAFNOSUPPORT: self = .addressUnavailable(place)
        case EACCES, EPERM: self = .notPermitted(place)
        default: self = .system(operation: "\(operation) \(place)", code: code)
        }
    }

    /// A sentence for the person who started the server.
    package var description: String {
        switch self {
        case .addressInUse(let place): "\(place) is already in use"
        case .addressUnavailable(let place): "this machine has no address \(place)"
        case .notPermitted(let place): "not permitted to listen on \(place)"
        case .unknownHost(let host): "unknown host \(host)"
        case .system(let operation, let code): "\(operation) failed: \(unsafe String(cString: strerror(code)))"
        }
    }
}
