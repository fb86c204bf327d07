import Testing
import Threading

@testable import LikesCore

@Suite("What is wrong is found, and set right where the likes say how")
struct DamageTests {
    private static func plant(_ damage: Damage, _ bench: Bench) throws {
        try bench.shared.write { state in damage.plant(state, try Damage.Handles(state)) }
    }

    private static func verify(_ auditor: Auditor, fix: Bool = false) throws -> VerificationReport {
        let answer = Monitor<Result<VerificationReport, Rejection>?>(nil)
        try auditor.verify(fix: fix) { result in
            answer.withLock { $0 = result }
            answer.signal()
        }
        guard answer.wait(until: { $0 != nil }, milliseconds: Patience.milliseconds),
            let result = answer.withLock({ $0 })
        else { throw Answer.Surprise() }
        return try result.get()
    }

    /// An auditor that only does what it is asked.
    private static func auditor(_ bench: Bench) -> Auditor {
        var pace = Auditor.Pace()
        pace.restMilliseconds = Patience.milliseconds
        let auditor = Auditor(bench.shared, mediator: bench.mediator, pace: pace)
        auditor.start()
        return auditor
    }

    // Reported of others: pixelfed#6940, gitea doctor
    @Test("what a verification finds", arguments: Damage.repairable + Damage.lasting)
    func found(damage: Damage) throws {
        let bench = try Damage.bench()
        let auditor = Self.auditor(bench)
        defer { auditor.stop() }
        #expect(try Self.verify(auditor).isClean)
        try Self.plant(damage, bench)
        for _ in 1...2 {
            let report = try Self.verify(auditor)
            #expect(report.drift == damage.drift && report.orphans == damage.orphans, "\(report.findings)")
            #expect(report.fixed == 0)
            if damage.drift > 0 {
                #expect(report.findings.contains { $0.place.contains(damage.place) }, "\(report.findings)")
            }
        }
        #expect(auditor.status.passes == 3 && auditor.status.drift == damage.drift)
    }

    @Test("what a pass in slices finds", arguments: Damage.repairable + Damage.lasting)
    func foundInSlices(damage: Damage) throws {
        let bench = try Damage.bench()
        try Self.plant(damage, bench)
        var place: Verifier.Place? = Verifier.Place()
        var tally = Tally()
        while let next = place {
            var verifier = Verifier(FrozenLikes(bench.shared).state)
            place = try verifier.advance(from: next, steps: 1)
            tally.add(verifier.tally)
        }
        #expect(tally.drift > 0 || damage.drift == 0)
        #expect(tally.orphans == damage.orphans)
    }

    @Test("a fix sets right what is a count or an order, without an event, and everything goes on")
    func fixed() throws {
        for damage in Damage.repairable {
            let bench = try Damage.bench()
            let auditor = Self.auditor(bench)
            defer { auditor.stop() }
            let events = bench.journal.events.count
            try Self.plant(damage, bench)
            let report = try Self.verify(auditor, fix: true)
            #expect(report.drift == damage.drift && report.fixed == damage.drift, "\(damage): \(report)")
            #expect(auditor.status.drift == 0)
            for fix in [true, false] {
                let again = try Self.verify(auditor, fix: fix)
                #expect(again.isClean && again.fixed == 0, "\(damage): \(again)")
            }
            #expect(bench.journal.events.count == events)
            try bench.like("n1", by: "new")
            try bench.unlike("n1", by: "u1")
            try bench.put("n1", author: "a2", baseLikes: 8)
            try bench.ask(.removeNews("n2"))
            #expect(try Self.verify(auditor).isClean, "\(damage)")
            #expect(bench.likesCount("n1") == 13)
            #expect(
                StateComparison(FrozenLikes(bench.shared).state, FrozenLikes(try replay(bench.journal)).state).isEqual)
        }
    }

    @Test("a fix leaves alone what it cannot know, and says so")
    func notFixed() throws {
        for damage in Damage.lasting {
            let bench = try Damage.bench()
            let auditor = Self.auditor(bench)
            defer { auditor.stop() }
            try Self.plant(damage, bench)
            let counts = bench.feedCounts
            for _ in 1...2 {
                let report = try Self.verify(auditor, fix: true)
                #expect(report.drift == damage.drift && report.fixed == 0, "\(damage): \(report)")
                #expect(report.orphans == damage.orphans)
            }
            #expect(bench.feedCounts == counts, "\(damage)")
        }
    }

    @Test("more wrong counts than are set right between two rounds, while likes come in")
    func many() throws {
        let bench = try Bench()
        let count = Limits.repairsPerRound * 2 + 10
        for number in 0..<count { try bench.put(.news(number), author: "a") }
        try bench.ask(.likeAll("u", of: nil))
        try bench.likeByMany("n0", count: count)
        bench.shared.write { state in
            for handle in 0..<UInt32(count) {
                state.feed.correct(handle, to: Int64(handle))
                state.profile.correct(handle + 2, to: 0)
            }
        }
        let auditor = Self.auditor(bench)
        defer { auditor.stop() }
        let report = try Self.verify(auditor, fix: true)
        #expect(report.drift > count && report.fixed == report.drift)
        #expect(report.findings.count == Limits.findings)
        #expect(try Self.verify(auditor).isClean)
    }

    @Test("a fix is refused when the mediator has stopped")
    func mediatorStopped() throws {
        let bench = try Damage.bench()
        let auditor = Self.auditor(bench)
        defer { auditor.stop() }
        try Self.plant(Damage.repairable[0], bench)
        bench.mediator.stop()
        #expect(throws: Rejection.shuttingDown) { try Self.verify(auditor, fix: true) }
        #expect(try Self.verify(auditor).drift == 1)
    }
}
