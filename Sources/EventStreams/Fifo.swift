/// A queue: what was put in first is taken out first.
///
/// The room of what is gone is given up now and then only: to move the rest each time would cost more than what is left lying.
struct Fifo<Element> {
    private var slots: [Element?] = []
    /// Slots at the beginning that are empty.
    private var gone = 0

    var count: Int { slots.count - gone }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { slots.append(element) }

    /// Takes the first one out; nil when there is none.
    mutating func popFirst() -> Element? {
        guard gone < slots.count else { return nil }
        let first = slots[gone].take()
        gone += 1
        if gone > slots.count / 2 {
            slots.removeFirst(gone)
            gone = 0
        }
        return first
    }
}

extension Fifo: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Element {
        guard let element = slots[gone + index] else { preconditionFailure("only slots at the beginning are empty") }
        return element
    }
}
