// swift-tools-version: 6.2
import PackageDescription

/// Programs that open a file, read one row and end; `make bench-start` measures them.
let package = Package(
  name: "Start",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sluice", path: "../..")],
  targets: [("Core", "SluiceCore"), ("Sluice", "Sluice"), ("Models", "SluiceModels")].map {
    (name, module) in
    .executableTarget(
      name: "StartOf" + name, dependencies: [.product(name: module, package: "Sluice")],
      swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")])
  }
)
