/// A round of the mediator in numbers. Published on the bus before the answers are given, for those who measure; not of
/// a round whose events could not be kept.
package struct RoundReport: Sendable, Equatable {
    /// Commands that were answered.
    package let commands: Int
    /// Events that were kept; 0 for a round that changed nothing.
    package let events: Int
    /// What became of likes and unlikes.
    package let tally: LikeTally
    /// Microseconds that it took to keep the events; nil when there were none.
    package let commitMicroseconds: Int64?
}

/// How many likes and unlikes there were.
package struct LikeTally: Sendable, Equatable {
    /// Likes that were set.
    package internal(set) var likes = 0
    /// Likes that were taken back, also by the deletion of a news or of a user.
    package internal(set) var unlikes = 0
    /// Likes by those who liked the news already.
    package internal(set) var unchangedLikes = 0
    /// Unlikes by those who did not like it.
    package internal(set) var unchangedUnlikes = 0
}
