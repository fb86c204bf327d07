import TestSupport
import Testing
import Threading

@testable import LikesCore

@Suite("A frozen copy stays what the state was, and a snapshot of it brings that back")
struct FrozenLikesTests {
    private static func readable(_ shared: SharedLikes, of life: RandomLife) throws -> ReadableState {
        let reader = LikesReader(shared, epoch: life.journal.epoch)
        return try ReadableState(reader, news: life.news, users: life.users, pageSize: 50)
    }

    private static func readable(_ state: sending LikesState, of life: RandomLife) throws -> ReadableState {
        try readable(SharedLikes(state), of: life)
    }

    @Test("whatever happens afterwards, sweeps included", arguments: seeds(8))
    func frozenStays(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        var kept: [(frozen: FrozenLikes, readable: ReadableState)] = []
        for _ in 0..<40 {
            try life.live(batches: 5)
            kept.append((FrozenLikes(life.shared), try Self.readable(life.shared, of: life)))
            if kept.count > 4 { kept.removeFirst() }
            for (frozen, readable) in kept {
                #expect(frozen.position == readable.position)
                let bytes = try SnapshotBytes(frozen)
                #expect(try Self.readable(try bytes.state(), of: life) == readable)
            }
        }
    }

    @Test("a state that was brought back goes on as the first would have", arguments: seeds(8))
    func goesOn(seed: UInt64) throws {
        var life = RandomLife(seed: seed)
        for stage in 0..<10 {
            try life.live(batches: 12)
            let bytes = try SnapshotBytes(FrozenLikes(life.shared))
            let state = try bytes.state(dustLimit: 100)
            let position = state.position
            try life.live(batches: 25)
            for event in life.journal.events where event.sequence > position { try state.fold(event) }
            #expect(try Self.readable(state, of: life) == Self.readable(life.shared, of: life), "stage \(stage)")
        }
    }

    @Test("a snapshot that ends early is refused, wherever it ends", arguments: SnapshotSection.allCases)
    func cutShort(section: SnapshotSection) throws {
        var life = RandomLife(seed: 3)
        try life.live(batches: 40)
        let bytes = try SnapshotBytes(FrozenLikes(life.shared))
        for count in [0, 1, 7, 8, 24, 100, 1_000, 4_000, 20_000] {
            #expect(throws: SnapshotDecoder.damage) { _ = try bytes.cutting(section, to: count).state() }
        }
    }

    @Test("the sweep waits while somebody has a frozen copy, and goes on afterwards")
    func sweepWaits() throws {
        let bench = try Bench(dustLimit: 64)
        try bench.ask(.putNews(NewsDraft(News(id: "n", title: "t"), setsBaseLikes: false)))
        var frozen: FrozenLikes? = FrozenLikes(bench.shared)
        func toggle() throws {
            for liked in [true, false] {
                try bench.ask(.toggle(ToggleRequest(liked: liked, news: "n", user: "u")))
            }
        }
        for _ in 0..<200 { try toggle() }
        #expect(bench.shared.read { $0.log.deadCount } == 200)
        withExtendedLifetime(frozen) {}
        frozen = nil
        for _ in 0..<20 { try toggle() }
        #expect(bench.shared.read { $0.log.deadCount } < 200)
    }

    @Test("an empty state")
    func empty() throws {
        let bytes = try SnapshotBytes(FrozenLikes(SharedLikes(LikesState())))
        let state = try bytes.state()
        #expect(state.position == 0)
        try state.fold(
            LikeEvent(
                sequence: 1, at: .some, change: .newsAdded(NewsChange(news: News(id: "n", title: "t"), likesCount: 0))))
        #expect(state.catalog.count == 1)
    }

    @Test("a forgotten user's id leaves memory and later snapshots, unless it is an author's")
    func forgottenIDs() throws {
        let bench = try Bench()
        try bench.ask(.putNews(NewsDraft(News(id: "n", title: "t", author: "the-author"), setsBaseLikes: false)))
        try bench.ask(.toggle(ToggleRequest(liked: true, news: "n", user: "the-forgotten")))
        try bench.ask(.toggle(ToggleRequest(liked: true, news: "n", user: "the-other")))
        for user: UserID in ["the-forgotten", "the-author"] { try bench.ask(.removeUser(user)) }
        let text = try SnapshotBytes(FrozenLikes(bench.shared)).text
        #expect(!text.contains("the-forgotten"))
        #expect(text.contains("the-other") && text.contains("the-author"))
        let state = bench.shared.read { $0.users.find("the-forgotten") }
        #expect(state == nil)
    }
}
