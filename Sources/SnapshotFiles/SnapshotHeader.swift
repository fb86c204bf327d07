internal import Checksum
internal import LikesCore

/// The first bytes of a snapshot file, written last: what it holds, and where.
struct SnapshotHeader: Equatable {
    /// Bytes that it takes in the file.
    static let byteCount = 128
    private static let magic = Array("LIKESNAP".utf8)
    private static let checkedBytes = byteCount - 8
    private static let epochBytes = 16

    let format: UInt32
    let position: UInt64
    let epoch: Epoch
    /// The bytes of each section, in the order of `SnapshotSection.allCases`.
    let sections: [Range<UInt64>]

    init(position: UInt64, epoch: Epoch, sections: [Range<UInt64>]) {
        format = FrozenLikes.snapshotFormat
        self.position = position
        self.epoch = epoch
        self.sections = sections
    }

    /// The header in the file's form: little-endian numbers, and a checksum of all that is before it.
    var bytes: [UInt8] {
        var bytes = Self.magic
        Self.append(format, to: &bytes)
        Self.append(UInt32(sections.count), to: &bytes)
        Self.append(position, to: &bytes)
        bytes += epoch.text.utf8.prefix(Self.epochBytes)
        for section in sections {
            Self.append(section.lowerBound, to: &bytes)
            Self.append(section.upperBound, to: &bytes)
        }
        bytes += [UInt8](repeating: 0, count: Self.checkedBytes - bytes.count)
        Self.append(unsafe bytes.withUnsafeBytes { unsafe Checksum.of($0) }, to: &bytes)
        return bytes
    }

    /// The header of a file.
    ///
    /// - Throws: `.unusable` for bytes that are no header, or damaged.
    init(_ bytes: [UInt8]) throws(JournalError) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else {
            throw .unusable("it does not begin as a snapshot does")
        }
        let checksum = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<Self.checkedBytes]))
        }
        guard Self.number(UInt64.self, bytes, at: Self.checkedBytes) == checksum else {
            throw .unusable("its header is damaged")
        }
        format = Self.number(UInt32.self, bytes, at: 8)
        guard format > 0 else { throw .unusable("it is of no format") }
        position = Self.number(UInt64.self, bytes, at: 16)
        epoch = Epoch(text: String(decoding: bytes[24..<24 + Self.epochBytes], as: UTF8.self))
        // Of a newer format no more is known than the format.
        let count = format <= FrozenLikes.snapshotFormat ? SnapshotSection.allCases.count : 0
        var sections: [Range<UInt64>] = []
        for index in 0..<count {
            let start = Self.number(UInt64.self, bytes, at: 40 + 16 * index)
            sections.append(start..<max(start, Self.number(UInt64.self, bytes, at: 48 + 16 * index)))
        }
        self.sections = sections
    }

    private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _: Number.Type, _ bytes: [UInt8], at offset: Int
    ) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(bytes[offset + $1]) << Number(8 * $1) }
    }
}
