internal import Synchronization

/// A piece of plain memory that several owners may share, until one of them is about to change it and copies it first.
///
/// This is what makes a frozen copy of the whole state cheap: the copy shares every chunk, and a chunk is copied when
/// it is changed for the first time after that. Whoever has a chunk to itself changes it in place; everybody else may
/// go on reading theirs, from any thread, without a lock.
@safe struct Chunk<Element: BitwiseCopyable> {
    // Safety: `elements` lies behind a header with the number of owners, in one allocation that lives until the last
    // owner lets go. An owner writes only while it is the only one.
    let elements: UnsafeMutablePointer<Element>

    /// Bytes before the elements; a multiple of every alignment in use.
    private static var headerBytes: Int { 16 }

    /// A new chunk with one owner; its elements are not set.
    init(capacity: Int) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.headerBytes + capacity * MemoryLayout<Element>.stride, alignment: 16)
        unsafe memory.initializeMemory(as: Int.self, to: 1)
        unsafe elements = unsafe (memory + Self.headerBytes).assumingMemoryBound(to: Element.self)
    }

    private var memory: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(elements) - Self.headerBytes }

    private var owners: UnsafeMutablePointer<Atomic<Int>> { unsafe memory.assumingMemoryBound(to: Atomic<Int>.self) }

    /// Whether somebody else reads it, too: then it must not be changed.
    var isShared: Bool { unsafe owners.pointee.load(ordering: .acquiring) != 1 }

    /// One owner more.
    func retain() { unsafe owners.pointee.wrappingAdd(1, ordering: .relaxed) }

    /// One owner less; the last one frees the memory.
    func release() {
        // Acquiring and releasing: what one owner read must be over before another one writes or frees.
        if unsafe owners.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            unsafe memory.deallocate()
        }
    }

    /// The same for an owner that is about to change it: itself, or a copy in exchange for its share.
    ///
    /// - Parameter count: the number of elements that are in use.
    func unshared(count: Int, capacity: Int) -> Chunk {
        guard isShared else { return self }
        let copy = Chunk(capacity: capacity)
        unsafe copy.elements.initialize(from: elements, count: count)
        release()
        return copy
    }
}
