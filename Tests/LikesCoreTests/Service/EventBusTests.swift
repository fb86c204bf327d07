import Testing
import Threading

@testable import LikesCore

private struct Ping: Sendable { let number: Int }
private struct Pong: Sendable { let number: Int }

/// A subscriber that keeps the numbers it heard.
private final class Listener: Sendable {
    private let numbers = Locked<[Int]>([])

    func hear(_ number: Int) { numbers.withLock { $0.append(number) } }

    var heard: [Int] { numbers.withLock { $0 } }
}

@Suite("The event bus tells living subscribers of what they asked for")
struct EventBusTests {
    private let bus = EventBus()

    @discardableResult
    private func subscribe(_ listener: Listener) -> EventBus.Subscription {
        bus.subscribe(to: Ping.self, listener) { $0.hear($1.number) }
    }

    @Test("each subscriber hears of its own type of event, once")
    func typed() {
        let (first, second) = (Listener(), Listener())
        subscribe(first)
        bus.subscribe(to: Pong.self, second) { $0.hear($1.number) }
        bus.publish(Ping(number: 1))
        bus.publish(Pong(number: 2))
        bus.publish("of no interest")
        #expect(first.heard == [1])
        #expect(second.heard == [2])
        #expect(!bus.hasSubscribers(of: String.self))
    }

    @Test("subscribers are told in the order in which they came")
    func order() {
        let log = Heard()
        for name in ["a", "b", "c"] { bus.subscribe(to: Ping.self, log) { $0.write("\(name)\($1.number)") } }
        bus.publish(Ping(number: 1))
        bus.publish(Ping(number: 2))
        #expect(log.lines == ["a1", "b1", "c1", "a2", "b2", "c2"])
    }

    @Test("whoever unsubscribed hears nothing more; the others do")
    func unsubscribe() {
        let (first, second) = (Listener(), Listener())
        let subscription = subscribe(first)
        subscribe(second)
        bus.unsubscribe(subscription)
        bus.unsubscribe(subscription)
        bus.publish(Ping(number: 1))
        #expect(first.heard.isEmpty)
        #expect(second.heard == [1])
        #expect(bus.subscriptionCount(of: Ping.self) == 1)
    }

    @Test("a subscriber that subscribed twice hears twice, until one of them ends")
    func twice() {
        let listener = Listener()
        let subscription = subscribe(listener)
        subscribe(listener)
        bus.publish(Ping(number: 1))
        bus.unsubscribe(subscription)
        bus.publish(Ping(number: 2))
        #expect(listener.heard == [1, 1, 2])
    }

    @Test("the bus keeps no subscriber alive, and a dead one leaves nothing behind")
    func weakly() {
        weak var listener: Listener?
        do {
            let alive = Listener()
            listener = alive
            subscribe(alive)
            #expect(bus.hasSubscribers(of: Ping.self))
        }
        #expect(listener == nil)
        bus.publish(Ping(number: 1))
        #expect(!bus.hasSubscribers(of: Ping.self))
    }

    @Test("a handler may subscribe, unsubscribe and publish")
    func handlersMayCallTheBus() {
        let (first, second) = (Listener(), Listener())
        let subscription = Locked<EventBus.Subscription?>(nil)
        let bus = bus
        let own = bus.subscribe(to: Ping.self, first) { listener, ping in
            listener.hear(ping.number)
            bus.subscribe(to: Pong.self, second) { $0.hear($1.number) }
            if let own = subscription.withLock({ $0 }) { bus.unsubscribe(own) }
            bus.publish(Pong(number: 7))
        }
        subscription.withLock { $0 = own }
        bus.publish(Ping(number: 1))
        bus.publish(Ping(number: 2))
        #expect(first.heard == [1])
        #expect(second.heard == [7])
    }

    @Test("many threads publish, subscribe and die: nothing published to the living is lost")
    func manyThreads() {
        let (steady, bus) = (Listener(), bus)
        subscribe(steady)
        let threads = (0..<8).map { thread in
            Thread {
                for number in 0..<300 {
                    let passing = Listener()
                    let subscription = bus.subscribe(to: Ping.self, passing) { $0.hear($1.number) }
                    bus.publish(Ping(number: thread * 1_000 + number))
                    if number % 2 == 0 { bus.unsubscribe(subscription) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(steady.heard.count == 2_400)
        #expect(Set(steady.heard).count == 2_400)
        // Each thread's own events came in its order.
        for thread in 0..<8 {
            let own = steady.heard.filter { $0 / 1_000 == thread }
            #expect(own == own.sorted())
        }
        bus.publish(Ping(number: 0))
        #expect(bus.subscriptionCount(of: Ping.self) == 1)
    }
}
