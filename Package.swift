// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: Swift 6, no warning passes, every unsafe expression says so.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "likesd",
    products: [.executable(name: "likesd", targets: ["likesd"])],
    targets: [
        // C libraries: a module map and a shim, nothing more. They are found where the compiler and the linker look anyway: what
        // pkg-config says would come before Linking/.
        .systemLibrary(name: "CMicroHTTPD"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CJansson"),
        .systemLibrary(name: "CXXHash"),
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "CLinux"),
        // In the place of GnuTLS, which libmicrohttpd asks for and this server does not use.
        // What a debugger wants of it in an older form: with the one that is usual here valgrind 3.19 gives up.
        .target(name: "NoTLS", cSettings: [.unsafeFlags(["-gdwarf-4"])]),

        // Foundations that know nothing of likes.
        .target(name: "Threading", dependencies: ["CLinux"]),
        .target(name: "Checksum", dependencies: ["CXXHash"]),
        .target(name: "JSONText", dependencies: ["CJansson"]),
        .target(name: "MicroHTTP", dependencies: ["CMicroHTTPD", "Threading"]),
        .target(name: "Metrics"),
        .target(name: "Logging", dependencies: ["JSONText", "Threading"]),

        // The domain, and the technologies behind it.
        .target(name: "LikesCore", dependencies: ["Threading"]),
        .target(name: "EventStreams", dependencies: ["CLinux", "LikesCore", "MicroHTTP", "Threading"]),
        .target(name: "JournalSQLite", dependencies: ["CSQLite", "Checksum", "JSONText", "LikesCore", "Threading"]),
        .target(name: "SnapshotFiles", dependencies: ["Checksum", "LikesCore", "Threading"]),
        .target(
            name: "WebPage", dependencies: ["CZlib", "Checksum"],
            resources: [
                .embedInCode("Files/page.html"), .embedInCode("Files/page.css"), .embedInCode("Files/app.js"),
                .embedInCode("Files/mediator.js"), .embedInCode("Files/client.js"),
                .embedInCode("Files/elements.js"), .embedInCode("Files/feed.js"),
                .embedInCode("Files/detail.js"), .embedInCode("Files/profile.js"),
                .embedInCode("Files/like-button.js"),
                .embedInCode("Files/demo.html"), .embedInCode("Files/demo.js"),
            ]),
        .target(
            name: "LikesAPI",
            dependencies: [
                "EventStreams", "JSONText", "LikesCore", "Logging", "Metrics", "MicroHTTP", "Threading", "WebPage",
            ],
            resources: [.embedInCode("Resources/openapi.yaml")]),
        .executableTarget(
            name: "likesd",
            dependencies: [
                "EventStreams", "JSONText", "JournalSQLite", "LikesAPI", "LikesCore", "Logging", "Metrics", "MicroHTTP",
                "NoTLS", "SnapshotFiles", "Threading",
            ],
            // Less to be resident of what is linked in: no exported symbols, which the static standard library asks for,
            // relocations in their short form, which needs glibc 2.36 and the linker that comes with Swift, and each of the
            // functions with equal code once: nobody compares their addresses. Linking/ has the C++ runtime and libmicrohttpd
            // linked in, and lets the functions that a start runs lie side by side: with each page that is touched the
            // system maps those around it.
            linkerSettings: [
                .unsafeFlags([
                    "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
                    "--no-export-dynamic", "-Xlinker", "--icf=all", "-Xlinker",
                    "--symbol-ordering-file=Linking/functions.txt",
                    "-Xlinker", "--no-warn-symbol-ordering", "-LLinking",
                ])
            ]),

        // Tests.
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .target(
            name: "ParserProperties", dependencies: ["JSONText", "LikesAPI", "LikesCore", "MicroHTTP", "WebPage"],
            path: "Tests/ParserProperties"),
        .testTarget(name: "ThreadingTests", dependencies: ["Threading"]),
        .testTarget(name: "JSONTextTests", dependencies: ["JSONText"]),
        .testTarget(name: "MetricsTests", dependencies: ["Metrics"]),
        .testTarget(name: "LoggingTests", dependencies: ["Logging", "Threading"]),
        .testTarget(name: "MicroHTTPTests", dependencies: ["MicroHTTP", "Threading"]),
        .testTarget(
            name: "EventStreamsTests", dependencies: ["EventStreams", "LikesCore", "MicroHTTP", "Threading"]),
        .testTarget(name: "LikesCoreTests", dependencies: ["LikesCore", "TestSupport", "Threading"]),
        .testTarget(
            name: "JournalSQLiteTests", dependencies: ["CSQLite", "JournalSQLite", "LikesCore", "TestSupport"]),
        .testTarget(
            name: "SnapshotFilesTests",
            dependencies: ["Checksum", "LikesCore", "SnapshotFiles", "TestSupport", "Threading"]),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["JournalSQLite", "LikesCore", "SnapshotFiles", "TestSupport", "Threading"]),
        .testTarget(
            name: "LikesAPITests",
            dependencies: [
                "JSONText", "JournalSQLite", "LikesAPI", "LikesCore", "MicroHTTP", "ParserProperties", "TestSupport",
                "WebPage",
            ]),
        .testTarget(
            name: "IntegrationTests", dependencies: ["CSQLite", "likesd", "TestSupport"], exclude: ["FirstFormat"]),
    ]
)

// Its main function is libFuzzer's, which is linked in by `make fuzz` only.
if Context.environment["LIKESD_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(name: "ParserFuzzer", dependencies: ["ParserProperties"], path: "Tests/ParserFuzzer"))
}

// Debug builds, and with them all tests of the targets, look at run time for overlapping accesses to one variable. In a release
// build that would be a tenth of the instructions of a request.
let unchecked: [SwiftSetting] = [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

for target in package.targets where target.type != .system {
    target.swiftSettings = strict + unchecked
}
