internal import JSONText
internal import LikesCore

/// How an event lies in a row of the table `events`.
enum EventRow {
    private static let values =
        "sequence, at, kind, news, user, likes_count, given_likes, first_time, operation_id, description"
    /// Rows that one run of a statement writes: such a run costs half as much as a row.
    static let rowsPerRun = 16

    /// Writes so many rows, whose values and checksums are its parameters.
    ///
    /// A failure ends the whole transaction: to take back the rows of one run alone, SQLite would keep copies of pages.
    static func insertion(rows: Int) -> String {
        let row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        return "INSERT OR ROLLBACK INTO events (\(values), checksum) VALUES "
            + repeatElement(row, count: rows).joined(separator: ", ")
    }

    /// The rows after the sequence ?1, at most ?2 of them; each with the checksum that it has and that it should have.
    static let selection = """
        SELECT \(values), checksum, \(RowChecksum.function)(\(values))
        FROM events WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """

    /// As `selection`, of the ends of news alone. SQLite takes the index only when the condition is written as it is there.
    static let endSelection = """
        SELECT \(values), checksum, \(RowChecksum.function)(\(values))
        FROM events INDEXED BY news_ends WHERE (kind = 6 OR kind = 8 OR kind = 10) AND sequence > ?1 ORDER BY sequence LIMIT ?2
        """

    /// Whether the row at which a run of `selection` or `endSelection` stands has its checksum; nil when it was written without one.
    static func isIntact(_ row: Statement) -> Bool? { row.integer(10).map { $0 == row.integer(11) } }

    /// The numbers in the column `kind`. They are kept for good: never use one for something else.
    private enum Kind: Int64 {
        case likeAdded = 1
        case likeRemoved = 2
        case newsAdded = 3
        case newsUpdated = 4
        case newsRemovalStarted = 5
        case newsRemoved = 6
        case userRemoved = 7
        case newsMergeStarted = 8
        case likeRedated = 9
        case newsMerged = 10
    }

    /// Binds the values of an event, in the order of the columns, and their checksum.
    static func bind(_ event: LikeEvent, to row: RowInsertion) {
        row.append(Int64(event.sequence))
        row.append(event.at.milliseconds)
        let operationID = event.operationID
        switch event.change {
        case .likeAdded(let like): bind(.likeAdded, like, operationID, to: row)
        case .likeRemoved(let like): bind(.likeRemoved, like, operationID, to: row)
        case .newsAdded(let change): bind(.newsAdded, change, operationID, to: row)
        case .newsUpdated(let change): bind(.newsUpdated, change, operationID, to: row)
        case .newsRemovalStarted(let id): bind(.newsRemovalStarted, news: id, operationID, to: row)
        case .newsRemoved(let id): bind(.newsRemoved, news: id, operationID, to: row)
        case .userRemoved(let id): bind(.userRemoved, user: id, operationID, to: row)
        case .newsMergeStarted(let id, let target):
            bind(.newsMergeStarted, news: id, operationID, description: TargetText.encode(target), to: row)
        case .likeRedated(let like): bind(.likeRedated, like, operationID, to: row)
        case .newsMerged(let id, let target):
            bind(.newsMerged, news: id, operationID, description: TargetText.encode(target), to: row)
        }
        row.endRow()
    }

    private static func bind(_ kind: Kind, _ like: LikeChange, _ operationID: OperationID?, to row: RowInsertion) {
        row.append(kind.rawValue)
        row.append(like.news.text)
        row.append(like.user.text)
        row.append(like.likesCount)
        row.append(like.numberOfGivenLikes)
        row.append(like.firstTime ? 1 : 0)
        row.append(operationID?.text)
        row.append(String?.none)
    }

    private static func bind(
        _ kind: Kind, _ change: NewsChange, _ operationID: OperationID?, to row: RowInsertion
    ) {
        bind(
            kind, news: change.news.id, likesCount: change.likesCount, operationID,
            description: NewsText.encode(change.news), to: row)
    }

    private static func bind(
        _ kind: Kind, news: NewsID? = nil, user: UserID? = nil, likesCount: Int64? = nil, _ operationID: OperationID?,
        description: String? = nil, to row: RowInsertion
    ) {
        row.append(kind.rawValue)
        row.append(news?.text)
        row.append(user?.text)
        row.append(likesCount)
        for _ in 1...2 { row.append(Int64?.none) }
        row.append(operationID?.text)
        row.append(description)
    }

    /// The event of the row at which a run of `selection` or `endSelection` stands.
    ///
    /// - Throws: `.unusable` when the row is none that `bind` wrote.
    static func event(_ row: Statement) throws(JournalError) -> LikeEvent {
        let sequence = row.integer(0) ?? 0
        guard let at = row.integer(1), let kind = row.integer(2).flatMap(Kind.init(rawValue:)), sequence > 0 else {
            throw damaged(row)
        }
        let change: LikeEvent.Change
        switch kind {
        case .likeAdded: change = .likeAdded(try like(row))
        case .likeRemoved: change = .likeRemoved(try like(row))
        case .newsAdded: change = .newsAdded(try newsChange(row))
        case .newsUpdated: change = .newsUpdated(try newsChange(row))
        case .newsRemovalStarted: change = .newsRemovalStarted(try id(row, 3))
        case .newsRemoved: change = .newsRemoved(try id(row, 3))
        case .userRemoved: change = .userRemoved(try id(row, 4))
        case .newsMergeStarted: change = .newsMergeStarted(try id(row, 3), into: try target(row))
        case .likeRedated: change = .likeRedated(try like(row))
        case .newsMerged: change = .newsMerged(try id(row, 3), into: try target(row))
        }
        return LikeEvent(
            sequence: UInt64(sequence), at: Timestamp(milliseconds: at),
            operationID: row.text(8).flatMap { OperationID($0) }, change: change)
    }

    private static func damaged(_ row: Statement) -> JournalError {
        .unusable("event \(row.integer(0) ?? 0) is damaged")
    }

    private static func id<Subject>(_ row: Statement, _ column: Int32) throws(JournalError) -> Identifier<Subject> {
        guard let text = row.text(column), let id = try? Identifier<Subject>(text) else { throw damaged(row) }
        return id
    }

    private static func like(_ row: Statement) throws(JournalError) -> LikeChange {
        guard let likesCount = row.integer(5), let given = row.integer(6), let firstTime = row.integer(7) else {
            throw damaged(row)
        }
        return LikeChange(
            news: try id(row, 3), user: try id(row, 4), likesCount: likesCount, numberOfGivenLikes: given,
            firstTime: firstTime == 1)
    }

    /// Rows that were written before news had a count here have none.
    private static func newsChange(_ row: Statement) throws(JournalError) -> NewsChange {
        guard let text = row.text(9), let news = NewsText.decode(text, id: try id(row, 3)) else { throw damaged(row) }
        return NewsChange(news: news, likesCount: row.integer(5))
    }

    private static func target(_ row: Statement) throws(JournalError) -> NewsID {
        guard let text = row.text(9), let target = TargetText.decode(text) else { throw damaged(row) }
        return target
    }
}

/// How the news into which another is merged is named in the other's row: as a JSON object.
enum TargetText {
    static func encode(_ target: NewsID) -> String {
        var json = JSONWriter()
        json.object { $0.member("into", target.text) }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// The news that is named, or nil when `encode` did not write it.
    static func decode(_ text: String) -> NewsID? {
        guard let members = try? JSONDocument(Array(text.utf8)).root.members, members.count == 1,
            members[0].key == "into", let id = members[0].value.string
        else { return nil }
        return try? NewsID(id)
    }
}

/// How a news is described in its row: its members as a JSON object.
enum NewsText {
    static func encode(_ news: News) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("title", news.title)
            if let author = news.author { json.member("author", author.text) }
            if let url = news.url { json.member("url", url) }
            if let publishedAt = news.publishedAt { json.member("publishedAt", publishedAt.milliseconds) }
            json.member("baseLikes", news.baseLikes)
            json.member("properties", strings: news.properties.map { ($0.key, $0.value) })
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// The news of a description, or nil when `encode` did not write it.
    static func decode(_ text: String, id: NewsID) -> News? {
        guard let members = try? JSONDocument(Array(text.utf8)).root.members else { return nil }
        var title: String?
        var author: UserID?
        var url: String?
        var publishedAt: Timestamp?
        var baseLikes: Int64?
        var properties: [News.Property] = []
        for (key, value) in members {
            switch key {
            case "title": title = value.string
            case "author": author = value.string.flatMap { try? UserID($0) }
            case "url": url = value.string
            case "publishedAt": publishedAt = value.integer.map { Timestamp(milliseconds: $0) }
            case "baseLikes": baseLikes = value.integer
            case "properties":
                properties = (value.members ?? []).map { News.Property(key: $0.key, value: $0.value.string ?? "") }
            default: return nil
            }
        }
        guard let title, let baseLikes else { return nil }
        return News(
            id: id, title: title, author: author, url: url, publishedAt: publishedAt, baseLikes: baseLikes,
            properties: properties)
    }
}
