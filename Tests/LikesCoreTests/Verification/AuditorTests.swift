import TestSupport
import Testing
import Threading

@testable import LikesCore

@Suite("The audit goes round and round, and holds nobody up")
struct AuditorTests {
    /// Findings, and a gate at which whoever tells of one may be held.
    private final class Ear: Sendable {
        private struct State {
            var findings: [Finding] = []
            var isOpen = true
        }
        private let state = Monitor(State())

        func hear(_ finding: Finding) {
            state.withLock { $0.findings.append(finding) }
            state.broadcast()
            _ = state.wait(until: { $0.isOpen }, milliseconds: Patience.milliseconds)
        }

        var findings: [Finding] { state.withLock { $0.findings } }

        func open(_ isOpen: Bool) {
            state.withLock { $0.isOpen = isOpen }
            state.broadcast()
        }

        func wait(for count: Int) -> Bool {
            state.wait(until: { $0.findings.count >= count }, milliseconds: Patience.milliseconds)
        }
    }

    private static let hurry: Auditor.Pace = {
        var pace = Auditor.Pace()
        pace.steps = 5
        pace.restMilliseconds = 1
        pace.passMilliseconds = 1
        return pace
    }()

    private static func wait(_ auditor: Auditor, passes: Int) -> Bool {
        // The auditor says nothing when a pass is through: look now and then.
        for _ in 0..<Patience.milliseconds {
            if auditor.status.passes >= passes { return true }
            _ = Monitor(()).wait(until: { _ in false }, milliseconds: 1)
        }
        return false
    }

    @Test("a damage is found within a pass, told of once, and again when it came back")
    func damageFound() throws {
        let bench = try Damage.bench()
        let ear = Ear()
        let auditor = Auditor(
            bench.shared, mediator: bench.mediator, clock: Clock { 5_000 }, pace: Self.hurry, found: { ear.hear($0) })
        #expect(auditor.status == AuditStatus())
        auditor.start()
        defer { auditor.stop() }
        #expect(Self.wait(auditor, passes: 2))
        #expect(auditor.status.drift == 0 && ear.findings.isEmpty)
        #expect(auditor.status.passEndedAt == Timestamp(milliseconds: 5_000))
        let detail = bench.shared.write { state in
            defer { state.detail.correct(0, to: 50) }
            return state.detail.likesCount(0)
        }
        let before = auditor.status.passes
        #expect(Self.wait(auditor, passes: before + 4))
        #expect(auditor.status.drift == 1)
        #expect(
            ear.findings == [Finding(place: "the detail's count of news \"n0\"", detail: "it is 50, and there are 0")])
        for value in [detail, 50] {
            bench.shared.write { $0.detail.correct(0, to: value) }
            #expect(Self.wait(auditor, passes: auditor.status.passes + 3))
        }
        #expect(ear.findings.count == 2)
    }

    @Test("while a life goes on, nothing is found", arguments: seeds(3))
    func beside(seed: UInt64) throws {
        var life = RandomLife(seed: seed, dustLimit: 40)
        let ear = Ear()
        let idle = LikesMediator(journal: life.journal, state: life.shared, bus: EventBus())
        let auditor = Auditor(life.shared, mediator: idle, pace: Self.hurry, found: { ear.hear($0) })
        auditor.start()
        defer { auditor.stop() }
        repeat { try life.live(batches: 5) } while auditor.status.passes < 3
        #expect(auditor.status.drift == 0 && auditor.status.orphans == 0, "\(ear.findings)")
        #expect(ear.findings.isEmpty)
    }

    @Test("a stop does not wait for the rest")
    func stopAtRest() throws {
        let bench = try Bench()
        var pace = Auditor.Pace()
        pace.restMilliseconds = 3_600_000
        let auditor = Auditor(bench.shared, mediator: bench.mediator, pace: pace)
        auditor.start()
        auditor.stop()
        #expect(auditor.status.passes == 0)
        #expect(throws: Rejection.shuttingDown) { try auditor.verify(fix: false) { _ in } }
    }

    @Test("one verification at a time; a stop in its midst answers it")
    func busy() throws {
        let bench = try Damage.bench()
        bench.shared.write { $0.detail.correct(0, to: 50) }
        let ear = Ear()
        ear.open(false)
        var pace = Auditor.Pace()
        pace.restMilliseconds = 3_600_000
        let auditor = Auditor(bench.shared, mediator: bench.mediator, pace: pace, found: { ear.hear($0) })
        let answers = Locked<[Result<VerificationReport, Rejection>]>([])
        // Asked for before it starts: it is the first thing that it does.
        try auditor.verify(fix: false) { result in answers.withLock { $0.append(result) } }
        #expect(throws: Rejection.busy) { try auditor.verify(fix: true) { _ in } }
        auditor.start()
        #expect(ear.wait(for: 1))
        #expect(throws: Rejection.busy) { try auditor.verify(fix: false) { _ in } }
        ear.open(true)
        auditor.stop()
        #expect(answers.withLock { $0.count } == 1)
    }

    @Test("what is asked for when it stops is refused")
    func refusedAtStop() throws {
        let bench = try Bench()
        let auditor = Auditor(bench.shared, mediator: bench.mediator)
        let answers = Locked<[Rejection]>([])
        try auditor.verify(fix: true) { result in
            if case .failure(let rejection) = result { answers.withLock { $0.append(rejection) } }
        }
        auditor.stop()
        auditor.start()
        auditor.stop()
        #expect(answers.withLock { $0 } == [.shuttingDown])
    }
}
