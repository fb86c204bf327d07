internal import Glibc

/// Reads a file line by line without holding it in memory.
final class LineReader {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var start = 0
    private var end = 0
    /// Bytes of a line: more than any record needs. A longer one ends the import.
    private static let longestLine = 16 << 20

    /// The number of the line that was read last, from 1.
    private(set) var lineNumber = 0

    /// - Throws: a stop with status 66 when the file cannot be opened.
    init(path: String) throws(Stop) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Stop(.noInput, unsafe "cannot read \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// The next line without its end; nil at the end of the file.
    func next() throws(Stop) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if start == end, try !fill() {
                if line.isEmpty { return nil }
                break
            }
            guard let newline = buffer[start..<end].firstIndex(of: UInt8(ascii: "\n")) else {
                line += buffer[start..<end]
                start = end
                guard line.count <= Self.longestLine else {
                    throw Stop(.badData, "line \(lineNumber + 1) has more than \(Self.longestLine) bytes")
                }
                continue
            }
            line += buffer[start..<newline]
            start = newline + 1
            break
        }
        lineNumber += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if lineNumber == 1, line.starts(with: byteOrderMark) { line.removeFirst(byteOrderMark.count) }
        return line
    }

    /// Reads on; false at the end of the file.
    private func fill() throws(Stop) -> Bool {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw Stop(.noInput, unsafe "cannot read: \(String(cString: strerror(errno)))") }
        start = 0
        end = count
        return count > 0
    }
}
