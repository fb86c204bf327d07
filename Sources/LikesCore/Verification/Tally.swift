/// A count, a place or an order that is not what the likes say.
package struct Finding: Sendable, Hashable {
    /// What is wrong: `the detail's count of news "9"`, say. The same at each look.
    package let place: String
    /// How it is wrong, for people.
    package let detail: String
}

/// What a recount has found so far.
struct Tally {
    /// Counts, places and orders that are wrong.
    private(set) var drift = 0
    /// Likes whose news or user is not there.
    var orphans = 0
    /// The first findings: `Limits.findings` of them.
    private(set) var findings: [Finding] = []
    /// What can be set right from the likes themselves.
    var repairs = Repairs()

    /// Takes down that something is wrong.
    ///
    /// - Parameter times: how many things are, in this one place.
    mutating func note(_ place: @autoclosure () -> String, _ detail: @autoclosure () -> String, times: Int = 1) {
        drift += times
        if findings.count < Limits.findings { findings.append(Finding(place: place(), detail: detail())) }
    }

    /// Compares a count that is kept with what was counted.
    ///
    /// - Returns: whether they agree.
    @discardableResult
    mutating func compare<Number: BinaryInteger>(
        _ kept: Number, with counted: Number, _ place: @autoclosure () -> String
    ) -> Bool {
        if kept == counted { return true }
        note(place(), "it is \(kept), and there are \(counted)")
        return false
    }

    /// Adds what another recount has found.
    mutating func add(_ other: Tally) {
        drift += other.drift
        orphans += other.orphans
        findings.append(contentsOf: other.findings.prefix(Limits.findings - findings.count))
        repairs.add(other.repairs)
    }
}

/// What there is to be set right, in handles. Only what the likes themselves say for sure is in it.
struct Repairs: Sendable {
    var news: Set<UInt32> = []
    var users: Set<UInt32> = []
    var authors: Set<UInt32> = []
    /// Whether the orders of the feed have to be made again.
    var orders = false
    /// Whether the number of all likes is wrong.
    var total = false

    var isEmpty: Bool { news.isEmpty && users.isEmpty && authors.isEmpty && !orders && !total }

    mutating func add(_ other: Repairs) {
        news.formUnion(other.news)
        users.formUnion(other.users)
        authors.formUnion(other.authors)
        orders = orders || other.orders
        total = total || other.total
    }
}

/// Why a verification ended before it was through.
package enum VerificationStop: Error {
    /// Somebody called it off.
    case cancelled
    /// The journal cannot be read.
    case journal(JournalError)
}

/// What a verification found.
package struct VerificationReport: Sendable, Equatable {
    /// The sequence up to which everything was recounted.
    package let sequence: UInt64
    /// Counts, places and orders that were wrong; 0 unless something is broken.
    package let drift: Int
    /// Likes whose news or user is not there; 0 unless something is broken.
    package let orphans: Int
    /// The news that there are.
    package let news: Int
    /// The users who are known.
    package let users: Int
    /// The likes that there are.
    package let likes: Int
    /// How much of the drift was set right.
    package var fixed = 0
    /// The first of what is wrong.
    package let findings: [Finding]

    /// Whether everything is as it must be.
    package var isClean: Bool { drift == 0 && orphans == 0 }
}
