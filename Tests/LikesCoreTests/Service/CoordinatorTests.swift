import Testing

@testable import LikesCore

@Suite("The coordinator brings the service up in order and down in reverse")
struct CoordinatorTests {
    private struct Broken: Error {}

    private let log = Heard()

    private func part(_ name: String, fails: Bool = false) -> Coordinator {
        Coordinator(
            name,
            onStart: { [log] in
                log.write("+\(name)")
                if fails { throw Broken() }
            }, onStop: { [log] in log.write("-\(name)") })
    }

    @Test("a part starts before its children, they in order; stopping goes the other way")
    func order() throws {
        let root = part("root")
        root.add(part("a")).add(part("a1"))
        root.add(part("b"))
        #expect(root.children.map(\.name) == ["a", "b"])
        try root.start()
        #expect(log.lines == ["+root", "+a", "+a1", "+b"])
        root.stop()
        #expect(log.lines.suffix(4) == ["-b", "-a1", "-a", "-root"])
    }

    @Test("when a child cannot start, those that had started are stopped, and the fault is told")
    func childFails() throws {
        let root = part("root")
        root.add(part("a"))
        let b = root.add(part("b"))
        b.add(part("b1"))
        b.add(part("b2", fails: true))
        root.add(part("c"))
        #expect(throws: Broken.self) { try root.start() }
        #expect(log.lines == ["+root", "+a", "+b", "+b1", "+b2", "-b1", "-b", "-a", "-root"])
        root.stop()
        #expect(log.lines.count == 9)
    }

    @Test("a part that cannot start itself has nothing to stop")
    func partFails() throws {
        let root = part("root", fails: true)
        root.add(part("a"))
        #expect(throws: Broken.self) { try root.start() }
        #expect(log.lines == ["+root"])
    }

    @Test("starting and stopping twice changes nothing; after a stop it can start again")
    func twice() throws {
        let root = part("root")
        root.add(part("a"))
        root.stop()
        try root.start()
        try root.start()
        root.stop()
        root.stop()
        #expect(log.lines == ["+root", "+a", "-a", "-root"])
        try root.start()
        #expect(log.lines.suffix(2) == ["+root", "+a"])
    }

    @Test("a child knows its parent")
    func parent() {
        let root = part("root")
        let child = root.add(part("a"))
        #expect(child.parent === root)
        #expect(root.parent == nil)
    }
}
