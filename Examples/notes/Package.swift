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
  name: "notes",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Notes", targets: ["Notes"]),
    .executable(name: "notes", targets: ["NotesCommand"]),
  ],
  dependencies: [.package(name: "Sluice", path: "../..")],
  targets: [
    .target(
      name: "Notes", dependencies: [.product(name: "Sluice", package: "Sluice")],
      swiftSettings: strict, plugins: [.plugin(name: "SluiceQueries", package: "Sluice")]),
    .executableTarget(
      name: "NotesCommand",
      dependencies: [
        "Notes", .product(name: "Sluice", package: "Sluice"),
        .product(name: "SluiceTesting", package: "Sluice"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NotesTests",
      dependencies: [
        "Notes", "NotesCommand",
        .product(name: "Sluice", package: "Sluice"),
        .product(name: "SluiceTesting", package: "Sluice"),
      ],
      path: "Tests", swiftSettings: strict),
  ]
)
