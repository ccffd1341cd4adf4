// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "bookshelf",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sluice", path: "../..")],
  targets: [
    .executableTarget(
      name: "bookshelf", dependencies: [.product(name: "Sluice", package: "Sluice")],
      path: "Sources",
      // Enable testability in optimized builds for this target only, so that Sluice is not compiled again.
      swiftSettings: strict + [.unsafeFlags(["-enable-testing"], .when(configuration: .release))],
      plugins: [.plugin(name: "SluiceQueries", package: "Sluice")]),
    .testTarget(
      name: "BookshelfTests",
      dependencies: ["bookshelf", .product(name: "Sluice", package: "Sluice")],
      path: "Tests", swiftSettings: strict),
  ]
)
