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
  name: "codesearch",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sluice", path: "../..")],
  targets: [
    .executableTarget(
      name: "codesearch", dependencies: [.product(name: "Sluice", package: "Sluice")],
      path: "Sources", swiftSettings: strict),
    .testTarget(
      name: "CodesearchTests",
      dependencies: [
        "codesearch",
        .product(name: "Sluice", package: "Sluice"),
        .product(name: "SluiceTesting", package: "Sluice"),
      ],
      path: "Tests", swiftSettings: strict),
  ]
)
