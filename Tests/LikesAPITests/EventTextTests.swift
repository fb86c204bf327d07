import JSONText
import JournalSQLite
import TestSupport
import Testing

@testable import LikesAPI
@testable import LikesCore

@Suite("What a stream says of an event")
struct EventTextTests {
    private static let epoch = Epoch(text: "f3a9c27e51b04d68")
    private static let text = EventText(epoch: epoch)
    private static let noon = Timestamp(milliseconds: 1_796_040_000_123)

    private static func event(_ sequence: UInt64, _ change: LikeEvent.Change, _ operationID: String? = nil) -> LikeEvent
    {
        LikeEvent(sequence: sequence, at: noon, operationID: operationID.flatMap { OperationID($0) }, change: change)
    }

    private static func like(_ news: String, _ user: String, firstTime: Bool = true) -> LikeChange {
        LikeChange(
            news: NewsID(trusted: news), user: UserID(trusted: user), likesCount: 10_836, numberOfGivenLikes: 4,
            firstTime: firstTime)
    }

    private static func said(_ event: LikeEvent) -> String {
        var bytes: [UInt8] = []
        text.append(event, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let full = News(
        id: NewsID(trusted: "35"), title: "Internet \"Explorer\"\n4", author: UserID(trusted: "ie-team"),
        url: "https://a.example/ie", publishedAt: Timestamp(milliseconds: 0), baseLikes: 12,
        properties: [.init(key: "a\tb", value: "é"), .init(key: "z", value: "")])
    private static let bare = News(id: NewsID(trusted: "✨"), title: "Spark")

    static let exact: [(event: LikeEvent, text: String)] = [
        (
            event(98_939, .likeAdded(like("9", "40310")), "tap-7"),
            """
            id: f3a9c27e51b04d68.98939
            event: likeAdded
            data: {"news":"9","user":"40310","likesCount":10836,"numberOfGivenLikes":4,"at":"2026-11-30T12:00:00.123Z",\
            "sequence":98939,"firstTime":true,"operationId":"tap-7"}
            """
        ),
        (
            event(1, .likeAdded(like("9", "40310", firstTime: false))),
            """
            id: f3a9c27e51b04d68.1
            event: likeAdded
            data: {"news":"9","user":"40310","likesCount":10836,"numberOfGivenLikes":4,"at":"2026-11-30T12:00:00.123Z",\
            "sequence":1,"firstTime":false}
            """
        ),
        (
            event(.max, .likeRemoved(like("9", "40310", firstTime: false)), "\"\\"),
            """
            id: f3a9c27e51b04d68.18446744073709551615
            event: likeRemoved
            data: {"news":"9","user":"40310","likesCount":10836,"numberOfGivenLikes":4,"at":"2026-11-30T12:00:00.123Z",\
            "sequence":18446744073709551615,"operationId":"\\"\\\\"}
            """
        ),
        (
            event(2, .newsAdded(NewsChange(news: bare, likesCount: 0)), "put"),
            """
            id: f3a9c27e51b04d68.2
            event: newsAdded
            data: {"id":"✨","title":"Spark","likesCount":0,"viewerLikes":null,"sequence":2,"operationId":"put"}
            """
        ),
        (
            event(3, .newsUpdated(NewsChange(news: full, likesCount: 13))),
            """
            id: f3a9c27e51b04d68.3
            event: newsUpdated
            data: {"id":"35","title":"Internet \\"Explorer\\"\\n4","author":"ie-team","url":"https://a.example/ie",\
            "publishedAt":"1970-01-01T00:00:00.000Z","baseLikes":12,"properties":{"a\\tb":"é","z":""},"likesCount":13,\
            "viewerLikes":null,"sequence":3}
            """
        ),
        // Of a journal that was begun before news had a count in it.
        (
            event(4, .newsUpdated(NewsChange(news: bare, likesCount: nil))),
            """
            id: f3a9c27e51b04d68.4
            event: newsUpdated
            data: {"id":"✨","title":"Spark","viewerLikes":null,"sequence":4}
            """
        ),
        (
            event(5, .newsRemoved(NewsID(trusted: "9")), "op"),
            """
            id: f3a9c27e51b04d68.5
            event: newsRemoved
            data: {"news":"9","sequence":5,"operationId":"op"}
            """
        ),
        (
            event(6, .newsMerged(NewsID(trusted: "35"), into: NewsID(trusted: "9"))),
            """
            id: f3a9c27e51b04d68.6
            event: newsRemoved
            data: {"news":"35","mergedInto":"9","sequence":6}
            """
        ),
        (
            event(7, .userRemoved(UserID(trusted: "40310")), "op"),
            """
            id: f3a9c27e51b04d68.7
            event: userRemoved
            data: {"user":"40310","sequence":7,"operationId":"op"}
            """
        ),
    ]

    @Test("each kind, to the byte", arguments: exact.indices)
    func eachKind(index: Int) {
        let (event, text) = Self.exact[index]
        #expect(Self.said(event) == text + "\n\n")
    }

    @Test("steps that tell a client nothing have no text")
    func silentSteps() {
        let (old, target) = (NewsID(trusted: "old"), NewsID(trusted: "new"))
        let changes: [LikeEvent.Change] = [
            .newsRemovalStarted(old), .newsMergeStarted(old, into: target), .likeRedated(Self.like("new", "u")),
        ]
        for change in changes { #expect(Self.said(Self.event(1, change)).isEmpty) }
    }

    @Test("what is no event: a place, a reset, the time to come back after, the sign of life")
    func otherBlocks() {
        var bytes: [UInt8] = []
        Self.text.appendPlace(98_939, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "id: f3a9c27e51b04d68.98939\n\n")
        bytes = []
        Self.text.appendReset(0, to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "id: f3a9c27e51b04d68.0\nevent: reset\ndata: {\"sequence\":0}\n\n")
        #expect(EventText.retry == Array("retry: 2000\n\n".utf8))
        #expect(EventText.heartbeat == Array(":\n\n".utf8))
    }

    @Test("a news is shown as the feed shows it")
    func asInTheFeed() throws {
        let state = LikesState()
        for (number, news) in [Self.bare, Self.full].enumerated() {
            let change = NewsChange(news: news, likesCount: news.baseLikes)
            let event = Self.event(UInt64(number + 1), .newsAdded(change))
            try state.fold(event)
            let handle = try #require(state.catalog.find(news.id))
            let entry = NewsEntry(
                stored: state.catalog[handle], likesCount: state.feed.likesCount(handle), viewerLikes: nil)
            var json = JSONWriter()
            json.object {
                $0.members(of: entry)
                $0.member("sequence", event.sequence)
            }
            #expect(Self.said(event).hasSuffix("\ndata: \(String(decoding: json.bytes, as: UTF8.self))\n\n"))
        }
    }

    /// Texts that would end a line, a string or an event, if they could.
    static let hostile = [
        "\"", "\\", "\\n", "\"}\\u000a", "a\u{2028}b\u{2029}c", "data: x", "id: 0", ": ", "✨🧑🏽‍🚀", "caf\u{E9}",
        "cafe\u{301}", "\u{FEFF}\u{FFFD}", " ", "{}",
    ]

    @Test("whatever is in an id, each line is one, and the id comes back byte for byte", arguments: hostile)
    func ids(text: String) throws {
        let (news, user) = (try NewsID(text), try UserID(text))
        let block = try Block(Self.said(Self.event(77, .likeAdded(Self.like(text, text)))))
        #expect(block.event == "likeAdded")
        #expect(Token(block.id) == Token(epoch: Self.epoch, sequence: 77))
        #expect(try block.text("news").utf8.elementsEqual(news.text.utf8))
        #expect(try block.text("user").utf8.elementsEqual(user.text.utf8))

        let merged = try Block(Self.said(Self.event(78, .newsMerged(news, into: news))))
        #expect(try merged.text("mergedInto").utf8.elementsEqual(news.text.utf8))
    }

    @Test(
        "whatever is in a title, each line is one",
        arguments: hostile + ["\n\nid: 0\n\n", "\r\n", "\r", "\u{0}\u{1F}\u{7F}", "\n"])
    func titles(text: String) throws {
        let news = News(id: NewsID(trusted: "n"), title: text, url: text, properties: [.init(key: "k", value: text)])
        let block = try Block(Self.said(Self.event(1, .newsAdded(NewsChange(news: news, likesCount: 0)))))
        for member in ["title", "url"] { #expect(try block.text(member).utf8.elementsEqual(text.utf8)) }
    }

    @Test("an event that is read from the disk says, byte for byte, what it said when it happened")
    func replayed() throws {
        let folder = try TemporaryFolder()
        let texts = Self.hostile + ["a", "b"]
        var changes = Self.exact.map(\.event.change)
        changes += texts.map { .likeAdded(Self.like($0, $0)) }
        changes += texts.map { text in
            let properties = texts.sorted().map { News.Property(key: $0, value: text) }
            let news = News(
                id: NewsID(trusted: text), title: text + "\n", author: UserID(trusted: text), url: text,
                properties: properties)
            return .newsUpdated(NewsChange(news: news, likesCount: 1))
        }
        let events = changes.enumerated().map { number, change in
            Self.event(UInt64(number + 1), change, number % 2 == 0 ? "op-\(number)" : nil)
        }
        try SQLiteJournal(folder: folder.path).append(events)
        var replayed: [LikeEvent] = []
        try SQLiteJournal(folder: folder.path).replay(after: 0) { replayed.append($0) }
        #expect(replayed.count == events.count)
        for (event, again) in zip(events, replayed) {
            #expect(Self.said(event).utf8.elementsEqual(Self.said(again).utf8))
        }
    }
}

/// An event as a client reads it: lines end with any of CR, LF and both, an empty one ends the event.
private struct Block {
    let id: String
    let event: String
    private let data: JSONDocument

    struct Unreadable: Error {
        let text: String
    }

    init(_ text: String) throws {
        var lines: [String] = [""]
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            if scalar == "\r", scalars.first == "\n" { scalars.removeFirst() }
            if scalar == "\r" || scalar == "\n" {
                lines.append("")
            } else {
                lines[lines.count - 1].unicodeScalars.append(scalar)
            }
        }
        guard lines.count == 5, lines[3].isEmpty, lines[4].isEmpty, lines[0].hasPrefix("id: "),
            lines[1].hasPrefix("event: "), lines[2].hasPrefix("data: ")
        else { throw Unreadable(text: text) }
        id = String(lines[0].dropFirst(4))
        event = String(lines[1].dropFirst(7))
        data = try JSONDocument(Array(lines[2].utf8.dropFirst(6)))
    }

    /// The string in a member of the data.
    func text(_ member: String) throws -> String {
        try #require(data.root.members?.first { $0.key == member }?.value.string)
    }
}
