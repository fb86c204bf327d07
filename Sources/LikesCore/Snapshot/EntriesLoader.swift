internal import Threading

/// Reads the entries of the like log on a thread of its own: they are more than half of a snapshot.
final class EntriesLoader: @unchecked Sendable {
    // Safety: the thread alone touches `loaded` and `failure` until it is joined, and the loader's owner after that.
    private var loaded: EntryRing?
    private var failure: JournalError?
    private var thread: Thread?

    init(decoder: @escaping @Sendable () -> SnapshotDecoder) {
        thread = Thread { [self] in
            do throws(JournalError) {
                var decoder = decoder()
                loaded = try EntryRing(from: &decoder)
            } catch {
                failure = error
            }
        }
    }

    /// Waits until the thread has ended.
    func wait() {
        thread?.join()
        thread = nil
    }

    /// The entries. Call it once.
    func ring() throws(JournalError) -> EntryRing {
        wait()
        if let failure { throw failure }
        return loaded.take() ?? EntryRing()
    }
}
