// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The program that runs a node of a cluster, its tests, a demo and benchmarks.
///
/// Only this package needs dqlite, which runs on Linux only, and OpenSSL.
let package = Package(
  name: "SluiceClusterNode",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "sluice-node", targets: ["SluiceNode"]),
    .executable(name: "ClusterDemo", targets: ["ClusterDemo"]),
    .executable(name: "ClusterBenchmarks", targets: ["ClusterBenchmarks"]),
  ],
  dependencies: [
    .package(name: "Sluice", path: ".."),
    .package(name: "notes", path: "../Examples/notes"),
  ],
  targets: [
    .systemLibrary(
      name: "CDqlite", pkgConfig: "dqlite", providers: [.apt(["libdqlite-dev"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CEpoll"),
    .target(
      name: "ClusterDoor", dependencies: ["CEpoll", "COpenSSL"], swiftSettings: strict),
    .executableTarget(
      name: "SluiceNode",
      dependencies: [
        "CDqlite", "ClusterDoor", .product(name: "SluiceCluster", package: "Sluice"),
      ],
      swiftSettings: strict),
    .target(
      name: "LocalNodes", dependencies: [.product(name: "SluiceCluster", package: "Sluice")],
      swiftSettings: strict),
    .executableTarget(
      name: "ClusterDemo",
      dependencies: [
        "LocalNodes", .product(name: "Notes", package: "notes"),
        .product(name: "SluiceCluster", package: "Sluice"),
        .product(name: "SluiceData", package: "Sluice"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "ClusterBenchmarks",
      dependencies: ["LocalNodes", .product(name: "SluiceCluster", package: "Sluice")],
      swiftSettings: strict),
    .testTarget(
      name: "ClusterTests",
      dependencies: [
        "SluiceNode", "ClusterDoor", "LocalNodes",
        .product(name: "SluiceCluster", package: "Sluice"),
        .product(name: "SluiceTesting", package: "Sluice"),
      ],
      swiftSettings: strict),
  ]
)
