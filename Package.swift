// swift-tools-version:6.2
import PackageDescription

/// One language for every target: Swift 6 mode, warnings are errors, and the upcoming features that make imports and
/// existentials visible where they are used.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What `pegboard version --json` names. A release says it: BUILD_COMMIT=$(git rev-parse HEAD) swift build -c release.
let commit = Context.environment["BUILD_COMMIT"].map { [CSetting.define("PEGBOARD_COMMIT", to: "\"\($0)\"")] } ?? []

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func test(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The store on PostgreSQL, where the package trait asks for it.
let postgres = Target.Dependency.target(name: "LayoutPostgres", condition: .when(traits: ["PostgreSQL"]))

// The arrows: what a target may import. `ArchitectureTests` holds the sources to this list.
let package = Package(
    name: "pegboard",
    // For the client library: the oldest that have `Synchronization.Mutex`.
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [
        .executable(name: "pegboard", targets: ["pegboard"]),
        .library(name: "PegboardClient", targets: ["PegboardClient"]),
    ],
    traits: [.trait(name: "PostgreSQL", description: "Layouts in PostgreSQL as well as in SQLite: needs libpq.")],
    targets: [
        // The rules. They import nothing.
        target("LayoutModel"),
        target("LayoutApplication", ["LayoutModel", "Locking"]),

        // HTTP/1.1: messages without I/O, then sockets and event loops.
        target("HTTP1"),
        target("HTTPTransport", ["HTTP1", "Locking", "CSystem", "COpenSSL"]),

        // Adapters: they know the port, never each other.
        target(
            "LayoutAPI",
            [
                "LayoutApplication", "LayoutModel", "HTTP1", "Metrics", "Locking", "APIDocument", "ConsoleFiles",
                "CZlib",
                "COpenSSL",
            ]),
        target(
            "LayoutSQLite",
            [
                "LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutMigrations", "Locking", "CSQLite",
                "CSystem",
            ]),
        target(
            "LayoutPostgres",
            ["LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutMigrations", "Locking", "CPostgreSQL"]),
        // What the two stores write alike: rows, their checksums, the history of the schema.
        target("LayoutRecords", ["LayoutApplication", "LayoutModel", "CZlib"]),
        .target(
            name: "LayoutMigrations", dependencies: ["CZlib"], path: "Migrations",
            resources: [.embedInCode("SQLite"), .embedInCode("PostgreSQL")], swiftSettings: settings),

        // What the API documents of itself, as files that are embedded.
        .target(name: "APIDocument", exclude: ["document"]),

        // The program: joins them.
        .executableTarget(
            name: "pegboard",
            dependencies: [
                "LayoutAPI", "LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutMigrations", "LayoutSQLite",
                "HTTPTransport", "HTTP1", "Metrics", "Locking", "CSystem", postgres,
            ],
            resources: [.embedInCode("Demo/catalog.json")], swiftSettings: settings),

        // The client: what an app drops behind its collection view, and two devices of it in a terminal.
        target("PegboardClient", ["LayoutModel", "Locking"]),
        .executableTarget(
            name: "two-devices", dependencies: ["PegboardClient"], path: "Examples/TwoDevices", swiftSettings: settings),

        // What the others stand on: a lock, counters, and five C libraries.
        target("Locking"),
        target("Metrics", ["Locking", "CSystem"]),
        .target(name: "CSystem", cSettings: commit),
        .target(name: "ConsoleFiles", exclude: ["web"]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Compiled against in every build, and linked with the trait alone: see its header.
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),

        // What `make bench` measures inside the program.
        .executableTarget(
            name: "bench-parts",
            dependencies: ["LayoutAPI", "LayoutSQLite", "LayoutApplication", "LayoutModel", "HTTP1"],
            path: "Benchmarks/Parts", swiftSettings: settings),

        // The tests mirror the sources; `LayoutTesting` is what several of them share.
        .target(
            name: "LayoutTesting", dependencies: ["LayoutModel", "LayoutApplication", "HTTP1", "Locking", postgres],
            path: "Tests/LayoutTesting", swiftSettings: settings),
        .executableTarget(
            name: "eight-devices", dependencies: ["PegboardClient", "LayoutTesting"], path: "Tests/EightDevices",
            swiftSettings: settings),
        test("ArchitectureTests", []),
        test(
            "AuthenticationTests",
            ["LayoutAPI", "LayoutApplication", "LayoutModel", "HTTP1", "Metrics", "Locking", "COpenSSL"]),
        test("LayoutModelTests", ["LayoutModel", "LayoutTesting"]),
        test("LayoutApplicationTests", ["LayoutApplication", "LayoutModel", "LayoutTesting", "Locking"]),
        test(
            "LayoutAPITests",
            ["LayoutAPI", "LayoutApplication", "LayoutModel", "LayoutTesting", "HTTP1", "Locking"]),
        test("HTTP1Tests", ["HTTP1"]),
        test("MetricsTests", ["Metrics"]),
        test("HTTPTransportTests", ["HTTPTransport", "HTTP1", "Locking", "COpenSSL"]),
        test("PegboardTests", ["pegboard"]),
        test("PegboardClientTests", ["PegboardClient", "HTTPTransport", "HTTP1", "Locking"]),
        test(
            "SyncSimulationTests",
            ["PegboardClient", "LayoutAPI", "LayoutApplication", "LayoutModel", "LayoutTesting", "HTTP1", "Locking"]),
        test(
            "StoreConformanceTests",
            ["LayoutApplication", "LayoutModel", "LayoutSQLite", "LayoutTesting", "Locking", postgres]),
        test(
            "LayoutSQLiteTests",
            [
                "LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutSQLite", "LayoutMigrations",
                "LayoutTesting", "Locking", "CSystem",
            ]),
        test(
            "LayoutPostgresTests",
            [
                "LayoutApplication", "LayoutModel", "LayoutRecords", "LayoutMigrations", "LayoutTesting", "Locking",
                postgres,
            ]),
    ]
)
