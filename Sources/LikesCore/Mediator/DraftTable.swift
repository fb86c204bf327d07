/// Plain values by handles, or pairs of handles, for as long as a draft is being made.
///
/// A hash table of open addressing, that hashes as the indexes of the state do and never takes anything out. Every like of a
/// commit goes through three of them: a dictionary takes several times as long.
struct DraftTable<Value: BitwiseCopyable> {
    private struct Slot: BitwiseCopyable {
        var key: UInt64
        var value: Value
    }

    /// The key of an empty slot: a pair of two handles that mean nothing.
    private static var none: UInt64 { .max }
    private static var smallest: Int { 32 }

    private var slots: ContiguousArray<Slot> = []
    private var count = 0
    /// Slots that there will be next.
    private var capacity: Int
    private let filler: Value
    private let hashKey: HashKey

    /// - Parameters:
    ///   - filler: a value of no meaning.
    ///   - expected: keys for which there is room from the first one on.
    init(filler: Value, hashKey: HashKey, expecting expected: Int) {
        self.filler = filler
        self.hashKey = hashKey
        capacity = Self.smallest
        while capacity < expected * 2 { capacity *= 2 }
    }

    /// The value of a key, if it has one.
    subscript(key: UInt64) -> Value? {
        if count == 0 { return nil }
        let slot = slots[place(of: key)]
        return slot.key == key ? slot.value : nil
    }

    /// The value of a handle, if it has one.
    subscript(handle: UInt32) -> Value? { self[UInt64(handle)] }

    /// Sets the value of a key.
    mutating func set(_ value: Value, _ key: UInt64) {
        // Three quarters full at most, so that searches stay short.
        if (count + 1) * 4 > slots.count * 3 { grow() }
        let place = place(of: key)
        if slots[place].key != key { count += 1 }
        slots[place] = Slot(key: key, value: value)
    }

    /// The slot with a key, or the empty one into which it belongs.
    private func place(of key: UInt64) -> Int {
        let mask = slots.count - 1
        let hash = hashKey.hash(UInt32(truncatingIfNeeded: key >> 32), UInt32(truncatingIfNeeded: key))
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place].key != key, slots[place].key != Self.none { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = slots
        let empty = Slot(key: Self.none, value: filler)
        slots = ContiguousArray(repeating: empty, count: capacity)
        capacity *= 2
        for slot in old where slot.key != Self.none { slots[place(of: slot.key)] = slot }
    }
}

extension DraftTable where Value == Int64 {
    /// Adds to the number of a handle, which begins with 0; the new number.
    @discardableResult
    mutating func add(_ difference: Int64, to handle: UInt32) -> Int64 {
        let number = (self[handle] ?? 0) + difference
        set(number, UInt64(handle))
        return number
    }
}
