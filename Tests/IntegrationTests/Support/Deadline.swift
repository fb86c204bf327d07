import Foundation

/// The moment after which waiting has failed. Machines are slow at times: deadlines are generous, and never awaited.
struct Deadline: Sendable {
    let date: Date

    /// A deadline from now on.
    static func seconds(_ seconds: Double = 60) -> Deadline { Deadline(date: Date(timeIntervalSinceNow: seconds)) }

    /// Whether it is too late.
    var passed: Bool { date.timeIntervalSinceNow <= 0 }

    /// How long `poll` may still wait.
    var milliseconds: Int32 { Int32(max(0, min(date.timeIntervalSinceNow * 1000, 1_000_000)).rounded(.up)) }
}

/// Does work that blocks on a thread of its own, so that the few threads of Swift's tasks stay free.
func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
    }
}

/// Why a test could not go on.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
