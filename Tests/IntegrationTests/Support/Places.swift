import Foundation

/// Where things are: the binary under test, the fixtures, and folders to write into.
enum Places {
    /// The project's folder.
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The binary: `LIKESD_BINARY`, or what `make build` yields.
    static let binary =
        ProcessInfo.processInfo.environment["LIKESD_BINARY"]
        ?? package.appendingPathComponent(".build/release/likesd").path

    /// The library that counts allocations: `LIKESD_MALLOCS`, or what `make test` yields.
    static let mallocs =
        ProcessInfo.processInfo.environment["LIKESD_MALLOCS"] ?? path(".build/bench/mallocs.so")

    /// A Python program that `make test` has installed.
    static func python(_ name: String) throws -> String {
        let program = path(".build/python/bin/\(name)")
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Failure("\(program) is missing: `make test` installs it from PyPI, and says so when it cannot")
        }
        return program
    }

    /// A file of the real data.
    static func msweb(_ name: String) -> String {
        package.appendingPathComponent("Tests/Fixtures/msweb/\(name)").path
    }

    /// The path of a file of the project.
    static func path(_ name: String) -> String { package.appendingPathComponent(name).path }

    /// What a file of the project contains.
    static func contents(_ name: String) throws -> Data { try Data(contentsOf: package.appendingPathComponent(name)) }

    /// Writes a file; its path.
    static func write(_ text: String, to path: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// An empty folder of one's own, to be removed by who asked for it.
    static func newFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("likesd-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    /// Removes a folder; that it is gone already is no error.
    static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    /// Does something with a folder that is removed afterwards.
    static func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = try newFolder()
        defer { remove(folder) }
        return try await body(folder)
    }
}
