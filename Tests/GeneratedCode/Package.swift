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
  name: "GeneratedCode",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sluice", path: "../..")],
  targets: [
    .testTarget(
      name: "GeneratedCodeTests", dependencies: [.product(name: "Sluice", package: "Sluice")],
      path: "Tests", swiftSettings: strict,
      plugins: [.plugin(name: "SluiceQueries", package: "Sluice")])
  ]
)
