import Foundation
import Glibc
import Logging
import Testing
import Threading

@Suite("The log")
struct LogTests {
    /// A log that writes into a file.
    private struct Written {
        let log: Log
        private let file: FileHandle
        private let path: String

        init(_ format: LogFormat, isForJournal: Bool = false) throws {
            path = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
            file = try #require(FileHandle(forWritingAtPath: path))
            log = makeLog(format, to: file.fileDescriptor, isForJournal: isForJournal)
        }

        /// All that was written.
        func lines() throws -> [String] {
            log.close()
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try FileManager.default.removeItem(atPath: path)
            return text.split(separator: "\n").map(String.init)
        }
    }

    private func sayAll(_ log: Log) {
        log.write(.warning, "event") { fields in
            fields.add("text", "a \"b\"\nc=d")
            fields.add("plain", "x")
            fields.add("number", -3)
            fields.add("truth", true)
            fields.add("list", ["a", "b"])
            fields.add("nothing", ifThere: nil)
        }
    }

    @Test("an entry is one object of JSON on one line")
    func json() throws {
        let written = try Written(.json)
        sayAll(written.log)
        #expect(
            try written.lines() == [
                #"{"time":"T0","level":"warning","event":"event","text":"a \"b\"\nc=d","plain":"x","number":-3,"#
                    + #""truth":true,"list":["a","b"]}"#
            ])
    }

    @Test("for people an entry is one line, too, whatever is in it")
    func text() throws {
        let written = try Written(.text)
        sayAll(written.log)
        #expect(try written.lines() == [#"T0 warning event text="a \"b\"\nc=d" plain=x number=-3 truth=true list=a,b"#])
    }

    @Test(
        "for the journal the level stands in front as a number, and the time is left to it",
        arguments: LogFormat.allCases)
    func journal(format: LogFormat) throws {
        let written = try Written(format, isForJournal: true)
        written.log.write(.error, "event")
        written.log.write(.info, "event")
        let lines = try written.lines()
        #expect(lines.map { $0.prefix(3) } == ["<3>", "<6>"])
        if format == .text { #expect(lines == ["<3>event", "<6>event"]) }
    }

    @Test(
        "for people, nothing goes out that breaks a line, moves a cursor or turns letters around",
        arguments: ["\u{9B}", "\u{7F}", "\u{202E}", "\u{2028}", "\u{1B}"])
    func invisible(text: String) throws {
        let written = try Written(.text)
        written.log.write(.info, "event") { $0.add("x", "a" + text + "b") }
        let value = text.unicodeScalars.first.map { String($0.value, radix: 16) } ?? ""
        #expect(try written.lines() == ["T0 info event x=\"a\\u{\(value)}b\""])
    }

    @Test("lines that cannot be written are counted")
    func full() throws {
        let device = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let log = makeLog(.text, to: device.fileDescriptor)
        for _ in 0..<5 { log.write(.info, "event") }
        log.close()
        #expect(log.leftOutLines == 5)
    }

    @Test("what is too long is cut")
    func long() throws {
        let written = try Written(.text)
        written.log.write(.info, "event") { $0.add("x", String(repeating: "y", count: 100_000)) }
        let line = try #require(try written.lines().first)
        #expect(line.hasSuffix("y…"))
        #expect(line.utf8.count < LogLimits.textBytes + 100)
    }

    @Test("of a flood some lines are written, and how many were not; other events are not affected")
    func flood() throws {
        let written = try Written(.text)
        for _ in 0..<1_000 { written.log.write(.warning, "flood") }
        written.log.write(.info, "other")
        let lines = try written.lines()
        #expect(lines.count { $0 == "T0 warning flood" } == LogLimits.linesPerEvent)
        #expect(lines.contains("T0 info other"))
        #expect(lines.last == "T0 warning log_left_out of=flood lines=\(1_000 - LogLimits.linesPerEvent)")
        #expect(written.log.leftOutLines == 1_000 - LogLimits.linesPerEvent)
    }

    @Test("each request has its line, but of those that were refused only some in a second")
    func requests() throws {
        let written = try Written(.text)
        let begun = ContinuousClock.now
        for _ in 0..<2_000 { written.log.writeRequest(isRefused: false) { $0.add("good", true) } }
        for _ in 0..<5_000 { written.log.writeRequest(isRefused: true) { $0.add("good", false) } }
        let seconds = Int(begun.duration(to: .now).components.seconds) + 2
        let lines = try written.lines()
        #expect(lines.count { $0.hasSuffix("good=true") } == 2_000)
        let refused = lines.count { $0.hasSuffix("good=false") }
        let leftOut = lines.compactMap { $0.split(separator: "of=request lines=").last.flatMap { Int($0) } }
        #expect(refused + leftOut.reduce(0, +) == 5_000)
        #expect(refused <= seconds * LogLimits.refusedRequestsPerSecond)
    }

    @Test("nobody waits for a log that nobody reads, and its end comes all the same")
    func stuck() throws {
        let pipe = Pipe()
        let log = makeLog(.text, to: pipe.fileHandleForWriting.fileDescriptor)
        let text = String(repeating: "y", count: 2_000)
        for _ in 0..<2_000 { log.writeRequest(isRefused: false) { $0.add("x", text) } }
        #expect(log.leftOutLines > 0)
        log.close()
        // What fitted into the pipe is there.
        #expect(try pipe.fileHandleForReading.read(upToCount: 1_000)?.count == 1_000)
    }
}

/// A log that writes.
private func makeLog(_ format: LogFormat, to descriptor: Int32, isForJournal: Bool = false) -> Log {
    let log = Log(format, to: descriptor, isForJournal: isForJournal, clock: Clock { 0 }, timeText: { "T\($0)" })
    #expect(log.start())
    return log
}
