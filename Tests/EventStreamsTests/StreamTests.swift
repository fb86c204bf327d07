import MicroHTTP
import Testing

@testable import EventStreams
@testable import LikesCore

@Suite("A reader gets every event that it wants once, in order, from its place on")
struct StreamTests {
    @Test("what is new, with a place to come back to")
    func now() throws {
        let house = try House(likes(1...3))
        let reader = try house.reader(.now(3))
        house.tell(likes(4...5))
        house.tell(likes(6...6))
        #expect(reader.read(until: "[6]") == "head retry at3 [4][5][6]")
    }

    @Test("what happened before the reader came is new when its place is older")
    func beforeTheFirstReader() throws {
        let house = try House(likes(1...3))
        // Nobody listens: nothing is written, but it is kept.
        house.tell(likes(4...5))
        let reader = try house.reader(.after(3))
        house.tell(likes(6...6))
        #expect(reader.read(until: "[6]") == "head retry [4][5][6]")
        #expect(house.journal.reads == 0)
    }

    @Test("the journal first, in pages, then the ring, then live", arguments: [0, 1, 255, 256, 257, 999] as [UInt64])
    func replay(_ place: UInt64) throws {
        let house = try House(likes(1...1_000))
        let reader = try house.reader(.after(place))
        house.tell(likes(1_001...1_002))
        #expect(reader.read(until: "[1002]") == "head retry " + text(place + 1...1_002))
    }

    @Test("readers that come back to one place share the pages of the journal")
    func sharedPages() throws {
        let house = try House(likes(1...2_000))
        let readers = try (0..<50).map { _ in try house.reader(.after(0)) }
        for reader in readers { #expect(reader.read(until: "[2000]") == "head retry " + text(1...2_000)) }
        #expect(house.journal.reads < 50 * 2_000 / StreamLimits.pageEvents / 2)
    }

    @Test("an event that is durable and not folded yet is nobody's business")
    func notFolded() throws {
        let house = try House(likes(1...10))
        house.journal.append(likes(11...12))
        let reader = try house.reader(.after(5))
        let first = reader.read(until: "[10]")
        house.bus.publish(FoldedBatch(events: likes(11...12)))
        #expect(first + reader.read(until: "[12]") == "head retry " + text(6...12))
    }

    @Test("a place that is not kept any more is told so, and goes on with what is new")
    func gone() throws {
        let house = try House(likes(1...1_000))
        house.journal.dropEvents(through: 500)
        let reader = try house.reader(.after(499))
        #expect(reader.read(until: "reset1000 ") == "head retry reset1000 ")
        house.tell(likes(1_001...1_001))
        #expect(reader.read(until: "[1001]") == "[1001]")
        #expect(try house.reader(.after(500)).read(until: "[1001]") == "head retry " + text(501...1_001))
    }

    @Test("what the journal lets go of while it is read: a reset if it was still to come, else nothing")
    func droppedMeanwhile() throws {
        let last: UInt64 = 60_000
        for dropped in [10, last - 10] {
            let house = try House(likes(1...last))
            let reader = try house.reader(.after(0))
            // More than the kernel's buffers take: the reader is in the midst of it.
            #expect(becomesTrue { house.journal.reads > 20 })
            house.journal.dropEvents(through: dropped)
            let isWhole = dropped == 10
            let had = reader.read(until: isWhole ? "[\(last)]" : "reset\(last) ")
            if isWhole {
                #expect(had == "head retry " + text(1...last))
            } else {
                #expect(had.hasSuffix("]reset\(last) "))
                // A beginning, without a gap, and no event that was cut.
                let events = had.dropLast("reset\(last) ".utf8.count)
                let count = UInt64(events.count { $0 == "]" })
                #expect(count >= 20 * UInt64(StreamLimits.pageEvents) && count < dropped)
                #expect(events == "head retry " + text(1...count))
            }
            house.tell(likes(last + 1...last + 1))
            #expect(reader.read(until: "[\(last + 1)]") == "[\(last + 1)]")
        }
    }

    @Test("a place that means nothing is a reset at once")
    func reset() throws {
        let house = try House(likes(1...10))
        let reader = try house.reader(.reset(10))
        #expect(reader.read(until: "reset10 ") == "head retry reset10 ")
        house.tell(likes(11...11))
        #expect(reader.read(until: "[11]") == "[11]")
    }

    @Test("a journal that cannot be read just now ends the stream, one that is damaged there resets it")
    func unreadable() throws {
        let house = try House(likes(1...10))
        house.journal.fail(.unavailable("busy"))
        #expect(try house.reader(.after(1)).readToEnd() == "head retry ")
        house.journal.fail(.unusable("event 3 is damaged"))
        #expect(try house.reader(.after(1)).read(until: "reset10 ") == "head retry reset10 ")
    }

    @Test("filters: any of some news and users")
    func filters() throws {
        let house = try House()
        let reader = try house.reader(.now(0), EventFilter(news: [news("a"), news("b")], users: [user("x")]))
        house.tell([
            like(1, "u", of: "a"), like(2, "u", of: "c"), like(3, "x", of: "c"), like(4, "x", of: "a"),
            like(5, "a", of: "x"), like(6, "y", of: "b"),
        ])
        #expect(reader.read(until: "[6]") == "head retry at0 [1][3][4][6]")
    }

    @Test("the same filter finds the same in the journal")
    func filteredReplay() throws {
        let events = (1...2_000).map { like($0, of: $0.isMultiple(of: 777) ? "a" : "b") }
        let house = try House(events)
        let reader = try house.reader(.after(0), EventFilter(news: [news("a")], users: []))
        house.tell([like(2_001, of: "a")])
        #expect(reader.read(until: "[2001]") == "head retry [777][1554][2001]")
    }

    @Test("who follows a news follows it into another one", arguments: [false, true])
    func followedMerge(isReplayed: Bool) throws {
        let events = [
            like(1, of: "old"), like(2, of: "new"), merge(3, "old", into: "new"), like(4, of: "new"),
        ]
        let house = try House(isReplayed ? events : [])
        let reader = try house.reader(isReplayed ? .after(0) : .now(0), EventFilter(news: [news("old")], users: []))
        if !isReplayed { house.tell(events) }
        #expect(reader.read(until: "[4]") == (isReplayed ? "head retry [1][4]" : "head retry at0 [1][4]"))
        house.tell([like(5, of: "other"), like(6, of: "new")])
        #expect(reader.read(until: "[6]") == "[6]")
    }

    @Test("a merge in the middle of what is sent bit by bit changes nothing before it", arguments: [false, true])
    func mergeWithinLongText(isReplayed: Bool) throws {
        var events = [like(1, "old", of: "a"), like(2, "of b", of: "b")]
        // So long that it is sent in many turns, with the merge behind it in the same block.
        for sequence in UInt64(3)...102 {
            events.append(like(sequence, "u", of: sequence.isMultiple(of: 2) ? "a" : "b"))
        }
        events.append(
            LikeEvent(
                sequence: 103, at: Timestamp(milliseconds: 0), change: .newsMergeStarted(news("a"), into: news("b"))))
        events += [like(104, of: "b"), like(105, of: "c")]
        let house = try House(isReplayed ? events : [], format: LongFormat())
        let reader = try house.reader(isReplayed ? .after(0) : .now(0), EventFilter(news: [news("a")], users: []))
        if !isReplayed { house.tell(events) }
        var expected: [UInt8] = Array("head retry ".utf8)
        if !isReplayed { LongFormat().appendPlace(0, to: &expected) }
        for event in events
        where [1, 104].contains(event.sequence) || 4...102 ~= event.sequence && event.sequence.isMultiple(of: 2) {
            LongFormat().append(event, to: &expected)
        }
        #expect(reader.read(until: "[104]") == String(decoding: expected, as: UTF8.self))
    }

    @Test("events without text are passed over")
    func silent() throws {
        let house = try House()
        let reader = try house.reader(.now(0))
        house.tell([
            like(1),
            LikeEvent(sequence: 2, at: Timestamp(milliseconds: 0), change: .newsRemovalStarted(news("n"))), like(3),
        ])
        #expect(reader.read(until: "[3]") == "head retry at0 [1][3]")
    }

    @Test("more than the ring holds at once: everybody gets it all, out of the journal")
    func overflow() throws {
        let house = try House()
        let readers = try [EventFilter(), EventFilter(news: [news("n")], users: [])].map {
            try house.reader(.now(0), $0)
        }
        for reader in readers { #expect(reader.read(until: "at0 ") == "head retry at0 ") }
        for start in stride(from: 1, through: 60_001, by: 10_000) {
            house.tell(likes(UInt64(start)...UInt64(start + 9_999)))
        }
        for reader in readers { #expect(reader.read(until: "[70000]") == text(1...70_000)) }
    }

    @Test("a stop sends what is due, then ends, also in the middle of a round")
    func stop() throws {
        let house = try House(format: LongFormat())
        let readers = try (0..<400).map { _ in try house.reader(.now(0)) }
        for reader in readers { _ = reader.read(until: "at0 ") }
        let events = (0..<10).map { likes($0 * 4 + 1...$0 * 4 + 4) }
        for batch in events { house.tell(batch) }
        house.stop()
        var expected: [UInt8] = []
        for event in events.joined() { LongFormat().append(event, to: &expected) }
        for reader in readers { #expect(reader.readToEnd() == String(decoding: expected, as: UTF8.self)) }
    }
}

@Suite("A reader that is gone, or takes nothing, leaves nothing behind")
struct LostReaderTests {
    @Test("a reader that leaves gives its place back")
    func leaves() throws {
        let house = try House()
        var readers = try (0..<10).map { _ in try house.reader(.now(0)) }
        #expect(house.streams.places.taken == 10)
        readers.removeLast(9)
        #expect(becomesTrue { house.streams.places.taken == 1 })
        house.tell(likes(1...1))
        #expect(readers[0].read(until: "[1]") == "head retry at0 [1]")
    }

    @Test("one that takes nothing is ended, and holds nobody up", arguments: [true, false])
    func stalled(fallsOutOfRing: Bool) throws {
        var settings = EventStreams.Settings()
        settings.stallMilliseconds = fallsOutOfRing ? 3_600_000 : 200
        let house = try House([], settings)
        let stalled = try house.reader(.now(0))
        let reader = try house.reader(.now(0), EventFilter(news: [news("m")], users: []))
        // More than the kernel's buffers take; and for the first case, than the ring.
        var last: UInt64 = 0
        for _ in 0..<20 {
            house.tell(likes(last + 1...last + 4_000) + [like(last + 4_001, of: "m")])
            last += 4_001
            #expect(reader.read(until: "[\(last)]").hasSuffix("[\(last)]"))
        }
        #expect(becomesTrue { house.streams.places.taken == 1 })
        // What it had is a beginning of it all, cut off somewhere.
        let had = try #require(stalled.readToEnd())
        #expect(("head retry at0 " + text(1...last)).hasPrefix(had) && had.utf8.count > 1_000)
    }

    @Test("heartbeats, and a new place for whom nothing concerned for long")
    func heartbeats() throws {
        var settings = EventStreams.Settings()
        settings.heartbeatMilliseconds = 20
        let house = try House([], settings)
        let reader = try house.reader(.now(0), EventFilter(news: [news("m")], users: []))
        #expect(reader.read(until: "::").hasPrefix("head retry at0 :"))
        house.tell(likes(1...8_191))
        #expect(reader.read(until: "::").allSatisfy { $0 == ":" })
        house.tell([like(8_192)])
        let told = reader.read(until: "at8192 :")
        #expect(told.hasSuffix("at8192 :") && told.dropLast(8).allSatisfy { $0 == ":" })
        // Only once.
        house.tell([like(8_193, of: "m")])
        #expect(reader.read(until: "[8193]").allSatisfy { ":[8193]".contains($0) })
    }
}

@Suite("Places for readers")
struct StreamPlacesTests {
    private let here = ClientAddress(ipv4: 0x7F00_0001)
    private let there = ClientAddress(ipv4: 0x0A00_0001)

    @Test("one more than there are is refused, until one is given back")
    func limit() throws {
        let places = StreamPlaces(limit: 2, addressLimit: nil)
        var taken = [try places.take(here), try places.take(there)]
        #expect(throws: StreamPlaces.Refusal.full(limit: 2)) { try places.take(here) }
        taken.removeFirst()
        taken.append(try places.take(here))
        #expect(places.taken == 2)
    }

    @Test("of one address so many, however many are free")
    func perAddress() throws {
        let places = StreamPlaces(limit: 10, addressLimit: 1)
        let one = try places.take(here)
        #expect(throws: StreamPlaces.Refusal.fullForAddress(limit: 1)) { try places.take(here) }
        withExtendedLifetime((one, try places.take(there))) { #expect(places.taken == 2) }
    }

    @Test("the usual number per address does not hold for this machine")
    func loopback() throws {
        let places = StreamPlaces(limit: 5_000, addressLimit: nil)
        let ours = try (0..<2_000).map { _ in try places.take(here) }
        let theirs = try (0..<StreamLimits.readersPerAddress).map { _ in try places.take(there) }
        #expect(throws: StreamPlaces.Refusal.fullForAddress(limit: 1_000)) { try places.take(there) }
        withExtendedLifetime((ours, theirs)) {}
    }
}
