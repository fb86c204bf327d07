import Glibc
import Testing
import Threading

@Suite("A signal wakes who waits for descriptors")
struct WakeSignalTests {
    /// Whether the signal is raised, now or within some time.
    private func isRaised(_ signal: WakeSignal, milliseconds: Int32 = 0) -> Bool {
        var item = pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&item, 1, milliseconds) == 1 && item.revents == Int16(POLLIN)
    }

    @Test("down at first, up until it is lowered, however often it was raised")
    func raiseAndLower() throws {
        let signal = try #require(WakeSignal())
        #expect(!isRaised(signal))
        for _ in 0..<3 {
            signal.raise()
            signal.raise()
            #expect(isRaised(signal))
            #expect(isRaised(signal), "looking at it does not lower it")
            signal.lower()
            #expect(!isRaised(signal))
        }
    }

    @Test("to lower what is down does not block")
    func lowerTwice() throws {
        let signal = try #require(WakeSignal())
        signal.lower()
        signal.raise()
        signal.lower()
        signal.lower()
        #expect(!isRaised(signal))
        signal.raise()
        #expect(isRaised(signal))
    }

    @Test("another thread wakes one that waits, each time")
    func wakes() throws {
        let (there, back) = (try #require(WakeSignal()), try #require(WakeSignal()))
        let rounds = 200
        let other = Thread {
            for _ in 0..<rounds {
                guard isRaised(there, milliseconds: 20_000) else { return }
                there.lower()
                back.raise()
            }
        }
        for _ in 0..<rounds {
            there.raise()
            #expect(isRaised(back, milliseconds: 20_000))
            back.lower()
        }
        other.join()
    }

    @Test("raised by many threads at once, it is seen")
    func crowd() throws {
        let signal = try #require(WakeSignal())
        let threads = (0..<8).map { _ in Thread { for _ in 0..<1_000 { signal.raise() } } }
        for thread in threads { thread.join() }
        #expect(isRaised(signal))
        signal.lower()
        #expect(!isRaised(signal))
    }

    @Test("it is not there for programs that this one starts")
    func closedOnExec() throws {
        let signal = try #require(WakeSignal())
        #expect(fcntl(signal.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
}
