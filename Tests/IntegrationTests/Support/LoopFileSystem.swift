import Foundation
import Glibc
import Testing

/// A small ext4 file system in a file, which a test may fill, make read-only, or take the power from.
///
/// It is mounted in a mount namespace of its own, which a keeper process holds. When the test ends, or its process
/// dies, the keeper reads the end of its socket and ends too; the system then unmounts the file system and gives the
/// loop device back. So nothing of it is ever left on the machine but a file in the folder for temporary ones.
final class LoopFileSystem: Sendable {
    /// Where it is mounted, in the namespace.
    let mountPoint: String
    private let backing: String
    private let keeper: Child

    /// Why no such file systems can be had here; nil when they can.
    static let obstacle: String? = {
        if geteuid() != 0 { return "only root may mount file systems" }
        let script = """
            folder=$(mktemp -d) && trap 'umount "$folder/mount"; rm -rf "$folder"' EXIT && mkdir "$folder/mount" &&
            truncate -s 2M "$folder/file" && mkfs.ext4 -q "$folder/file" && mount -o loop "$folder/file" "$folder/mount"
            """
        guard let child = try? Child("/usr/bin/unshare", namespace + ["/bin/sh", "-c", script]),
            let status = try? child.waitForExit(.seconds())
        else { return "there is no unshare(1)" }
        return status == .exit(0) ? nil : "no loop-mounted file systems here: \(child.output)"
    }()

    private static let namespace = ["--mount", "--propagation", "private"]

    /// Makes a file system of so many megabytes in `folder` and mounts it.
    init(in folder: String, megabytes: Int) async throws {
        backing = folder + "/backing"
        mountPoint = folder + "/mount"
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
        let wait = "echo kept; exec cat <&1 >/dev/null"
        let keeper = try Child("/usr/bin/unshare", Self.namespace + ["/bin/sh", "-c", wait])
        self.keeper = keeper
        _ = try await offPool { try keeper.waitForLine { $0 == "kept" ? $0 : nil } }
        try await run("truncate -s \(megabytes)M '\(backing)' && mkfs.ext4 -q -m 0 '\(backing)'")
        try await mount()
    }

    /// Ends all that is mounted.
    func close() async throws {
        keeper.send(SIGKILL)
        _ = try await keeper.ended()
    }

    /// What goes before a command, so that it sees the file system.
    var launcher: [String] { ["/usr/bin/nsenter", "--mount=/proc/\(keeper.pid)/ns/mnt"] }

    /// The file system as this process sees it, from outside of the namespace.
    var root: String { "/proc/\(keeper.pid)/root\(mountPoint)" }

    /// Runs a script that sees the file system.
    func run(_ script: String) async throws {
        let command = launcher + ["/bin/sh", "-c", script]
        let child = try Child(command[0], Array(command.dropFirst()))
        guard try await child.ended() == .exit(0) else { throw Failure("\(script): \(child.output)") }
    }

    /// With direct I/O nothing of the loop device waits in memory: the backing file has what was written through, as a
    /// disk would, and nothing else. The file system's own clock is slowed down, which writes through every 5 s.
    private func mount() async throws {
        try await run(
            """
            mount -o loop,commit=300 '\(backing)' '\(mountPoint)' &&
            losetup --direct-io=on "$(losetup --noheadings --output NAME --associated '\(backing)')"
            """)
    }

    /// Takes the power: what was not written through is gone. Whoever had files open must have been killed.
    func losePower() async throws {
        // Unmounting writes through what there is, but into a file that is then forgotten.
        try await run("cp --sparse=always '\(backing)' '\(backing).kept' && umount '\(mountPoint)'")
        try await run("mv '\(backing).kept' '\(backing)'")
        try await mount()
    }

    /// From now on nothing can be written.
    func makeReadOnly() async throws { try await run("mount -o remount,ro '\(mountPoint)'") }
}

/// Makes a file system for a test, and ends it after the test.
func withLoopFileSystem<Result>(
    megabytes: Int, _ body: (LoopFileSystem) async throws -> Result
) async throws -> Result {
    try await Places.withFolder { folder in
        let fileSystem = try await LoopFileSystem(in: folder, megabytes: megabytes)
        do {
            let result = try await body(fileSystem)
            try await fileSystem.close()
            return result
        } catch {
            try await fileSystem.close()
            throw error
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that mount file systems.
    static var mounts: ConditionTrait {
        .enabled(if: LoopFileSystem.obstacle == nil, "\(LoopFileSystem.obstacle ?? "")")
    }
}
