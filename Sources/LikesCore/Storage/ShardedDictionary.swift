/// A dictionary in many small tables, so that a change after a frozen copy was made copies one of them, and not everything.
struct ShardedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private static var tableCount: Int { 256 }
    private var tables: [[Key: Value]] = Array(repeating: [:], count: tableCount)

    init() {}

    private static func table(_ key: Key) -> Int { Int(UInt(bitPattern: key.hashValue) % UInt(tableCount)) }

    subscript(key: Key) -> Value? {
        get { tables[Self.table(key)][key] }
        set { tables[Self.table(key)][key] = newValue }
        _modify { yield &tables[Self.table(key)][key] }
    }

    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        _modify { yield &tables[Self.table(key)][key, default: value()] }
    }

    /// All keys, in no order.
    var keys: [Key] { tables.flatMap(\.keys) }

    /// All values, in no order.
    var values: [Value] { tables.flatMap(\.values) }

    @discardableResult
    mutating func removeValue(forKey key: Key) -> Value? { tables[Self.table(key)].removeValue(forKey: key) }
}
