/// A growing array of plain values in chunks: growth never moves what is there, so it never pauses for a copy, and
/// a chunk costs memory from the first value that is set in it on.
@safe struct ChunkedArray<Element: BitwiseCopyable>: ~Copyable {
    private static var shift: Int { 10 }
    private static var chunkSize: Int { 1 << shift }

    // Safety: an index is checked against `count`; the directory has a place for every chunk below it, as long as
    // `memory` lives.
    private var chunks: UnsafeMutablePointer<Chunk<Element>?>
    private var directoryCapacity: Int
    private(set) var count = 0
    private let filler: Element
    private let memory: Memory

    /// Frees what the array has allocated.
    ///
    /// A `deinit` of the array's own would not do: Swift 6.3 does not call that of a generic struct of plain values
    /// unless the whole module is compiled at once (swiftlang/swift#89686).
    @safe private final class Memory {
        // Safety: the array tells it of each new directory; nothing else frees it.
        var chunks: UnsafeMutablePointer<Chunk<Element>?>
        var capacity: Int

        init(_ chunks: UnsafeMutablePointer<Chunk<Element>?>, capacity: Int) {
            unsafe self.chunks = unsafe chunks
            self.capacity = capacity
        }

        deinit {
            for index in 0..<capacity { unsafe chunks[index]?.release() }
            unsafe chunks.deallocate()
        }
    }

    /// An empty array; new places hold `filler`.
    init(filler: Element) { self.init(filler: filler, directoryCapacity: 16) }

    private init(filler: Element, directoryCapacity: Int) {
        self.filler = filler
        self.directoryCapacity = directoryCapacity
        unsafe chunks = .allocate(capacity: directoryCapacity)
        unsafe chunks.initialize(repeating: nil, count: directoryCapacity)
        memory = unsafe Memory(chunks, capacity: directoryCapacity)
    }

    /// A copy that shares every chunk for as long as neither changes it.
    func frozenCopy() -> ChunkedArray {
        var copy = ChunkedArray(filler: filler, directoryCapacity: directoryCapacity)
        copy.count = count
        for index in 0..<directoryCapacity {
            guard let chunk = unsafe chunks[index] else { continue }
            chunk.retain()
            unsafe copy.chunks[index] = chunk
        }
        return copy
    }

    /// Makes places up to `newCount`.
    mutating func grow(to newCount: Int) {
        guard newCount > count else { return }
        let neededChunks = (newCount + Self.chunkSize - 1) >> Self.shift
        if neededChunks > directoryCapacity { growDirectory(to: neededChunks) }
        count = newCount
    }

    private mutating func growDirectory(to needed: Int) {
        let capacity = max(needed, directoryCapacity * 2)
        let larger = UnsafeMutablePointer<Chunk<Element>?>.allocate(capacity: capacity)
        unsafe larger.initialize(repeating: nil, count: capacity)
        unsafe larger.update(from: chunks, count: directoryCapacity)
        unsafe chunks.deallocate()
        unsafe chunks = unsafe larger
        directoryCapacity = capacity
        unsafe memory.chunks = unsafe larger
        memory.capacity = capacity
    }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count)
            guard let chunk = unsafe chunks[index >> Self.shift] else { return filler }
            return unsafe chunk.elements[index & (Self.chunkSize - 1)]
        }
        set {
            precondition(index >= 0 && index < count)
            unsafe ownChunk(index >> Self.shift).elements[index & (Self.chunkSize - 1)] = newValue
        }
    }

    /// A chunk that may be changed.
    private func ownChunk(_ index: Int) -> Chunk<Element> {
        if let chunk = unsafe chunks[index] {
            guard chunk.isShared else { return chunk }
            let own = chunk.unshared(count: Self.chunkSize, capacity: Self.chunkSize)
            unsafe chunks[index] = own
            return own
        }
        let chunk = Chunk<Element>(capacity: Self.chunkSize)
        unsafe chunk.elements.initialize(repeating: filler, count: Self.chunkSize)
        unsafe chunks[index] = chunk
        return chunk
    }

    subscript(index: UInt32) -> Element {
        get { self[Int(index)] }
        set { self[Int(index)] = newValue }
    }
}

extension ChunkedArray {
    /// Writes the count, then every chunk that is there, with its number.
    func encode(to encoder: inout SnapshotEncoder) throws(JournalError) {
        let chunkCount = (count + Self.chunkSize - 1) >> Self.shift
        try encoder.put(UInt64(count))
        for index in 0..<chunkCount {
            guard let chunk = unsafe chunks[index] else { continue }
            try encoder.put(UInt32(index))
            try unsafe encoder.put(
                UnsafeRawBufferPointer(UnsafeBufferPointer(start: chunk.elements, count: Self.chunkSize)))
        }
        try encoder.put(UInt32.max)
    }

    /// The array that `encode` wrote.
    init(filler: Element, from decoder: inout SnapshotDecoder) throws(JournalError) {
        self.init(filler: filler)
        let newCount = try decoder.number(UInt64.self)
        guard newCount <= UInt64(UInt32.max) + 1 else { throw SnapshotDecoder.damage }
        grow(to: Int(newCount))
        while true {
            let index = try decoder.number(UInt32.self)
            if index == UInt32.max { return }
            guard Int(index) << Self.shift < count else { throw SnapshotDecoder.damage }
            let chunk = ownChunk(Int(index))
            try unsafe decoder.read(
                into: UnsafeMutableRawBufferPointer(
                    UnsafeMutableBufferPointer(start: chunk.elements, count: Self.chunkSize)))
        }
    }
}
