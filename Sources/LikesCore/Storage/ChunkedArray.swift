/// A growing array of plain values in chunks: growth never moves what is there, so it never pauses for a copy, and
/// a chunk costs memory from the first value that is set in it on.
@safe struct ChunkedArray<Element: BitwiseCopyable>: ~Copyable {
    private static var shift: Int { 12 }
    private static var chunkSize: Int { 1 << shift }

    // Safety: an index is checked against `count`; the directory has a place for every chunk below it, as long as
    // `memory` lives.
    private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
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
        var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
        var capacity: Int

        init(_ chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>, capacity: Int) {
            unsafe self.chunks = unsafe chunks
            self.capacity = capacity
        }

        deinit {
            for index in 0..<capacity { unsafe chunks[index]?.deallocate() }
            unsafe chunks.deallocate()
        }
    }

    /// An empty array; new places hold `filler`.
    init(filler: Element) {
        self.filler = filler
        directoryCapacity = 16
        unsafe chunks = .allocate(capacity: directoryCapacity)
        unsafe chunks.initialize(repeating: nil, count: directoryCapacity)
        memory = unsafe Memory(chunks, capacity: directoryCapacity)
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
        let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>?>.allocate(capacity: capacity)
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
            return unsafe chunk[index & (Self.chunkSize - 1)]
        }
        set {
            precondition(index >= 0 && index < count)
            let chunk = unsafe chunks[index >> Self.shift] ?? makeChunk(index >> Self.shift)
            unsafe chunk[index & (Self.chunkSize - 1)] = newValue
        }
    }

    private func makeChunk(_ index: Int) -> UnsafeMutablePointer<Element> {
        let chunk = UnsafeMutablePointer<Element>.allocate(capacity: Self.chunkSize)
        unsafe chunk.initialize(repeating: filler, count: Self.chunkSize)
        unsafe chunks[index] = unsafe chunk
        return unsafe chunk
    }

    subscript(index: UInt32) -> Element {
        get { self[Int(index)] }
        set { self[Int(index)] = newValue }
    }
}
