/// Why a snapshot does not serve.
package enum SnapshotError: Error, Equatable {
    /// It is damaged: the one before it may serve in its place.
    case damaged(String)
    /// The system does not let it be read just now: the same, but the file stays.
    case unreadable(String)
    /// It is of another journal or of a newer program: going on without it would not be what the operator wants.
    case refused(String)

    /// What to tell the operator.
    package var reason: String {
        switch self {
        case .damaged(let reason), .unreadable(let reason), .refused(let reason): reason
        }
    }
}
