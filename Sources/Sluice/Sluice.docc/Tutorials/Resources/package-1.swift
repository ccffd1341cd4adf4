// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "readinglist",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../sluice")
  ],
  targets: [
    .executableTarget(
      name: "readinglist",
      dependencies: [.product(name: "Sluice", package: "sluice")])
  ]
)
