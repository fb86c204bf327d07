import Foundation

/// A process as the kernel shows it.
struct ProcessView {
    let pid: pid_t

    /// How many files and connections it has open.
    var descriptors: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count }
    }

    /// Its resident memory, in bytes.
    var residentBytes: Int {
        get throws {
            let pages = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8).split(separator: " ")
            guard pages.count > 1, let resident = Int(pages[1]) else { throw Failure("not a line of statm: \(pages)") }
            return resident * Int(getpagesize())
        }
    }

    /// The time it has spent on a processor, in hundredths of a second.
    private var ticks: Int {
        get throws {
            let line = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            // The name of the program, in brackets, may have spaces.
            let fields = line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Int(fields[12]), let system = Int(fields[13]) else {
                throw Failure("not a line of stat: \(line)")
            }
            return user + system
        }
    }

    /// Whether it spends less than a tenth of a second on processors while half a second goes by.
    var rests: Bool {
        get throws {
            let (start, end) = (try ticks, Deadline.seconds(0.5))
            while !end.passed { sched_yield() }
            return try ticks - start < 10
        }
    }

    /// Looks until something is so.
    func waitUntil(_ what: String, _ deadline: Deadline, _ isSo: (ProcessView) throws -> Bool) throws {
        while try !isSo(self) {
            if deadline.passed { throw Failure("not yet: \(what)") }
            sched_yield()
        }
    }
}
