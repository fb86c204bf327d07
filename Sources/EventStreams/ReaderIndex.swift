internal import LikesCore

/// The readers by what they want to hear of, so that an event costs nothing but those whom it concerns.
struct ReaderIndex {
    /// Those that hear of everything.
    private(set) var ofEverything: [StreamReader] = []
    // By hashes: a reader that is found may want something else with the same one.
    private var ofNews: [Int: [StreamReader]] = [:]
    private var ofUsers: [Int: [StreamReader]] = [:]

    mutating func add(_ reader: StreamReader) {
        guard !reader.filter.isEverything else {
            reader.slot = ofEverything.count
            ofEverything.append(reader)
            return
        }
        for hash in reader.filter.newsHashes { ofNews[hash, default: []].append(reader) }
        for hash in reader.filter.userHashes { ofUsers[hash, default: []].append(reader) }
    }

    mutating func remove(_ reader: StreamReader) {
        guard !reader.filter.isEverything else {
            let last = ofEverything.removeLast()
            guard last !== reader else { return }
            ofEverything[reader.slot] = last
            last.slot = reader.slot
            return
        }
        for hash in reader.filter.newsHashes { Self.remove(reader, from: &ofNews[hash]) }
        for hash in reader.filter.userHashes { Self.remove(reader, from: &ofUsers[hash]) }
    }

    private static func remove(_ reader: StreamReader, from list: inout [StreamReader]?) {
        guard let place = list?.lastIndex(where: { $0 === reader }), let last = list?.removeLast() else { return }
        if last !== reader { list?[place] = last }
        if list?.isEmpty ?? true { list = nil }
    }

    /// Notes that a reader, which does not hear of everything, follows a news from now on.
    mutating func add(_ reader: StreamReader, following news: NewsID) {
        ofNews[news.hashValue, default: []].append(reader)
    }

    /// The readers that may want to hear of any of these; some perhaps more than once.
    func readers(concernedBy subjects: some Sequence<EventSubject>) -> [StreamReader] {
        // A bulk is about few news, or few users.
        var (news, users) = (Set<Int>(), Set<Int>())
        var found: [StreamReader] = []
        for subject in subjects {
            if subject.news != nil, news.insert(subject.newsHash).inserted { found += ofNews[subject.newsHash] ?? [] }
            if subject.user != nil, users.insert(subject.userHash).inserted { found += ofUsers[subject.userHash] ?? [] }
        }
        return found
    }
}
