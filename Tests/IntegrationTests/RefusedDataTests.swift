import CSQLite
import Foundation
import Glibc
import Testing

/// Data that is damaged or foreign, and folders that cannot be used: one clear line, and the exit status that says which.
@Suite struct RefusedDataTests {
    /// A data folder with 3,001 events in it and no snapshot, whose server has ended.
    private func withData(_ body: (String) async throws -> Void) async throws {
        try await Places.withFolder { folder in
            try await withServer(.folder(folder)) { server in
                try await server.api.make("n")
                try await server.api.like("n", by: (1...3_000).map { "user \($0)" })
                #expect(try await server.stop() == .exit(0))
            }
            for snapshot in try Snapshots.names(folder) { Places.remove("\(folder)/\(snapshot)") }
            try await body(folder)
        }
    }

    /// Starts the server, which must not come up; its status and the only line that it printed.
    private func refusal(
        _ folder: String, by launcher: [String] = []
    ) async throws -> (status: Child.Status, line: String) {
        let command = launcher + [Places.binary, "serve", "--port", "0", "--data", folder]
        let child = try Child(command[0], Array(command.dropFirst()))
        defer { child.send(SIGKILL) }
        let status = try await child.ended()
        #expect(!child.output.contains("\n"), "\(child.output)")
        return (status, child.output)
    }

    private func bytes(_ folder: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder + "/journal.sqlite"))
    }

    private func write(_ bytes: Data, _ folder: String, to name: String = "journal.sqlite") throws {
        try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    /// Runs a statement on the database of a folder.
    private func execute(_ sql: String, _ folder: String) throws {
        var handle: OpaquePointer?
        defer { unsafe _ = sqlite3_close(handle) }
        guard unsafe sqlite3_open(folder + "/journal.sqlite", &handle) == SQLITE_OK,
            unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
        else { throw Failure("\(sql) fails") }
    }

    @Test func `Damaged pages, damaged rows, missing rows, cut and foreign files: status 74, with what and where`()
        async throws
    {
        try await withData { folder in
            let whole = try bytes(folder)
            let page = 4_096
            let text = try #require(whole.range(of: Data("user 1500".utf8))?.lowerBound)
            var leaf = whole
            leaf[text / page * page] ^= 0xFF
            var cell = whole
            cell[text] ^= 0x01
            var head = whole
            head.replaceSubrange(0..<100, with: Data(count: 100))
            let damages: [(Data, String)] = [
                (leaf, "the database is damaged after event 1[0-9]{3}: database disk image is malformed"),
                (cell, "event 1501 is damaged: its checksum is wrong"),
                (head, "the file is not a database: .*"),
                (whole.prefix(whole.count / 2), "the database is damaged.*: database disk image is malformed"),
                (Data(count: whole.count), "the file is not a database: .*"),
                (Data("a letter to my aunt, at some length".utf8), "the file is not a database: .*"),
            ]
            for (bytes, reason) in damages {
                try write(bytes, folder)
                let (status, line) = try await refusal(folder)
                #expect(status == .exit(74), "\(line)")
                let pattern = try Regex("likesd: the data cannot be used: " + reason)
                #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
            }
            let changes = [
                ("DELETE FROM events WHERE sequence = 1234", "event 1234 is missing"),
                ("DELETE FROM events WHERE sequence < 10", "the events 1 to 9 are gone, and no snapshot holds them"),
                (
                    "UPDATE events SET given_likes = 2 WHERE sequence = 1234",
                    "event 1234 is damaged: its checksum is wrong"
                ),
                ("PRAGMA user_version = 99", "the data is of version 99, and this program knows versions up to 4"),
                ("PRAGMA application_id = 7", "the file belongs to another program"),
            ]
            for (sql, reason) in changes {
                try write(whole, folder)
                try execute(sql, folder)
                let (status, line) = try await refusal(folder)
                #expect(status == .exit(74), "\(line)")
                #expect(line == "likesd: the data cannot be used: \(reason)")
            }
            // After all that, the file itself is as good as ever.
            try write(whole, folder)
            try await withServer(.folder(folder)) { try await expectOneTruth($0.api, "n", count: 3_000) }
        }
    }

    @Test func `A log whose end is torn gives all that was answered before, and takes more`() async throws {
        try await Places.withFolder { folder in
            try await withServer(.folder(folder)) { server in
                try await server.api.make("n")
                try await server.api.like("n", by: ["a", "b"])
                let log = folder + "/journal.sqlite-wal"
                let answered = try Data(contentsOf: URL(fileURLWithPath: log)).count
                try await server.api.like("n", by: (0..<500).map { "user \($0)" })
                try await server.kill()
                // As if the power had gone amid the write of the second batch: it was not answered then.
                #expect(unsafe truncate(log, off_t(answered + 5_000)) == 0)
                try await server.startAgain()
                try await expectOneTruth(server.api, "n", count: 2)
                try await server.api.like("n", by: ["c"])
                try await server.kill()
                try await server.startAgain()
                try await expectOneTruth(server.api, "n", count: 3)
            }
        }
    }

    // MARK: Folders

    /// What makes of a program that root starts one of nobody's; nil when this process may not, or cannot.
    private static let asNobody: [String]? = {
        let launcher = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        guard geteuid() == 0, let child = try? Child(launcher[0], launcher.dropFirst() + [Places.binary, "version"]),
            (try? child.waitForExit(.seconds())) == .exit(0)
        else { return nil }
        return launcher
    }()

    @Test func `A folder that cannot be made, or that is a file, is named with status 73`() async throws {
        try await Places.withFolder { folder in
            let file = try Places.write("", to: folder + "/file")
            for (path, line) in [
                (folder + "/not/there", "cannot make the folder \(folder)/not/there: No such file or directory"),
                (file, "cannot write to \(file)/lock: Not a directory"),
                (file + "/data", "cannot make the folder \(file)/data: Not a directory"),
            ] {
                let refusal = try await refusal(path)
                #expect(refusal.status == .exit(73))
                #expect(refusal.line == "likesd: " + line)
            }
        }
    }

    @Test(.enabled(if: asNobody != nil, "needs root, setpriv(1), and a binary that everybody may run"))
    func `A folder, a lock or a database without permission is named with status 73`() async throws {
        let asNobody = try #require(Self.asNobody)
        try await Places.withFolder { folder in
            let open = folder + "/open"
            try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
            #expect(unsafe chown(open, 65_534, 65_534) == 0)
            _ = try Places.write("", to: open + "/lock")
            let refusals = [
                (folder, "cannot write to \(folder)/lock: Permission denied"),
                (folder + "/data", "cannot make the folder \(folder)/data: Permission denied"),
                (open, "cannot write to \(open)/lock: Permission denied"),
            ]
            for (path, line) in refusals {
                let refusal = try await refusal(path, by: asNobody)
                #expect(refusal.status == .exit(73))
                #expect(refusal.line == "likesd: " + line)
            }
            #expect(unsafe chown(open + "/lock", 65_534, 65_534) == 0)
            // The database of another user may be read, and nothing more.
            try await withServer(by: [], open) { server in
                try await server.api.make("n")
                #expect(try await server.stop() == .exit(0))
            }
            let refusal = try await refusal(open, by: asNobody)
            #expect(refusal.status == .exit(73))
            #expect(refusal.line.contains("\(open)/journal.sqlite"), "\(refusal.line)")
        }
    }
}
