/// Every limit of the domain, each with its reason and with what happens at it.
package enum Limits {
    /// Bytes of a news or user id. A longer one is refused as `invalid_id`: it has to fit a URL three times over.
    package static let identifierBytes = 256

    /// Bytes of a title; a longer one is refused. Room for any headline, too little for an article.
    package static let titleBytes = 1_000

    /// Bytes of a news' `url`; a longer one is refused. What browsers and proxies let through at least.
    package static let urlBytes = 2_048

    /// Members of a news' `properties`; more are refused.
    package static let properties = 64

    /// Bytes of a key in `properties`; a longer one is refused.
    package static let propertyKeyBytes = 256

    /// Bytes of a value in `properties`; a longer one is refused.
    package static let propertyValueBytes = 4_096

    /// Bytes of all keys and values of a news' `properties` together; more are refused, since every feed shows them.
    package static let propertiesBytes = 16 << 10

    /// The largest `baseLikes`: 2^53 - 1, the largest integer that every JSON reader keeps exactly.
    package static let baseLikes: Int64 = (1 << 53) - 1

    /// Characters of an `Operation-Id`; a longer one is refused.
    package static let operationIDBytes = 64

    /// Milliseconds that a like's `at` may lie ahead of the clock: what badly set clocks are off by. Later is refused.
    package static let futureMilliseconds: Int64 = 5 * 60 * 1000

    /// Commands that wait for the mediator or are in its hands. The next one is refused as `queue_full`.
    package static let queuedCommands = 8_192

    /// Entries of all those commands together, so that large batches cannot fill the memory. Then `queue_full`.
    package static let queuedEntries = 400_000

    /// Entries of one batch (`POST /v1/likes`, `POST /v1/news`); a larger one is refused.
    package static let batchEntries = 10_000

    /// Steps that one command takes in one round of the mediator; the rest waits for the next round, so that a
    /// bulk does not hold up single likes for longer than one commit.
    package static let stepsPerRound = 1_000

    /// Events of one commit. When a round has this many, the commands behind wait for the next round.
    package static let eventsPerCommit = 12_000

    /// The same while somebody has a frozen copy: what such events change is often copied first, and nobody shall wait
    /// for that.
    package static let eventsPerCommitWhileFrozen = 200

    /// Decisions of one round, those that change nothing included. Then, too, the commands behind wait.
    package static let stepsPerCommit = 20_000

    /// Milliseconds that the mediator goes on working when it is stopped. Then what is left is refused.
    package static let mediatorStopMilliseconds: Int64 = 1_500

    /// Likes that a deletion withdraws, and events that a merge makes, in one commit; a larger cascade is cut into several.
    package static let cascadeLikes = 10_000

    /// Events that are folded under one hold of the write lock: longer holds would delay reads.
    package static let eventsPerFold = 256

    /// Commands that make a commit cheap: as soon as so many wait, the rest after the last commit is over. Those who were
    /// answered by a commit of so many or more are waited for.
    package static let gatheredCommands = 16

    /// Microseconds for which they are waited for at most: less than a commit takes on most disks.
    package static let gatherMicroseconds: Int64 = 1_000

    /// The rest after a commit is so many times as long as the commit took, at most. Nobody rests for a client that is alone.
    package static let commitRestShare: Int64 = 6

    /// Microseconds of such a rest at most: how much later a like is answered for it.
    package static let commitRestMicroseconds: Int64 = 8_000

    /// Microseconds below which a rest costs more than it brings: that of a journal in memory.
    package static let shortestRestMicroseconds: Int64 = 200

    /// Milliseconds of such a hold after which it ends with the event in hand, while somebody has a frozen copy.
    package static let foldMilliseconds: Int64 = 3

    /// Entries on a page of a list when none is asked for, and the most that can be asked for.
    package static let pageDefault = 20
    /// The most entries that a page can be asked to have; more is refused.
    package static let pageMaximum = 1_000

    /// News whose counts one call can ask for; more is refused.
    package static let countedNews = 1_000

    /// News, and users, that an export can be asked for by name; more are refused. So many short ids fit a URL.
    package static let exportFilters = 1_000

    /// Friends that one call for counts can name; more is refused.
    package static let friends = 100

    /// Likers that a detail shows.
    package static let newestLikers = 3

    /// Steps along a chain of likes under one hold of the read lock; a longer walk gives the lock up in between.
    package static let chainSteps = 4_096

    /// Withdrawn likes that are remembered for `firstTime`; the oldest memory makes room for the next.
    package static let withdrawnLikes = 1_000_000

    /// Ids that lead to one news because theirs were merged into it; a merge that would make more is refused, since all
    /// are let go of at once when the news is deleted.
    package static let mergedIDs = 10_000

    /// Bytes of all user ids that were ever part of a write, forgotten ones included: what 32-bit places reach. Then
    /// likes of further users are refused as `full`.
    package static let userIDBytes = 15 << 30

    /// Likes that exist at one time: 32-bit addresses, less some room to sweep. Then likes are refused as `full`.
    package static let likes = 4_200_000_000

    /// Milliseconds that a read waits for a sequence that is not folded yet; then it is refused.
    package static let sequenceWaitMilliseconds: Int64 = 2_000

    /// Reads that wait for a sequence at one time; the next one is refused.
    package static let waitingReads = 1_024

    /// Milliseconds between looks at a journal that has failed, to see whether it works again.
    package static let journalRetryMilliseconds = 1_000

    /// Events after which the next snapshot is taken: a start replays so many in half a second or so.
    package static let snapshotEvents: UInt64 = 100_000

    /// With many likes a snapshot is large, and taken less often: after events for one in so many likes.
    package static let snapshotShare: UInt64 = 20

    /// Events after which a snapshot that failed is tried again.
    package static let snapshotRetryEvents: UInt64 = 10_000

    /// The wait doubles with each failure, up to so many events.
    package static let snapshotLatestRetry: UInt64 = 1_000_000

    /// Events since the last snapshot for which a stop takes another one; fewer are replayed in no time.
    package static let snapshotAtStopEvents: UInt64 = 2_000

    /// Events that the journal keeps, however many snapshots hold them: for live streams that come back.
    package static let keptEvents: UInt64 = 1_000_000

    /// Events that the journal lets go of at once, between two rounds of the mediator.
    package static let eventsPerDrop = 2_000

    /// Milliseconds between two such steps at least.
    package static let dropMilliseconds: Int64 = 20

    /// After a step there is a rest of so many times its length, so that on any disk it takes a small part of the time.
    package static let dropShare: Int64 = 4

    /// Milliseconds after which letting go is tried again when it has failed.
    package static let dropRetryMilliseconds: Int64 = 60_000

    /// Steps of the background audit in one go: entries looked at, some milliseconds of one core. A news with more
    /// likes than that is walked in one go all the same, and the rest after it is as much longer.
    package static let auditSteps = 50_000

    /// Milliseconds that the audit rests after so many steps: two or three percent of a core.
    package static let auditRestMilliseconds = 1_000

    /// Milliseconds from the beginning of one pass of the audit to that of the next, at least: an idle service stays idle.
    package static let auditPassMilliseconds = 60_000

    /// Findings that a verification, or a pass of the audit, tells in words; further ones are only counted.
    package static let findings = 100

    /// News, or users, whose counts are set right between two rounds of the mediator. The next ones wait for the round after.
    package static let repairsPerRound = 256

    /// Events that are read from the journal in one go to be compared with the state.
    package static let comparedEvents = 1_000

    /// News and likes that are taken in for a ranking before it is asked whether the service stops.
    package static let rankingStepsPerCheck = 65_536

    /// Changes that are recorded while a ranking is made, some 100 MB at worst; when there are more, it is made anew, and
    /// after the third time whoever waits is refused as `busy`.
    package static let recordedChanges = 1_000_000

    /// Changes that are played to a finished ranking between two rounds of the mediator; more are played before, beside them.
    package static let changesPlayedBetweenRounds = 1_000

    /// Milliseconds that a stop waits for what makes rankings. It may go on sorting after that; nobody hears of it.
    package static let rankingStopMilliseconds = 1_000

    /// Reads that wait for a ranking to be made; more are refused as `busy`.
    package static let readsWaitingForRankings = 1_024

    /// Milliseconds for which a ranking is kept when nobody asks for it: with millions of likes it takes seconds to make.
    package static let rankingKeptMilliseconds: Int64 = 600_000

    /// The same for the likes of a day, which is another one every minute; sooner or later it is of no use.
    package static let dayKeptMilliseconds: Int64 = 120_000

    /// Milliseconds between two looks for rankings that nobody asks for.
    package static let rankingTidyingMilliseconds: Int64 = 10_000
}
