import Testing
import Threading

@testable import LikesCore

/// A snapshot in memory: the frames of each section.
final class SnapshotBytes: Sendable {
    private let frames: [SnapshotSection: [[UInt8]]]

    init(_ frozen: FrozenLikes) throws {
        var frames: [SnapshotSection: [[UInt8]]] = [:]
        for section in SnapshotSection.allCases {
            let written = Locked<[[UInt8]]>([])
            var encoder = unsafe SnapshotEncoder { frame in
                let bytes = unsafe Array(frame)
                written.withLock { $0.append(bytes) }
            }
            try frozen.encode(section, to: &encoder)
            frames[section] = written.withLock { $0 }
        }
        self.frames = frames
    }

    private init(frames: [SnapshotSection: [[UInt8]]]) { self.frames = frames }

    /// The size of all frames together.
    var count: Int { frames.values.joined().reduce(0) { $0 + $1.count } }

    /// All bytes as text, to look for ids in.
    var text: String { String(decoding: frames.values.joined().joined(), as: UTF8.self) }

    /// The same without the end of a section.
    func cutting(_ section: SnapshotSection, to count: Int) -> SnapshotBytes {
        var cut = frames
        cut[section] = [Array((cut[section] ?? []).joined().prefix(count))]
        return SnapshotBytes(frames: cut)
    }

    /// The state of the snapshot.
    func state(dustLimit: UInt32 = LikeLog.defaultDustLimit) throws -> LikesState {
        let frames = frames
        return try LikesState(dustLimit: dustLimit) { section in
            let reading = Reading(frames[section] ?? [])
            return unsafe SnapshotDecoder { unsafe reading.next() }
        }
    }

    /// Hands out frames, each valid until the next.
    @safe private final class Reading: @unchecked Sendable {
        // Safety: used by one thread.
        private var rest: ArraySlice<[UInt8]>
        private let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SnapshotEncoder.frameBytes, alignment: 16)

        init(_ frames: [[UInt8]]) { rest = frames[...] }

        deinit { unsafe buffer.deallocate() }

        func next() -> UnsafeRawBufferPointer {
            let frame = rest.popFirst() ?? []
            unsafe buffer.copyBytes(from: frame)
            return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<frame.count])
        }
    }
}
