internal import Glibc

/// What the system says of this process, as the client libraries of Prometheus report it.
///
/// Source: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics, and proc(5).
package struct ProcessStatus: Sendable, Equatable {
    /// Bytes of memory that are resident.
    package let residentBytes: Int
    /// Bytes of addresses that are mapped.
    package let virtualBytes: Int
    /// Seconds of processor time, in the program and in the system.
    package let processorSeconds: Double
    /// When it began, in seconds since 1970.
    package let startSeconds: Double
    /// Descriptors that are open.
    package let openDescriptors: Int
    /// Descriptors that may be open.
    package let descriptorLimit: Int
    /// Threads that run.
    package let threads: Int

    /// The status of this moment; nil where there is no /proc.
    package static func now() -> ProcessStatus? {
        guard let status = read("/proc/self/stat"), let system = read("/proc/stat"), let descriptors = descriptors(),
            let boot = system.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let bootSeconds = Double(boot.dropFirst(6))
        else { return nil }
        return ProcessStatus(stat: status, bootSeconds: bootSeconds, openDescriptors: descriptors)
    }

    /// - Parameter stat: the text of /proc/self/stat. Its second field, the name in parentheses, may hold anything.
    private init?(stat: String, bootSeconds: Double, openDescriptors: Int) {
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        // Behind the name, the first field is the third of proc(5).
        let fields = stat[stat.index(after: nameEnd)...].split(separator: " ")
        func field(_ number: Int) -> Double? { number - 3 < fields.count ? Double(fields[number - 3]) : nil }
        let ticks = Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
        guard let user = field(14), let kernel = field(15), let threads = field(20), let start = field(22),
            let virtual = field(23), let pages = field(24)
        else { return nil }
        residentBytes = Int(pages) * max(sysconf(Int32(_SC_PAGESIZE)), 1)
        virtualBytes = Int(virtual)
        processorSeconds = (user + kernel) / ticks
        startSeconds = bootSeconds + start / ticks
        self.threads = Int(threads)
        self.openDescriptors = openDescriptors
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        descriptorLimit = Int(clamping: limit.rlim_cur)
    }

    /// The number of open descriptors: from Linux 6.2 on, the size of the folder that lists them.
    private static func descriptors() -> Int? {
        let path = "/proc/self/fd"
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        if status.st_size > 0 { return status.st_size }
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        // Less ".", ".." and the one that the count itself needs.
        var count = -3
        while unsafe readdir(folder) != nil { count += 1 }
        return count
    }

    private static func read(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? String(decoding: text, as: UTF8.self) : nil }
            text += buffer[..<count]
        }
    }
}
