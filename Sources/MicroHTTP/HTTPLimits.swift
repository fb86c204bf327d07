/// The limits of the HTTP server, each with its reason and with what happens at its end.
package enum HTTPLimits {
    /// Bytes of a refused body that are read and thrown away, so that the connection stays usable; above: closed.
    package static let discardedBody = 64 * 1024

    /// Bytes that all bodies being received may take together; above: `Refusal.tooBusy`.
    package static let totalBodyBytes = 256 * 1024 * 1024

    /// Bytes set aside for a body before any of it came: a declared length is only a claim. It then doubles.
    package static let firstBodyStep = 16 * 1024

    /// Bytes of a streamed response that wait to be sent; above: its producer is blocked. Enough that neither waits for
    /// the other at a gigabit, and little beside a connection's buffers in the kernel.
    package static let streamBufferBytes = 256 * 1024

    /// Bytes of a request target; above: `Refusal.uriTooLong`. Half of `connectionMemory`, so that headers still fit.
    package static let target = 8 * 1024

    /// Bytes of `connectionMemory` that a request head may take, `fieldMemory` for each field included; above:
    /// `Refusal.headTooLarge`. The rest is for the head of the answer.
    package static let headMemory = 14 * 1024

    /// Bytes that the library takes for its note of a header field, or of a cookie, beside the text itself.
    package static let fieldMemory = 64

    /// Bytes of `connectionMemory` for the library's own part of an answer's head, and for what has come of the next request.
    static let answerMemory = 1024

    /// Bytes the library holds per connection for request line, headers and response head; above: its own 414 or 431.
    package static let connectionMemory = 16 * 1024

    /// Seconds without a byte in either direction until a connection is closed. A suspended request does not count.
    package static let idleSeconds = 45

    /// Milliseconds a client may take for a whole request, from connecting or from the answer before; above: cut. While a
    /// body is streamed, for the next piece of it; the time that its consumer takes does not count.
    package static let receiveMilliseconds = 120_000

    /// Milliseconds without a piece of a body in chunks after which the library may be running in circles over it.
    static let stallMilliseconds: Int64 = 1000

    /// Seconds after which the library closes the descriptor of a connection that it runs in circles over. There are none
    /// between this and never.
    static let stuckSeconds: UInt32 = 1

    /// Turns in which the library comes to rest while such a connection is looked for; above: something is stuck, or others
    /// are served without a break.
    static let restTurns = 8

    /// How often the library has to come to no rest with a connection, and at once without it, until that is called stuck.
    static let stuckTrials = 3

    /// Turns of a loop, in so many milliseconds, in which the library had something to do and did nothing; above: it may run
    /// in circles. Over thousands of connections a turn takes a tenth of a second, and busy clients make such turns, too.
    static let idleTurns = 5

    /// Milliseconds after which also a listen address without an event is looked after, whatever the others do.
    static let fullTurnMilliseconds: Int64 = 50

    /// Milliseconds until clients are looked after again for which the system gave no descriptor.
    static let starvedMilliseconds: Int64 = 100

    /// Connections per listen address and worker; above: they wait in the backlog. A connection costs about 17 KiB.
    package static let connectionsPerDaemon = 8192

    /// File descriptors left for the program: journal, snapshots, logs. Of a very low limit, half of it is left for these and the
    /// workers' own.
    package static let reservedDescriptors = 64

    /// File descriptors left for each worker: its listeners, what it waits on, and connections that are only read on.
    static let descriptorsPerWorker = lingeringConnections + 6

    /// Connections that stay possible whatever the program takes over, if the system allows twice as many files.
    package static let keptConnections = 4096

    /// Connections the kernel holds for us until a worker accepts them; the system's own limit may be lower.
    package static let backlog = 4096

    /// Connections per worker that are read on after their last answer, so that it arrives; above: cut at once.
    package static let lingeringConnections = 64

    /// Milliseconds such a connection is read on, from when the client last took a part of the answer; above: cut.
    package static let lingerMilliseconds: Int64 = 2000

    /// Milliseconds such a connection stays in all, with a client that takes a long answer bit by bit; above: cut.
    package static let lastAnswerMilliseconds: Int64 = 30_000

    /// Bytes such a connection is read on; above: cut.
    package static let lingeredBytes = 16 * 1024 * 1024

    /// Milliseconds that the last answers have to leave after the deadline of `stop`; above: cut.
    package static let stopGraceMilliseconds: Int64 = 200

    /// Rounds a worker accepts what already waits in the backlog before it stops listening; above: reset.
    package static let backlogRounds = 64

    /// Tries to find one port that is free on every address; above: `HTTPServerError.addressInUse`.
    package static let freePortAttempts = 64

    /// Worker threads; more than any machine has cores for.
    package static let workers = 256
}
