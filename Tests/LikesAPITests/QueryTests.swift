import LikesCore
import Testing

@testable import LikesAPI

@Suite("Queries")
struct QueryTests {
    private func query(_ text: String) throws -> Query { try Query(uri: Array("/x?\(text)".utf8)) }

    /// The problem that `body` ends in.
    private func problem(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let problem as Problem {
            return "\(problem.code.rawValue): \(problem.detail)"
        } catch {
            return "\(error)"
        }
    }

    @Test("the limit is a number from 1 to 1,000, 20 when absent")
    func limit() throws {
        #expect(try query("").limit() == 20)
        #expect(try query("limit=1").limit() == 1)
        #expect(try query("limit=1000").limit() == 1000)
        for bad in ["0", "-1", "abc", "1001", "", "+5", "1e2", "5%20", "99999999999999999999"] {
            let problem = problem { _ = try query("limit=\(bad)").limit() }
            #expect(problem?.hasPrefix("invalid_parameter: limit") == true, "limit=\(bad)")
        }
        #expect(problem { _ = try query("limit=1&limit=2").limit() }?.contains("once") == true)
    }

    @Test("a viewer is an id, decoded as forms encode it")
    func viewer() throws {
        #expect(try query("").viewer() == nil)
        #expect(try query("viewer=a+b%2Fc").viewer()?.text == "a b/c")
        #expect(problem { _ = try query("viewer=").viewer() }?.hasPrefix("invalid_id: viewer") == true)
        #expect(problem { _ = try query("viewer=%00").viewer() }?.hasPrefix("invalid_id: viewer") == true)
        #expect(problem { _ = try query("viewer=a&viewer=b").viewer() }?.contains("once") == true)
    }

    @Test("the orders of the feed, and the windows of top")
    func sort() throws {
        func sort(_ text: String) throws -> FeedSort { try query(text).sort(.standard) }
        #expect(try sort("") == .newest)
        #expect(try sort("sort=top") == .top)
        #expect(try sort("sort=top&window=all") == .topOfAllTime)
        #expect(try sort("sort=top&window=24h") == .topOf(.day))
        #expect(try sort("window=7d&sort=top") == .topOf(.week))
        #expect(try sort("sort=top&window=30d") == .topOf(.month))
        #expect(try sort("sort=trending") == .trending(.standard))
        #expect(problem { _ = try sort("sort=best") }?.hasPrefix("invalid_parameter: sort") == true)
        for text in ["window=all", "sort=trending&window=24h", "sort=top&window=1h", "sort=top&window="] {
            #expect(problem { _ = try sort(text) }?.hasPrefix("invalid_parameter: window") == true)
        }
    }

    @Test("bad percent-encoding is refused, and unknown parameters do not matter")
    func encoding() throws {
        #expect(problem { _ = try query("limit=%") }?.hasPrefix("invalid_parameter") == true)
        #expect(problem { _ = try query("%FF=1") }?.hasPrefix("invalid_parameter") == true)
        #expect(try query("&&utm=1&=&limit=7").limit() == 7)
    }

    @Test("ids of a parameter keep their order")
    func ids() throws {
        let ids: [NewsID] = try query("news=b&news=a&other=c").ids("news")
        #expect(ids.map(\.text) == ["b", "a"])
    }
}

@Suite("Cursors")
struct CursorTests {
    private let key = FeedKey(
        weight: .max, sortTime: Timestamp(milliseconds: 5), id: NewsID(trusted: "https://a.example/✨"))

    private func cursor(_ text: String, _ list: Cursor.List) throws -> Cursor? {
        try Query(uri: Array("/x?cursor=\(text)".utf8)).cursor(of: list)
    }

    @Test("what a list gives out it understands")
    func roundTrip() throws {
        for sort in [FeedSort.newest, .top, .topOfAllTime, .topOf(.day), .topOf(.month), .trending(.standard)] {
            let list = Cursor.List.feed(sort)
            #expect(try cursor(Cursor.feed(key).text(of: list), list) == .feed(key))
        }
        let likers = Cursor.List.likers(NewsID(trusted: "9"))
        for sequence: UInt64 in [0, 1, 255, .max] {
            #expect(try cursor(Cursor.likes(before: sequence).text(of: likers), likers) == .likes(before: sequence))
        }
    }

    @Test("a cursor of another list or order is refused")
    func otherLists() {
        let text = Cursor.likes(before: 7).text(of: .likers(NewsID(trusted: "9")))
        for list in [
            Cursor.List.likers(NewsID(trusted: "10")), .likes(by: UserID(trusted: "9")), .feed(.newest), .feed(.top),
        ] {
            #expect(throws: Problem.self) { try cursor(text, list) }
        }
        let top = Cursor.feed(key).text(of: .feed(.top))
        for sort in [FeedSort.newest, .topOf(.day), .topOf(.week), .topOf(.month), .trending(.standard)] {
            #expect(throws: Problem.self) { try cursor(top, .feed(sort)) }
        }
        let trending = Cursor.feed(key).text(of: .feed(.trending(.standard)))
        let other = Cursor.List.feed(.trending(HalfLife(milliseconds: 3_600_000)))
        #expect(throws: Problem.self) { try cursor(trending, other) }
    }

    @Test("all time is what top is anyway: their cursors are the same")
    func allTime() throws {
        let text = Cursor.feed(key).text(of: .feed(.topOfAllTime))
        #expect(try cursor(text, .feed(.top)) == .feed(key))
    }

    @Test("a cursor with any character changed is refused")
    func damage() {
        let list = Cursor.List.feed(.top)
        let text = Array(Cursor.feed(key).text(of: list).utf8)
        for position in text.indices {
            var damaged = text
            damaged[position] = damaged[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let damagedText = String(decoding: damaged, as: UTF8.self)
            #expect(throws: Problem.self, "position \(position)") { try cursor(damagedText, list) }
        }
    }

    @Test("garbage is refused", arguments: ["", "x", "AAAA", "%20", "====", "é", "AAAAAAAAAAAAAAAAAAAA"])
    func garbage(text: String) {
        #expect(throws: Problem.self) { try cursor(text, .feed(.newest)) }
        #expect(throws: Problem.self) { try cursor(text, .likers(NewsID(trusted: "9"))) }
    }
}

extension Identifier {
    /// An id that is known to be one.
    init(trusted text: String) {
        guard let id = try? Identifier(text) else { preconditionFailure("\(text) is no id") }
        self = id
    }
}
