import JSONText
import LikesCore
import Testing

@testable import LikesAPI

@Suite("The lines of an import")
struct ImportLinesTests {
    private let now = Timestamp(milliseconds: 1_000_000_000_000)

    /// Reads a body in pieces of some size.
    private func read(_ body: [UInt8], pieces size: Int) -> ImportLines {
        var lines = ImportLines()
        for start in stride(from: 0, to: body.count, by: size) {
            lines.take(Array(body[start..<min(start + size, body.count)]), now)
        }
        lines.takeLastLine(now)
        return lines
    }

    private func like(_ user: String) -> String { "{\"op\":\"like\",\"news\":\"n\",\"user\":\"\(user)\"}" }

    @Test("wherever a body is cut, its lines are the same", arguments: 1...40)
    func cuts(size: Int) {
        let body = "\u{FEFF}\(like("a"))\r\n\r\n  \n\(like("é✨"))\nbad\n\(like("b")) \r\n\(like("last"))"
        var lines = read(Array(body.utf8), pieces: size)
        let batch = lines.takeBatch()
        #expect(batch.records.map(\.line) == [1, 4, 6, 7])
        #expect(batch.refusals.map(\.line) == [5])
        #expect(batch.lastLine == 7)
        #expect(lines.takeBatch().records.isEmpty)
    }

    @Test("a byte order mark is one at the start only")
    func byteOrderMark() {
        var lines = read(Array("\(like("a"))\n\u{FEFF}\(like("b"))\n".utf8), pieces: 100)
        #expect(lines.takeBatch().refusals.map(\.line) == [2])
    }

    @Test("a line may be as long as the limit, whether its end is there or not", arguments: [[UInt8](), [10]])
    func longest(end: [UInt8]) {
        let longest = [UInt8](repeating: 0x78, count: APILimits.importLine)
        for size in [16 << 10, 300 << 10] {
            var lines = read(longest + end, pieces: size)
            #expect(!lines.isTooLong && lines.takeBatch().refusals.count == 1)
            lines = read(longest + [0x78] + end + Array(like("behind").utf8), pieces: size)
            #expect(lines.isTooLong && lines.isFull && lines.nextLine == 1)
            #expect(lines.takeBatch().records.isEmpty)
        }
    }

    @Test("a batch is full after so many lines, or so many bytes, of whatever kind")
    func full() {
        for line in [like("a"), "bad"] {
            let body = Array(String(repeating: line + "\n", count: APILimits.importBatch).utf8)
            #expect(read(body, pieces: 1000).isFull)
            #expect(!read(Array(body.dropLast(line.utf8.count + 1)), pieces: 1000).isFull)
        }
        let large = Array((String(repeating: " ", count: 200_000) + like("a") + "\n").utf8)
        let few = APILimits.importBatchBytes / large.count
        #expect(!read(Array((0..<few).map { _ in large }.joined()), pieces: 16 << 10).isFull)
        #expect(read(Array((0...few).map { _ in large }.joined()), pieces: 16 << 10).isFull)
    }

    @Test("what export writes of a news at its longest fits a line")
    func longestNews() {
        let escaped = { (count: Int) in String(repeating: "\u{1}", count: count) }
        let id = String(repeating: "\"", count: Limits.identifierBytes)
        let properties = (0..<Limits.properties).map {
            News.Property(key: "\($0)", value: escaped(Limits.propertiesBytes / Limits.properties - 2))
        }
        let news = News(
            id: NewsID(trusted: id), title: escaped(Limits.titleBytes), author: UserID(trusted: id),
            url: escaped(Limits.urlBytes), publishedAt: now, baseLikes: Limits.baseLikes, properties: properties)
        var json = JSONWriter()
        json.object { json in
            json.members(of: news)
            json.member("createdAt", now)
        }
        json.newline()
        #expect(json.bytes.count < APILimits.importLine / 2)
        var lines = read(json.bytes, pieces: 16 << 10)
        let batch = lines.takeBatch()
        guard case .news(let draft)? = batch.records.first?.record else {
            return #expect(Bool(false), "\(batch.refusals)")
        }
        #expect(draft.news.title == news.title && draft.news.properties.count == news.properties.count)
        #expect(draft.createdAt == now && draft.setsBaseLikes)
    }

    @Test("a filter becomes the query that asks for it")
    func filterQuery() throws {
        let filter = ExportFilter(
            news: [NewsID(trusted: "https://a.example/b?c=1"), NewsID(trusted: "✨")],
            users: [UserID(trusted: "a+b &%41")])
        #expect(filter.query == "?news=https%3A%2F%2Fa.example%2Fb%3Fc%3D1&news=%E2%9C%A8&user=a%2Bb%20%26%2541")
        let read = try Query(uri: Array("/v1/admin/export\(filter.query)".utf8)).exportFilter()
        #expect(read.news == filter.news && read.users == filter.users)
        #expect(ExportFilter().query.isEmpty)
    }
}
