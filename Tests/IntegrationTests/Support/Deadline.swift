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
///
/// It stays the work of the test's task: what is expected in it counts for the test.
func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withTaskExecutorPreference(OwnThread.executor) { try work() }
}

/// Runs each step of a task on a thread of its own.
private final class OwnThread: TaskExecutor {
    static let executor = OwnThread()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Why a test could not go on.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
