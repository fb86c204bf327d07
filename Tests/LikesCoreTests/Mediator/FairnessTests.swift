import Testing
import Threading

@testable import LikesCore

@Suite("Who asks for little waits for little, whatever the mediator has in hand")
struct FairnessTests {
    /// Likes of `other`, each submitted while a commit is being kept.
    private final class Latecomers: Sendable {
        private let likes = Locked<[Answer]>([])

        /// - Parameter count: of the first so many commits.
        init(_ count: Int, _ bench: Bench) {
            let likes = likes
            bench.journal.beforeAppend { [weak bench] _ in
                let number = likes.withLock { $0.count }
                guard number < count, let like = try? bench?.submit(.like("other", .user(number))) else { return }
                likes.withLock { $0.append(like) }
            }
        }

        var answers: [Answer] { likes.withLock { $0 } }
    }

    /// The number of the commit, from 0, with the like of `other` by this user.
    private func commit(ofLikeBy user: UserID, in journal: RecordingJournal) -> Int? {
        journal.batches.firstIndex { $0.contains { $0.like?.news == "other" && $0.like?.user == user } }
    }

    @Test("a like is answered within two commits while two news with very many likes are deleted")
    func besideDeletions() throws {
        let journal = HotNews.journal(["hot", "warm"], likers: 3 * Limits.cascadeLikes + 1_000)
        let bench = try Bench(journal: journal, isStarted: false)
        let latecomers = Latecomers(2, bench)
        let deletions = try [bench.submit(.removeNews("hot")), bench.submit(.removeNews("warm"))]
        bench.start()
        for deletion in deletions { _ = try deletion.receipt }
        #expect(latecomers.answers.count == 2)
        for (number, like) in latecomers.answers.enumerated() {
            #expect(try like.toggle.changed)
            // Commit 0 is what was there before; like 0 came with commit 1.
            let kept = try #require(commit(ofLikeBy: .user(number), in: journal))
            #expect(kept <= number + 1 + 2)
        }
        // The deletions were still in hand when the first was answered.
        let first = try #require(commit(ofLikeBy: .user(0), in: journal))
        #expect(first < journal.batches.count - 1)
        #expect(bench.likesCount("other") == 2)
    }

    @Test("a like is answered within two commits behind fifteen batches of 10,000 likes")
    func behindBatches() throws {
        let journal = HotNews.journal((0..<15).map { .news($0) }, likers: 0)
        let bench = try Bench(journal: journal, isStarted: false)
        let latecomers = Latecomers(1, bench)
        let batches = try (0..<15).map { number in
            try bench.submit(
                .toggleMany(
                    (0..<Limits.batchEntries).map {
                        .request(ToggleRequest(liked: true, news: .news(number), user: .user($0)))
                    }))
        }
        bench.start()
        // Its answer is the first of all: the batches are still in hand then.
        #expect(journal.wait { $0.contains { $0.like?.news == "other" } })
        #expect(batches.allSatisfy { $0.times == 0 })
        #expect(try #require(latecomers.answers.first).toggle.changed)
        #expect(try #require(commit(ofLikeBy: "u0", in: journal)) <= 3)
    }

    @Test("batches get on by turns: none is passed over twice")
    func batchesTakeTurns() throws {
        let ids = (0..<15).map { NewsID.news($0) }
        let journal = HotNews.journal(ids, likers: 0)
        let bench = try Bench(journal: journal, isStarted: false)
        let batches = try ids.map { id in
            try bench.submit(
                .toggleMany((0..<3_000).map { .request(ToggleRequest(liked: true, news: id, user: .user($0))) }))
        }
        bench.start()
        for batch in batches { _ = try batch.many }
        // 45,000 likes in commits of 12,000, each batch in three or more of them.
        #expect(journal.batches.count == 1 + 4)
        for id in ids {
            let commits = journal.batches.indices.dropFirst().filter { index in
                journal.batches[index].contains { $0.like?.news == id }
            }
            #expect(commits.count == 3, "\(id.text)")
        }
    }

    @Test(
        "requests that change nothing are cut into rounds like others, and a like behind them is not held up",
        arguments: NoChange.allCases)
    func behindNoChanges(kind: NoChange) throws {
        let (count, newsCount) = (60, 1_500)
        let bench = try Bench()
        try bench.ask(
            .putManyNews(
                (0..<newsCount).map { .request(NewsDraft(News(id: .news($0), title: ""), setsBaseLikes: false)) }))
        try bench.ask(.likeAll("u", of: nil))
        bench.mediator.stop()
        let again = try Bench(journal: RecordingJournal(events: bench.journal.events), isStarted: false)
        let idle = try (0..<count).map { _ in try again.submit(kind.action(newsCount)) }
        let round = Locked(0)
        let like = Answer()
        try again.mediator.submit(LikeCommand(.like("n7", "late"))) { [weak again] result in
            round.withLock { $0 = again?.rounds ?? 0 }
            like.give(result)
        }
        again.start()
        for answer in idle { _ = try answer.receipt }
        #expect(try like.toggle.changed)
        // The commands before it are decided 1,000 steps each, and 20,000 steps in a round: its turn is the fourth.
        let before = count * Limits.stepsPerRound / Limits.stepsPerCommit
        #expect(round.withLock { $0 } <= before + 2)
        // No round had many more steps than it may.
        let steps = count * newsCount
        #expect(again.rounds >= steps / (Limits.stepsPerCommit + Limits.stepsPerRound))
        #expect(again.journal.batches.count == 2)
    }

    /// Requests of many steps of which none changes anything.
    enum NoChange: CaseIterable {
        case likeAll, likeListed, unlikeListed, unlikeUnknown, likeBatch

        func action(_ count: Int) -> LikeCommand.Action {
            let ids = (0..<count).map { NewsID.news($0) }
            return switch self {
            case .likeAll: .likeAll("u", of: nil)
            case .likeListed: .likeAll("u", of: ids)
            case .unlikeListed: .unlikeAll("nobody", of: ids)
            case .unlikeUnknown: .unlikeAll("u", of: (0..<count).map { NewsID.news($0 + 100_000) })
            case .likeBatch: .toggleMany(ids.map { .request(ToggleRequest(liked: true, news: $0, user: "u")) })
            }
        }
    }
}
