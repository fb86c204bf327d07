import Testing

@testable import Logging

@Suite("How many lines are written")
struct LimiterTests {
    @Test("an event has its lines in each window, and what was left out is told when the window ends")
    func windows() {
        var limiter = LogLimiter()
        let end = LogLimits.windowMilliseconds
        let admitted = (0..<LogLimits.linesPerEvent + 7).map { _ in limiter.admits("a", now: 0) }
        #expect(admitted == (0..<LogLimits.linesPerEvent + 7).map { $0 < LogLimits.linesPerEvent })
        let isOtherAdmitted = limiter.admits("b", now: 0)
        #expect(isOtherAdmitted)
        #expect(limiter.nextEnd == end)
        let early = limiter.end(now: end - 1)
        #expect(early.isEmpty)
        // One that comes late is left out, too, as long as nobody has told of the others.
        let isLateAdmitted = limiter.admits("a", now: end)
        #expect(!isLateAdmitted)
        let ended = limiter.end(now: end)
        #expect(ended.map(\.event) == ["a"])
        #expect(ended.map(\.lines) == [8])
        #expect(limiter.nextEnd == nil)
        let isNextAdmitted = limiter.admits("a", now: end)
        #expect(isNextAdmitted)
    }

    @Test("refused requests have their lines in each second, and those left out in one are told in the next")
    func seconds() {
        var limiter = RefusalLimiter()
        let limit = LogLimits.refusedRequestsPerSecond
        let admitted = (0..<limit + 3).map { _ in limiter.admits(second: 5) }
        #expect(admitted == (0..<limit + 3).map { $0 < limit })
        #expect(limiter.nextEnd == 6_000)
        let same = limiter.end(second: 5)
        #expect(same == 0)
        let isNextAdmitted = limiter.admits(second: 6)
        #expect(isNextAdmitted)
        let told = [limiter.end(second: 6), limiter.end(second: 6)]
        #expect(told == [3, 0])
        #expect(limiter.nextEnd == nil)
    }
}
