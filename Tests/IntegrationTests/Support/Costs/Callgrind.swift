import Foundation
import Glibc
import Synchronization

/// A server in `valgrind --tool=callgrind`, which counts every instruction that it executes.
///
/// It blocks: use it in `offPool`.
final class Callgrind: Sendable {
    /// The program that becomes the server.
    let launcher: [String]
    private let folder: String
    /// How many times it has written its counts.
    private let dumps = Mutex(0)

    /// Keeps its files in a folder.
    init(in folder: String) throws {
        self.folder = folder
        // The hash tables of Swift are then the same in every run.
        let environment = ["SWIFT_DETERMINISTIC_HASHING=1", "LIKESD_WORKERS=1"]
        let options = [
            "--tool=callgrind", "--callgrind-out-file=\(folder)/callgrind", "--vgdb-prefix=\(folder)/vgdb",
            "--compress-strings=no", "--compress-pos=no", "--dump-line=no", "--demangle=no",
        ]
        launcher = ["/usr/bin/env"] + environment + ["valgrind"] + options
        // Says early, and by itself, what is missing: the program, the tool, or the right to use it.
        let trial = try Callgrind.run(["valgrind", "--tool=none", "true"])
        guard trial.status == .exit(0) else {
            throw Failure("nothing counts instructions here; `make test` installs valgrind: \(trial.output)")
        }
    }

    /// What the functions of the binary executed while the work was done.
    func profile(of server: Server, during work: () throws -> Void) throws -> CallgrindProfile {
        try tell(server, "zero")
        try work()
        try tell(server, "dump")
        let number = dumps.withLock { dumps in
            dumps += 1
            return dumps
        }
        let text = try String(contentsOfFile: "\(folder)/callgrind.\(number)", encoding: .utf8)
        let binary = URL(fileURLWithPath: Places.binary).resolvingSymlinksInPath().path
        let profile = try CallgrindProfile(text, object: binary)
        guard profile.total > 0 else { throw Failure("callgrind has seen no instruction of \(binary)") }
        return profile
    }

    /// The names of functions as they are in the source; those of C, and all when nothing translates them, as they come.
    static func inWords(_ functions: [String]) throws -> [String] {
        let answer = try run(["swift", "demangle", "--compact", "--simplified"] + functions)
        let names = answer.output.split(separator: "\n").map(String.init)
        guard answer.status == .exit(0), names.count == functions.count else { return functions }
        return zip(functions, names).map { function, name in function.hasPrefix("$") ? name : function }
    }

    /// Has callgrind do something now, which it notices by ptrace also while all threads wait.
    private func tell(_ server: Server, _ command: String) throws {
        let vgdb = ["vgdb", "--vgdb-prefix=\(folder)/vgdb", "--pid=\(server.child.pid)", command]
        let answer = try Callgrind.run(vgdb)
        guard answer.status == .exit(0) else {
            throw Failure("valgrind's vgdb cannot tell callgrind to \(command); it needs ptrace: \(answer.output)")
        }
    }

    private static func run(_ command: [String]) throws -> (status: Child.Status, output: String) {
        let child = try Child("/usr/bin/env", command)
        do {
            let status = try child.waitForExit(.seconds(300))
            return (status, child.output)
        } catch {
            child.send(SIGKILL)
            throw error
        }
    }
}
