// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target.
///
/// A setting that makes a warning an error would keep Xcode from compiling the package, because Xcode suppresses the warnings
/// of packages that it fetches. `make check` refuses all warnings.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The settings of test targets, which `make release` compiles without optimization to save time.
///
/// The library stays optimized. SwiftPM accepts unsafe flags in targets that belong to no product.
let test =
  strict + [
    .unsafeFlags(
      ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"],
      .when(configuration: .release))
  ]

/// The SQLite of the system, which pkg-config finds on Linux.
///
/// On a Mac, pkg-config would find the SQLite of Homebrew, which lacks functions that Apple's has.
#if os(macOS)
  let systemSQLite = Target.systemLibrary(name: "CSystemSQLite")
#else
  let systemSQLite = Target.systemLibrary(
    name: "CSystemSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])])
#endif

/// CSluice, and the SQLite module that the traits select.
let sqlite: [Target.Dependency] = [
  "CSluice",
  .target(name: "CSystemSQLite", condition: .when(traits: ["SystemSQLite"])),
  .product(name: "CSQLite", package: "CSQLite", condition: .when(traits: ["BundledSQLite"])),
]

let package = Package(
  name: "Sluice",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Sluice", targets: ["Sluice"]),
    .library(name: "SluiceCore", targets: ["SluiceCore"]),
    .library(name: "SluiceModels", targets: ["SluiceModels"]),
    .library(name: "SluiceExtras", targets: ["SluiceExtras"]),
    .library(name: "SluiceData", targets: ["SluiceData"]),
    .library(name: "SluiceCluster", targets: ["SluiceCluster"]),
    .library(name: "SluiceTesting", targets: ["SluiceTesting"]),
    .executable(name: "sluice", targets: ["SluiceTool"]),
    // A plugin in the same package finds a tool by a product that has the name of the tool's target.
    .executable(name: "SluiceTool", targets: ["SluiceTool"]),
    .plugin(name: "SluiceQueries", targets: ["SluiceQueries"]),
  ],
  traits: [
    .default(enabledTraits: ["SystemSQLite"]),
    .trait(name: "SystemSQLite", description: "Links the SQLite of the system."),
    .trait(name: "BundledSQLite", description: "Compiles SQLite from the package CSQLite."),
  ],
  dependencies: [
    // Without the trait BundledSQLite, this dependency is neither resolved nor fetched.
    .package(
      url: "https://github.com/sbooth/CSQLite", from: "3.53.0",
      traits: [
        "THREADSAFE_2", "ENABLE_COLUMN_METADATA", "ENABLE_DBPAGE_VTAB", "ENABLE_DBSTAT_VTAB",
        "ENABLE_FTS4", "ENABLE_FTS5", "ENABLE_GEOPOLY", "ENABLE_MATH_FUNCTIONS",
        "ENABLE_NORMALIZE", "ENABLE_PREUPDATE_HOOK", "ENABLE_RTREE", "ENABLE_SESSION",
        "ENABLE_SNAPSHOT", "ENABLE_STAT4", "ENABLE_STMTVTAB",
      ])
  ],
  targets: [
    systemSQLite,
    // Swift files get SQLite's declarations by importing this module, which consists of headers only: whenever SwiftPM
    // plans a build with the plugin, it would recompile C files and every module that depends on them.
    .systemLibrary(name: "CSluice"),
    .target(
      name: "SluiceCore", dependencies: sqlite, swiftSettings: strict,
      linkerSettings: [.linkedLibrary("sqlite3", .when(traits: ["SystemSQLite"]))]),
    .target(name: "Sluice", dependencies: ["SluiceCore"], swiftSettings: strict),
    .target(name: "SluiceExtras", dependencies: ["Sluice", "SluiceCore"], swiftSettings: strict),
    .target(name: "SluiceData", dependencies: ["Sluice", "SluiceCore"], swiftSettings: strict),
    .target(
      name: "SluiceCluster", dependencies: ["Sluice", "SluiceCore", "SluiceData"],
      swiftSettings: strict),
    .target(name: "SluiceModels", dependencies: ["Sluice", "SluiceCore"], swiftSettings: strict),
    .target(name: "SluiceSQL", dependencies: ["Sluice"], swiftSettings: strict),
    .target(
      name: "SluiceCommand", dependencies: ["Sluice", "SluiceData", "SluiceSQL"],
      swiftSettings: strict),
    // No target of this package uses the plugin: SwiftPM would build its tool, with all of Sluice, a second time.
    .executableTarget(name: "SluiceTool", dependencies: ["SluiceCommand"], swiftSettings: strict),
    .plugin(name: "SluiceQueries", capability: .buildTool(), dependencies: ["SluiceTool"]),
    .target(name: "SluiceTesting", dependencies: ["Sluice", "SluiceCore"], swiftSettings: strict),
    .target(name: "Allocations", dependencies: sqlite, path: "Tests/Allocations"),
    .target(
      name: "TestSupport", dependencies: ["SluiceCore", "SluiceTesting"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "SluiceCoreTests",
      dependencies: ["SluiceCore", "SluiceTesting", "CSluice", "Allocations", "TestSupport"],
      swiftSettings: test),
    .testTarget(
      name: "SluiceExtrasTests",
      dependencies: ["SluiceExtras", "SluiceTesting", "TestSupport"], swiftSettings: test),
    .testTarget(
      name: "SluiceDataTests",
      dependencies: ["SluiceData", "SluiceTesting", "TestSupport", "Allocations"],
      swiftSettings: test),
    .testTarget(
      name: "SluiceClusterTests",
      dependencies: ["SluiceCluster", "SluiceData", "SluiceTesting", "TestSupport"],
      swiftSettings: test),
    // These tests are optimized in release mode, like the code of a user.
    .testTarget(
      name: "SluiceAllocationTests",
      dependencies: ["SluiceCore", "SluiceTesting", "CSluice", "Allocations"],
      swiftSettings: strict),
    .executableTarget(
      name: "MigrationProcess", dependencies: ["Sluice"], path: "Tests/MigrationProcess",
      swiftSettings: strict),
    .executableTarget(
      name: "WriterProcess", dependencies: ["Sluice"], path: "Tests/WriterProcess",
      swiftSettings: strict),
    .testTarget(
      name: "SluiceTests",
      dependencies: [
        "Sluice", "SluiceExtras", "SluiceModels", "SluiceData", "SluiceCluster", "SluiceTesting",
        "CSluice", "TestSupport", "MigrationProcess", "WriterProcess",
      ],
      swiftSettings: test),
    .testTarget(
      name: "SluiceModelsTests", dependencies: ["SluiceModels", "SluiceTesting", "TestSupport"],
      swiftSettings: test),
    .testTarget(
      name: "SluiceSQLTests", dependencies: ["SluiceSQL", "Sluice", "TestSupport"],
      exclude: ["Golden"],
      swiftSettings: test),
    .testTarget(
      name: "SluiceTestingTests", dependencies: ["SluiceTesting", "TestSupport"],
      swiftSettings: test),
    .executableTarget(
      name: "Trust",
      dependencies: [
        "SluiceTesting", "SluiceExtras", "SluiceModels", "SluiceData", "SluiceSQL", "CSluice",
      ],
      path: "Tests/Trust", exclude: ["Accepted"], swiftSettings: strict),
    .testTarget(
      name: "SluiceCommandTests", dependencies: ["SluiceCommand", "Sluice", "TestSupport"],
      swiftSettings: test),
  ]
)
