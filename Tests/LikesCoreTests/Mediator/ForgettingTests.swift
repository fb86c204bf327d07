import Testing
import Threading

@testable import LikesCore

@Suite("Forgetting a user")
struct ForgettingTests {
    /// A mediator that has not begun, on a service in which one user likes so many news.
    private static func world(news: Int) throws -> (setup: Bench, mediator: LikesMediator) {
        let setup = try Bench()
        let entries = (0..<news).map { number in
            BatchEntry.request(NewsDraft(News(id: .news(number), title: "t"), setsBaseLikes: false))
        }
        try setup.ask(.putManyNews(entries))
        try setup.ask(.likeAll("leaver", of: nil))
        setup.mediator.stop()
        return (setup, LikesMediator(journal: setup.journal, state: setup.shared, bus: EventBus()))
    }

    private static func submit(_ action: LikeCommand.Action, to mediator: LikesMediator) throws -> Answer {
        let answer = Answer()
        try mediator.submit(LikeCommand(action)) { answer.give($0) }
        return answer
    }

    @Test("asked for twice at once, over many rounds that are full: it happens once")
    func twice() throws {
        let (setup, mediator) = try Self.world(news: 3_000)
        let first = try Self.submit(.removeUser("leaver"), to: mediator)
        // Fills the rounds in between, so that the second command comes to it before the first goes on.
        for crowd in 0..<12 {
            let likes = (0..<5_000).map { number in
                BatchEntry.request(
                    ToggleRequest(
                        liked: true, news: .news(number % 3_000), user: .user(crowd * 10 + number / 3_000)))
            }
            _ = try Self.submit(.toggleMany(likes), to: mediator)
        }
        let second = try Self.submit(.removeUser("leaver"), to: mediator)
        mediator.start()
        #expect(try first.bulk.changed + second.bulk.changed == 3_000)
        mediator.stop()
        #expect(setup.journal.events.count { $0.change == .userRemoved("leaver") } == 1)
        _ = try replay(setup.journal)
    }

    @Test("of an author, the id goes when it is asked for again after the last news is gone")
    func author() throws {
        let bench = try Bench()
        try bench.ask(.putNews(NewsDraft(News(id: "n", title: "t", author: "author"), setsBaseLikes: false)))
        let isKnown = { bench.shared.read { $0.users.find("author") != nil } }
        try bench.ask(.removeUser("author"))
        #expect(isKnown())
        try bench.ask(.removeNews("n"))
        try bench.ask(.removeUser("author"))
        #expect(!isKnown())
    }
}
