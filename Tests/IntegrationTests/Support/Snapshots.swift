import Foundation

/// The snapshots in a data folder.
enum Snapshots {
    /// Their names, the newest last.
    static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("snapshot-") }.sorted()
    }

    /// Changes one byte in the middle of a snapshot.
    static func damage(_ folder: String, _ name: String) throws {
        let place = URL(fileURLWithPath: "\(folder)/\(name)")
        var bytes = try Data(contentsOf: place)
        bytes[bytes.count / 2] ^= 0x10
        try bytes.write(to: place)
    }
}
