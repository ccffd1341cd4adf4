// swift-tools-version: 6.2
import PackageDescription

/// The settings of all Swift targets, which measure safe Swift in a separate module, as a user would write it.
///
/// `unsafe` marks the calls of C.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sluice", path: "..")],
  targets: [
    .target(
      name: "CTwins", cSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CTwins", .product(name: "Sluice", package: "Sluice"),
        .product(name: "SluiceModels", package: "Sluice"),
        .product(name: "SluiceData", package: "Sluice"),
      ],
      swiftSettings: strict, plugins: [.plugin(name: "SluiceQueries", package: "Sluice")]),
    .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"], swiftSettings: strict),
    .executableTarget(
      name: "Soak", dependencies: [.product(name: "Sluice", package: "Sluice")],
      swiftSettings: strict),
    .executableTarget(
      name: "MemoryOfSluice", dependencies: [.product(name: "SluiceCore", package: "Sluice")],
      swiftSettings: strict),
  ]
)
