import Glibc
import MicroHTTP
import Threading

/// A program that counts which thread answers how often.
struct Names {
    private let seen = Locked<[UInt: Int]>([:])

    var application: Application {
        let seen = self.seen
        return Application(
            admit: { _ in .accept(maximumBody: 0) },
            respond: { _ in
                seen.withLock { $0[pthread_self(), default: 0] += 1 }
                return .now(Response(status: 200))
            },
            refuse: { _ in Response(status: 500) })
    }

    var counts: [Int] { seen.withLock { Array($0.values) } }
}
