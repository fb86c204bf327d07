/// What the mediator waits for before it begins a commit, so that commands which come at about the same time share one.
///
/// A commit costs about the same for one command as for many: the disk's work, and turns of the processor that those who
/// read would like to have. A client that is alone, so that nobody else's command could come, is never waited for.
///
/// All times are microseconds of the monotonic clock.
struct CommitPacing {
    /// Something to wait for: so many commands, but only until then.
    struct Wait: Equatable {
        let commands: Int
        let until: Int64
    }

    /// Commands that the last commit answered.
    private var answered = 0
    /// Commands of others that had come when it was done.
    private var waiting = 0
    private var begun: Int64 = 0
    private var ended: Int64 = 0

    /// A commit begins.
    mutating func begin(at now: Int64) { begun = now }

    /// It is done.
    ///
    /// - Parameters:
    ///   - answered: the commands whose answers it brings.
    ///   - waiting: those that wait for the next one already.
    mutating func end(at now: Int64, answered: Int, waiting: Int) {
        (ended, self.answered, self.waiting) = (now, answered, waiting)
    }

    /// The rest after a commit. It is over when a few commands have come, or all that are known to be under way: those who
    /// were answered may ask again, and those who waited have asked. On a slow disk, or a busy machine, it is longer.
    var rest: Wait {
        let length = min(Limits.commitRestShare * (ended - begun), Limits.commitRestMicroseconds)
        let isWorthIt = length >= Limits.shortestRestMicroseconds
        return Wait(
            commands: isWorthIt ? min(answered + waiting, Limits.gatheredCommands) : 0, until: ended + length)
    }

    /// After that, and for a moment only, the return of those who were answered, when they are many.
    func gathering(now: Int64) -> Wait {
        Wait(
            commands: answered >= Limits.gatheredCommands ? answered : 0, until: now + Limits.gatherMicroseconds)
    }
}
