import Testing
import Threading

@Suite("A value behind a lock is touched by one thread at a time")
struct LockTests {
    private struct Broken: Error {}

    /// Runs `body` on several threads at once, and waits for them.
    private static func run(_ threads: Int, _ body: @escaping @Sendable () -> Void) {
        for thread in (0..<threads).map({ _ in Thread(body) }) { thread.join() }
    }

    @Test("Locked: no addition is lost")
    func locked() {
        let value = Locked(0)
        Self.run(4) { for _ in 0..<5_000 { value.withLock { $0 += 1 } } }
        #expect(value.withLock { $0 } == 20_000)
    }

    @Test("Shared: readers never see a half of a change")
    func shared() {
        let value = Shared((0, 0))
        let torn = Locked(0)
        let writer = Thread {
            for number in 1...5_000 {
                value.write { pair in
                    pair.0 = number
                    pair.1 = -number
                }
            }
        }
        Self.run(3) {
            for _ in 0..<2_000 {
                let isTorn = value.read { $0.0 + $0.1 != 0 }
                if isTorn { torn.withLock { $0 += 1 } }
            }
        }
        writer.join()
        #expect(torn.withLock { $0 } == 0)
        #expect(value.read { $0.0 } == 5_000)
    }

    @Test("Shared: two readers are in at once")
    func sharedReaders() {
        let value = Shared(0)
        let inside = Monitor(0)
        // Each reader waits inside for the other: with one at a time none would ever get out.
        let met = Locked<[Bool]>([])
        Self.run(2) {
            value.read { _ in
                inside.withLock { $0 += 1 }
                inside.broadcast()
                let isMet = inside.wait(until: { $0 == 2 }, milliseconds: 30_000)
                met.withLock { $0.append(isMet) }
            }
        }
        #expect(met.withLock { $0 } == [true, true])
    }

    @Test("a lock is given up when the body throws")
    func throwing() {
        let (locked, shared, monitor) = (Locked(1), Shared(1), Monitor(1))
        #expect(throws: Broken.self) { try locked.withLock { _ in throw Broken() } }
        #expect(throws: Broken.self) { try shared.read { _ in throw Broken() } }
        #expect(throws: Broken.self) { try shared.write { _ in throw Broken() } }
        #expect(throws: Broken.self) { try monitor.withLock { _ in throw Broken() } }
        locked.withLock { $0 += 1 }
        shared.write { $0 += 1 }
        monitor.withLock { $0 += 1 }
        #expect(locked.withLock { $0 } == 2)
        #expect(shared.read { $0 } == 2)
        #expect(monitor.withLock { $0 } == 2)
    }
}

@Suite("A monitor lets threads wait for a value")
struct MonitorTests {
    @Test("a waiter goes on when the value is as it wants, and changes it under the same lock")
    func handsOver() {
        let box = Monitor<[Int]>([])
        let sum = Locked(0)
        let takers = (0..<3).map { _ in
            Thread {
                while true {
                    let number = box.wait(until: { !$0.isEmpty }, then: { $0.removeFirst() })
                    if number < 0 { return }
                    sum.withLock { $0 += number }
                }
            }
        }
        for number in Array(1...500) + [-1, -1, -1] {
            box.withLock { $0.append(number) }
            box.signal()
        }
        for taker in takers { taker.join() }
        #expect(sum.withLock { $0 } == 125_250)
    }

    @Test("broadcast wakes all")
    func broadcast() {
        let gate = Monitor(false)
        let passed = Locked(0)
        let threads = (0..<4).map { _ in
            Thread {
                gate.wait(until: { $0 }, then: { _ in })
                passed.withLock { $0 += 1 }
            }
        }
        gate.withLock { $0 = true }
        gate.broadcast()
        for thread in threads { thread.join() }
        #expect(passed.withLock { $0 } == 4)
    }

    @Test("a timed wait ends when the time is over, not before", arguments: [0, 1, 30])
    func timedWaitEnds(milliseconds: Int) {
        let start = ContinuousClock.now
        let monitor = Monitor(false)
        let isReady = monitor.wait(until: { $0 }, milliseconds: milliseconds)
        #expect(!isReady)
        #expect(ContinuousClock.now - start >= .milliseconds(milliseconds))
    }

    @Test("a timed wait ends early when the value is right, also over more than a second")
    func timedWaitIsShort() {
        let monitor = Monitor(false)
        let thread = Thread {
            monitor.withLock { $0 = true }
            monitor.signal()
        }
        #expect(monitor.wait(until: { $0 }, milliseconds: 61_999))
        thread.join()
        #expect(monitor.wait(until: { $0 }, milliseconds: 0))
    }

    @Test("a wake without a change is no reason to go on")
    func falseWake() {
        let monitor = Monitor(0)
        let asked = Locked(0)
        let thread = Thread {
            monitor.wait(
                until: { number in
                    asked.withLock { $0 += 1 }
                    return number == 3
                }, then: { _ in })
        }
        for number in 1...3 {
            monitor.broadcast()
            monitor.withLock { $0 = number }
        }
        monitor.broadcast()
        thread.join()
        #expect(monitor.withLock { $0 } == 3)
        #expect(asked.withLock { $0 } >= 1)
    }
}

@Suite("Threads and the clock")
struct ThreadTests {
    @Test("a thread runs its body once, and join waits for the end of it")
    func runsOnce() {
        let runs = Locked(0)
        for thread in (0..<20).map({ _ in Thread { runs.withLock { $0 += 1 } } }) { thread.join() }
        #expect(runs.withLock { $0 } == 20)
    }

    @Test("what the body holds is let go when the thread has ended")
    func letsGo() {
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let object = Held()
            held = object
            Thread { _ = object }.join()
        }
        #expect(held == nil)
    }

    @Test("the system's clock is in this century, and a clock of a test says what it is told")
    func clock() {
        #expect((1_700_000_000_000..<4_102_444_800_000).contains(Clock.system.now()))
        #expect(Clock { 42 }.now() == 42)
    }
}
