/// Where the events are kept for good. The mediator is its only user while the service runs.
///
/// An implementation must make `append` all or nothing, and durable when it returns.
package protocol Journal: AnyObject {
    /// Made with the journal and kept with it: tells its tokens from those of any other.
    var epoch: Epoch { get }

    /// Hands every event, in order of sequence, to `body`.
    func replay(_ body: (LikeEvent) throws(JournalError) -> Void) throws(JournalError)

    /// Keeps events for good, all or none of them.
    ///
    /// - Parameter events: of consecutive sequences, the first one above all that were appended before.
    func append(_ events: [LikeEvent]) throws(JournalError)

    /// Finds out whether `append` would work at the moment, without keeping anything.
    func check() throws(JournalError)

    /// Ends the use of the journal.
    func close()
}

/// What went wrong with a journal.
package enum JournalError: Error, Equatable {
    /// It could not be written or read just now: the disk is full, say. It may work again later.
    case unavailable(String)
    /// What is there cannot be used: damaged, foreign, or of a newer version.
    case unusable(String)
    /// Another process is using it.
    case inUse(String)

    /// What to tell the operator.
    package var reason: String {
        switch self {
        case .unavailable(let reason), .unusable(let reason), .inUse(let reason): reason
        }
    }
}

/// The random name of a journal, in tokens: 16 hexadecimal digits.
package struct Epoch: Sendable, Equatable {
    /// The digits.
    package let text: String

    /// A new one.
    package static func random() -> Epoch {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return Epoch(text: String(repeating: "0", count: 16 - digits.count) + digits)
    }

    /// One that was kept.
    package init(text: String) { self.text = text }
}

/// A place in the order of everything, as callers see it: `<epoch>.<sequence>`.
package struct Token: Sendable, Equatable {
    /// The journal's name.
    package let epoch: Epoch
    /// The last event that the place comes after.
    package let sequence: UInt64

    package init(epoch: Epoch, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// The token as callers see it.
    package var text: String { epoch.text + "." + String(sequence) }
}

/// A journal that lives as long as the process: for tests and for `--in-memory`. It keeps no events.
package final class MemoryJournal: Journal {
    /// New for each process.
    package let epoch = Epoch.random()

    package init() {}

    package func replay(_ body: (LikeEvent) throws(JournalError) -> Void) {}

    package func append(_ events: [LikeEvent]) {}

    package func check() {}

    package func close() {}
}
