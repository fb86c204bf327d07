import Testing
import Threading

@testable import LikesCore

private struct Ping: Sendable {}

/// The faults that textbook versions of these patterns have, one test for each.
@Suite("The six textbook faults are not ours")
struct TextbookFaultTests {
    @Test("1. a loop that changes a copy of the array, so that the count never moves")
    func countMoves() throws {
        let bench = try Bench()
        for number in 0..<3 { try bench.put(.news(number)) }
        _ = try bench.submit(.likeAll("u", of: nil)).bulk
        // Feed, detail and profile all show the change that the loop over the news made.
        #expect(bench.feedCounts == ["n0": 1, "n1": 1, "n2": 1])
        #expect((0..<3).map { bench.likesCount(.news($0)) } == [1, 1, 1])
        #expect(bench.givenLikes("u") == 3)
        let page = bench.reader.feed(.top, viewer: "u", after: nil, limit: 5)
        #expect(page.entries.map(\.viewerLikes) == [true, true, true])
    }

    @Test("2. likes counted twice because nobody remembers who liked")
    func nobodyCountsTwice() throws {
        let journal = RecordingJournal()
        let bench = try Bench(journal: journal)
        try bench.put("n", baseLikes: 10)
        #expect(try (0..<5).map { _ in try bench.like("n", by: "u").changed } == [true, false, false, false, false])
        // A restart forgets nothing.
        let restarted = try Bench(journal: journal)
        #expect(try !restarted.like("n", by: "u").changed)
        #expect(restarted.likesCount("n") == 11)
        #expect(restarted.feedCounts == ["n": 11])
        #expect(restarted.givenLikes("u") == 1)
        #expect(try (0..<3).map { _ in try restarted.unlike("n", by: "u").likesCount } == [10, 10, 10])
        #expect(restarted.givenLikes("u") == 0)
    }

    @Test("3. a handler that is called after its observer died")
    func deadHearNothing() {
        let bus = EventBus()
        let calls = Locked(0)
        do {
            let observer = Heard()
            bus.subscribe(to: Ping.self, observer) { _, _ in calls.withLock { $0 += 1 } }
            bus.publish(Ping())
        }
        #expect(calls.withLock { $0 } == 1)
        bus.publish(Ping())
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("4. dead subscriptions that pile up, with and without anything being published")
    func deadDoNotPileUp() {
        let bus = EventBus()
        for _ in 0..<1_000 {
            bus.subscribe(to: Ping.self, Heard()) { _, _ in }
            #expect(bus.subscriptionCount(of: Ping.self) <= 1)
        }
        bus.publish(Ping())
        #expect(bus.subscriptionCount(of: Ping.self) == 0)
        let living = Heard()
        for _ in 0..<1_000 {
            bus.subscribe(to: Ping.self, Heard()) { _, _ in }
            bus.publish(Ping())
        }
        bus.subscribe(to: Ping.self, living) { _, _ in }
        #expect(bus.subscriptionCount(of: Ping.self) == 1)
    }

    @Test("5. a table without a lock: many threads read while the mediator writes")
    func tableHasALock() throws {
        let bench = try Bench(dustLimit: 64)
        for number in 0..<5 { try bench.put(.news(number), author: "author") }
        let isDone = Locked(false)
        let (reader, faults) = (bench.reader, Heard())
        let threads = (0..<4).map { thread in
            Thread {
                var position: UInt64 = 0
                repeat {
                    let fault = Self.read(reader, .news(thread), &position)
                    if let fault { faults.write(fault) }
                } while !isDone.withLock { $0 }
            }
        }
        for round in 0..<60 {
            let actions = (0..<25).map { number in
                let (news, user) = (NewsID.news(number % 5), UserID.user(number * 7 % 12))
                return (round + number) % 3 == 0 ? LikeCommand.Action.unlike(news, user) : .like(news, user)
            }
            let answers = try actions.map { try bench.submit($0) }
            if round % 20 == 19 { try bench.ask(.removeNews("n0")) }
            if round % 20 == 19 { try bench.put("n0") }
            for answer in answers { _ = try answer.result }
        }
        isDone.withLock { $0 = true }
        for thread in threads { thread.join() }
        #expect(faults.lines.isEmpty)
    }

    /// Reads everything once; says what does not fit together.
    private static func read(_ reader: LikesReader, _ news: NewsID, _ position: inout UInt64) -> String? {
        let page = reader.feed(.top, viewer: "u1", after: nil, limit: 10)
        if page.position < position { return "the position went back" }
        position = page.position
        let counts = page.entries.map(\.likesCount)
        if counts != counts.sorted(by: >) { return "the top list is not in order: \(counts)" }
        let detail = reader.detail(news, viewer: "u1")
        if let detail, detail.newestLikers.count != min(3, Int(detail.entry.likesCount)) {
            return "\(detail.entry.likesCount) likes, but \(detail.newestLikers.count) newest likers"
        }
        _ = reader.likers(news, before: nil, limit: 5)
        _ = reader.likes(by: "u1", before: nil, limit: 5)
        let given = reader.profile("u1").numberOfGivenLikes
        return (0...5).contains(given) ? nil : "\(given) given likes of 5 news"
    }

    @Test("6. a parent and a child that keep each other alive")
    func parentAndChild() throws {
        weak var parent: Coordinator?
        weak var child: Coordinator?
        do {
            let root = Coordinator("root")
            let part = root.add(Coordinator("part"))
            try root.start()
            (parent, child) = (root, part)
            root.stop()
        }
        #expect(parent == nil)
        #expect(child == nil)
        // The parent owns the child, not the other way round.
        let orphan: Coordinator
        do {
            let root = Coordinator("root")
            orphan = root.add(Coordinator("orphan"))
        }
        #expect(orphan.parent == nil)
    }
}
