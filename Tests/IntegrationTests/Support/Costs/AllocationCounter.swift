import Foundation

/// The counts of `bench/requests/mallocs.c`, which is loaded into a server before its libraries.
struct AllocationCounter {
    /// The environment of a server whose allocations are counted.
    let environment: [String: String]
    private let file: String

    /// A counter that keeps its counts in a folder.
    init(in folder: String) throws {
        let library = Places.mallocs
        guard FileManager.default.fileExists(atPath: library) else {
            throw Failure("\(library) is missing: `make test` builds it, or LIKESD_MALLOCS says where it is")
        }
        file = folder + "/mallocs"
        environment = ["LD_PRELOAD": library, "MALLOCS_FILE": file]
    }

    /// How many blocks have been taken and resized so far.
    var count: UInt64 {
        get throws {
            // Three numbers: taken, resized, given back.
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            guard bytes.count == 24 else { throw Failure("no counts of allocations in \(file): \(bytes.count) bytes") }
            return [0, 8].reduce(0) { sum, place in
                sum + bytes[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
        }
    }
}
