internal import Threading

/// A typed event bus: whoever is interested in a kind of event hears of it, and nobody knows who that is.
///
/// Subscribers are held weakly: one that dies hears nothing more and leaves nothing behind. All calls may come from
/// any thread; handlers run on the publishing thread, outside the bus' lock, and must not block.
package final class EventBus: Sendable {
    /// By the type of event. Only `subscribe` puts in channels, each under its own type.
    private let channels = Locked<[ObjectIdentifier: any EventChannel]>([:])

    package init() {}

    /// Lets `subscriber` hear of every event of a type from now on, until it dies or unsubscribes.
    ///
    /// - Parameters:
    ///   - type: what to hear of.
    ///   - subscriber: held weakly; alive during each call of `handler`, which gets it handed.
    ///   - handler: must not hold the subscriber itself.
    /// - Returns: what `unsubscribe` takes.
    @discardableResult
    package func subscribe<Event: Sendable, Subscriber: AnyObject & Sendable>(
        to type: Event.Type, _ subscriber: Subscriber, _ handler: @escaping @Sendable (Subscriber, Event) -> Void
    ) -> Subscription {
        let subscription = Subscription(type: ObjectIdentifier(type))
        let entry = Channel<Event>.Entry(
            subscription: subscription,
            deliver: { [weak subscriber] event in
                guard let subscriber else { return false }
                handler(subscriber, event)
                return true
            },
            isAlive: { [weak subscriber] in subscriber != nil })
        channels.withLock { channels in
            let channel = channels[subscription.type] as? Channel<Event> ?? Channel<Event>(entries: [])
            channels[subscription.type] = Channel(entries: channel.entries.filter { $0.isAlive() } + [entry])
        }
        return subscription
    }

    /// Ends a subscription. A delivery that is under way on another thread may still arrive.
    package func unsubscribe(_ subscription: Subscription) {
        channels.withLock { channels in
            channels[subscription.type] = channels[subscription.type]?.removing(subscription)
        }
    }

    /// Tells every living subscriber of this type of event, in the order in which they subscribed.
    package func publish<Event: Sendable>(_ event: Event) {
        let type = ObjectIdentifier(Event.self)
        let entries = channels.withLock { ($0[type] as? Channel<Event>)?.entries } ?? []
        var dead: [Subscription] = []
        for entry in entries where !entry.deliver(event) { dead.append(entry.subscription) }
        for subscription in dead { unsubscribe(subscription) }
    }

    /// Whether anybody hears of this type of event; a publisher can spare itself the work otherwise.
    package func hasSubscribers<Event: Sendable>(of type: Event.Type) -> Bool { subscriptionCount(of: type) > 0 }

    /// The number of subscriptions to a type of event, dead ones that nobody noticed yet included.
    package func subscriptionCount<Event: Sendable>(of type: Event.Type) -> Int {
        channels.withLock { ($0[ObjectIdentifier(type)] as? Channel<Event>)?.entries.count ?? 0 }
    }

    /// A subscription's name.
    package final class Subscription: Sendable {
        fileprivate let type: ObjectIdentifier
        fileprivate init(type: ObjectIdentifier) { self.type = type }
    }
}

/// The subscriptions to some type of event.
private protocol EventChannel: Sendable {
    /// The same without one subscription; nil when none is left.
    func removing(_ subscription: EventBus.Subscription) -> (any EventChannel)?
}

private struct Channel<Event: Sendable>: EventChannel {
    let entries: [Entry]

    struct Entry: Sendable {
        let subscription: EventBus.Subscription
        /// False when the subscriber is dead.
        let deliver: @Sendable (Event) -> Bool
        let isAlive: @Sendable () -> Bool
    }

    func removing(_ subscription: EventBus.Subscription) -> (any EventChannel)? {
        let rest = entries.filter { $0.subscription !== subscription }
        return rest.isEmpty ? nil : Channel(entries: rest)
    }
}

/// A like was set. Published on the bus for each, once it is durable and folded.
package struct LikeAdded: Sendable {
    /// Who likes what, with the counts right after it.
    package let like: LikeChange
    /// The time that is shown for it.
    package let at: Timestamp
    /// The event's.
    package let sequence: UInt64
}

/// A like was taken back. Published on the bus for each, once that is durable and folded.
package struct LikeRemoved: Sendable {
    /// Who likes what, with the counts right after it.
    package let like: LikeChange
    /// The time that is shown for it.
    package let at: Timestamp
    /// The event's.
    package let sequence: UInt64
}
