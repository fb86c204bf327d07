import Foundation
import Testing

/// What checks the streams of the other tests, given streams with faults: each has to be found.
@Suite struct StreamCheckerTests {
    private static let epoch = "0123456789abcdef"

    private static func block(_ sequence: Int64, _ kind: String, _ data: String, epoch: String = epoch) -> StreamBlock {
        let text = "id: \(epoch).\(sequence)\nevent: \(kind)\ndata: {\(data),\"sequence\":\(sequence)}"
        return StreamBlock(bytes: Data(text.utf8))
    }

    private static func news(_ sequence: Int64, _ id: String, _ count: Int, base: Int = 0) -> StreamBlock {
        let baseLikes = base > 0 ? #""baseLikes":\#(base),"# : ""
        return block(
            sequence, count == base ? "newsAdded" : "newsUpdated",
            #""id":"\#(id)","title":"t",\#(baseLikes)"likesCount":\#(count),"viewerLikes":null"#)
    }

    private static func like(
        _ sequence: Int64, _ id: String, _ user: String, _ count: Int, given: Int, first: Bool? = true
    ) -> StreamBlock {
        block(
            sequence, first == nil ? "likeRemoved" : "likeAdded",
            #""news":"\#(id)","user":"\#(user)","likesCount":\#(count),"numberOfGivenLikes":\#(given),"at":"t""#
                + (first.map { #","firstTime":\#($0)"# } ?? ""))
    }

    private static func removal(_ sequence: Int64, _ id: String) -> StreamBlock {
        block(sequence, "newsRemoved", #""news":"\#(id)""#)
    }

    /// Two news, likes, an unlike, a like again, and the end of one of the news.
    private static let sound = [
        news(1, "n", 0), news(2, "m", 3, base: 3), like(3, "n", "u", 1, given: 1), like(4, "m", "u", 4, given: 2),
        like(5, "n", "v", 2, given: 1), like(6, "n", "u", 1, given: 1, first: nil),
        like(7, "n", "u", 2, given: 2, first: false), like(8, "m", "u", 3, given: 1, first: nil), removal(9, "m"),
    ]

    private func modelFaults(_ blocks: [StreamBlock]) throws -> [String] {
        var model = LiveModel()
        for block in blocks { model.take(try #require(try LiveEvent(block))) }
        return model.faults
    }

    private func replacing(_ index: Int, _ block: StreamBlock) -> [StreamBlock] {
        var blocks = Self.sound
        blocks[index] = block
        return blocks
    }

    @Test func `A sound stream has no faults`() throws {
        #expect(try modelFaults(Self.sound) == [])
    }

    @Test(arguments: [
        (2, like(3, "n", "u", 2, given: 1), "likesCount is not 1"),
        (3, like(4, "m", "u", 1, given: 2), "likesCount is not 4"),
        (3, like(4, "m", "u", 4, given: 1), "numberOfGivenLikes is not 2"),
        (4, like(5, "n", "u", 2, given: 2), "a like twice"),
        (4, like(3, "n", "v", 2, given: 1), "not in order"),
        (5, like(6, "m", "v", 3, given: 1, first: nil), "a like that is not there"),
        (6, like(7, "n", "u", 2, given: 2, first: true), "the first time again"),
        (4, like(5, "n", "v", 2, given: 1, first: false), "not the first time"),
        (7, like(8, "x", "u", 3, given: 1, first: nil), "no like of a news that is there"),
        (7, news(8, "m", 5, base: 3), "likesCount is not 4"), (8, removal(9, "n"), "likes without their likeRemoved"),
        (8, removal(9, "x"), "a news that is not there"),
        (8, block(9, "userRemoved", #""user":"u""#), "likes without their likeRemoved"),
        (8, block(9, "likeRedated", #""user":"u""#), "of no known kind"),
    ])
    func `A count, a repeat or a kind that cannot be is found`(index: Int, block: StreamBlock, fault: String) throws {
        let faults = try modelFaults(replacing(index, block))
        #expect(faults.contains { $0.hasPrefix(fault) }, "\(faults)")
    }

    @Test func `A gap in a stream is found, by the readers account and by the counts`() throws {
        let events = try Self.sound.compactMap { try LiveEvent($0) }
        for missing in 1...8 {
            var account = ReadersAccount(.all, after: 0)
            for event in events where event.sequence != missing { account.note(event.place, isEvent: true) }
            #expect(account.faults(in: events) == [": event \(missing) is missing"])
        }
        #expect(try modelFaults(Array(Self.sound[..<2] + Self.sound[3...])) != [])
    }

    @Test func `A repeat, and what goes back, is found`() throws {
        let events = try Self.sound.compactMap { try LiveEvent($0) }
        var account = ReadersAccount(.all, after: 0)
        for event in events + [events[8]] { account.note(event.place, isEvent: true) }
        #expect(account.faults(in: events) == ["\(Self.epoch).9 after 9: a repeat, or out of order"])
    }

    @Test func `A filter's readers have to see what concerns them, and nothing else`() throws {
        let merge = Self.block(9, "newsRemoved", #""news":"m","mergedInto":"n""#)
        let events = try (replacing(8, merge) + [Self.like(10, "n", "w", 3, given: 1)]).compactMap { try LiveEvent($0) }
        for (filter, seen, faults) in [
            (StreamFilter(news: ["m"]), [2, 4, 8, 9, 10], []),
            (StreamFilter(news: ["m"]), [2, 4, 8, 9], ["?news=m: event 10 is missing"]),
            (StreamFilter(users: ["v"]), [5], []),
            (StreamFilter(users: ["v"]), [5, 6], ["?user=v: event 6 is none of its own"]),
            (StreamFilter(news: ["m"], users: ["v"]), [2, 4, 5, 8, 9, 10], []),
            (StreamFilter(news: ["n"]), [1, 3, 5, 6, 7, 10], []),
            (StreamFilter(news: ["n"]), [1, 3, 5, 6, 7, 9, 10], ["?news=n: event 9 is none of its own"]),
        ] as [(StreamFilter, [Int64], [String])] {
            var account = ReadersAccount(filter, after: 0)
            for sequence in seen {
                account.note(StreamPlace(epoch: Self.epoch, sequence: sequence), isEvent: true)
            }
            account.note(StreamPlace(epoch: Self.epoch, sequence: 11), isEvent: false)
            #expect(account.faults(in: events) == faults)
        }
    }

    @Test func `Another epoch, and other bytes of the same event, are found`() {
        var chronicle = Chronicle(epoch: Self.epoch)
        let (one, other) = (Self.removal(9, "m"), Self.removal(9, "n"))
        let place = StreamPlace(epoch: Self.epoch, sequence: 9)
        chronicle.note(one, at: place)
        chronicle.note(one, at: place)
        #expect(chronicle.faults == [])
        chronicle.note(other, at: place)
        chronicle.note(one, at: StreamPlace(epoch: "fedcba9876543210", sequence: 9))
        #expect(chronicle.faults.map { String($0.prefix(10)) } == ["two events", "of another"])
    }

    @Test func `An answer without its event, and an event of a refused request, are found`() throws {
        let toggle = LiveWrite(kind: .toggle, operation: "a", request: WireRequest("PUT", "/v1/news/n/likes/u"))
        let text = #"{"news":"n","user":"u","liked":true,"changed":true,"likesCount":1,"sequence":3,"operationId":"a"}"#
        let done = Answer(status: 201, headers: ["content-type": "application/json"], body: Data(text.utf8))
        let refused = Answer(status: 404, headers: [:], body: Data())
        let named = Self.block(
            3, "likeAdded", #""news":"n","user":"u","likesCount":1,"numberOfGivenLikes":1,"operationId":"a""#)
        let event = try #require(try LiveEvent(named))
        for (answer, events, fault) in [
            (done, [event], nil), (refused, [], nil), (done, [], "not one event"),
            (done, [event, event], "not one event"),
            (refused, [event], "an event of a refused request"),
        ] as [(Answer, [LiveEvent], String?)] {
            var writes = LiveWrites()
            let exchange = WireExchange(request: toggle.request, answer: answer)
            writes.note(WireClient.Log(exchanges: [exchange], unanswered: nil), of: [toggle])
            let faults = writes.faults(in: events)
            #expect(faults.count == (fault == nil ? 0 : 1))
            if let fault { #expect(faults.first?.contains(fault) == true) }
        }
        #expect(LiveWrites().faults(in: [event]) == ["an event of an operation that nobody sent: a"])
    }

    @Test func `Blocks are cut out of bytes in any pieces`() {
        let text = "retry: 2000\n\n:\n\nid: \(Self.epoch).7\n\nid: \(Self.epoch).8\nevent: e\ndata: {}\n\nid: x"
        for size in 1...40 {
            var parser = StreamParser()
            var blocks: [StreamBlock] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                parser.append(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let block = parser.next() { blocks.append(block) }
            }
            #expect(blocks.map { $0.place?.sequence } == [nil, nil, 7, 8])
            #expect(blocks.map(\.isEvent) == [false, false, false, true])
            #expect(String(decoding: parser.unread, as: UTF8.self) == "id: x")
        }
    }
}
