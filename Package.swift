// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target of Sluice is held to; touching a pointer without saying `unsafe` is an error.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatWarning("StrictMemorySafety", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Sluice",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Sluice", targets: ["Sluice"]),
    .library(name: "SluiceCore", targets: ["SluiceCore"]),
    .library(name: "SluiceModels", targets: ["SluiceModels"]),
    .library(name: "SluiceTesting", targets: ["SluiceTesting"]),
    .executable(name: "sluice", targets: ["SluiceTool"]),
    // A plugin of the same package finds a tool by a product of the name of its target.
    .executable(name: "SluiceTool", targets: ["SluiceTool"]),
    .plugin(name: "SluiceQueries", targets: ["SluiceQueries"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(name: "CSluice", dependencies: ["CSQLite"]),
    .target(
      name: "SluiceCore", dependencies: ["CSQLite", "CSluice"], swiftSettings: strict),
    .target(name: "Sluice", dependencies: ["SluiceCore"], swiftSettings: strict),
    .target(name: "SluiceModels", dependencies: ["Sluice", "SluiceCore"], swiftSettings: strict),
    .target(name: "SluiceSQL", dependencies: ["Sluice"], swiftSettings: strict),
    .target(name: "SluiceCommand", dependencies: ["Sluice", "SluiceSQL"], swiftSettings: strict),
    // Tests that use the plugin are linked with its tool once more, so that it holds as good as nothing.
    .executableTarget(name: "SluiceTool", dependencies: ["SluiceCommand"], swiftSettings: strict),
    .plugin(name: "SluiceQueries", capability: .buildTool(), dependencies: ["SluiceTool"]),
    .target(name: "SluiceTesting", dependencies: ["Sluice", "SluiceCore"], swiftSettings: strict),
    .executableTarget(
      name: "codesearch", dependencies: ["Sluice"], path: "Examples/codesearch",
      swiftSettings: strict),
    .executableTarget(
      name: "bookshelf", dependencies: ["Sluice"], path: "Examples/bookshelf",
      swiftSettings: strict, plugins: ["SluiceQueries"]),
    .target(name: "Allocations", dependencies: ["CSQLite"], path: "Tests/Allocations"),
    .testTarget(
      name: "SluiceCoreTests",
      dependencies: ["SluiceCore", "SluiceTesting", "CSQLite", "Allocations"],
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
        "Sluice", "SluiceModels", "SluiceTesting", "CSQLite", "MigrationProcess", "WriterProcess",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SluiceModelsTests", dependencies: ["SluiceModels", "SluiceTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "SluiceSQLTests", dependencies: ["SluiceSQL", "Sluice"], exclude: ["Golden"],
      swiftSettings: strict, plugins: ["SluiceQueries"]),
    .testTarget(
      name: "SluiceTestingTests", dependencies: ["SluiceTesting"], swiftSettings: strict),
    .executableTarget(
      name: "Trust",
      dependencies: ["SluiceTesting", "SluiceModels", "SluiceSQL", "CSQLite"],
      path: "Tests/Trust", exclude: ["Accepted"], swiftSettings: strict),
    .testTarget(
      name: "SluiceCommandTests", dependencies: ["SluiceCommand", "Sluice"], swiftSettings: strict),
    .testTarget(
      name: "BookshelfTests", dependencies: ["bookshelf", "Sluice"], swiftSettings: strict),
    .testTarget(
      name: "CodesearchTests", dependencies: ["codesearch", "Sluice", "SluiceTesting"],
      swiftSettings: strict),
  ]
)
