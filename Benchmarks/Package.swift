// swift-tools-version: 6.2
import PackageDescription

/// What is measured is what an outsider can write: safe Swift, in a module of its own.
///
/// `unsafe` marks the C side.
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
      name: "Benchmarks", dependencies: ["CTwins", .product(name: "Sluice", package: "Sluice")],
      swiftSettings: strict, plugins: [.plugin(name: "SluiceQueries", package: "Sluice")]),
    .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"], swiftSettings: strict),
    .executableTarget(
      name: "MemoryOfSluice", dependencies: [.product(name: "SluiceCore", package: "Sluice")],
      swiftSettings: strict),
  ]
)
