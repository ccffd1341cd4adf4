// swift-tools-version: 6.2
import PackageDescription

/// The settings of a new app in Xcode 26.
let app: [SwiftSetting] = [
  .defaultIsolation(MainActor.self),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The settings of a new app that the Swift 6 language mode implies.
let swift5: [SwiftSetting] = [
  .swiftLanguageMode(.v5),
  .enableUpcomingFeature("DisableOutwardActorInference"),
  .enableUpcomingFeature("GlobalActorIsolatedTypesUsability"),
  .enableUpcomingFeature("InferSendableFromCaptures"),
]

/// Tests/Outsider/check copies the sources of the app for each target.
func target(_ name: String, _ settings: [SwiftSetting]) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      .product(name: "Sluice", package: "Sluice"),
      .product(name: "SluiceModels", package: "Sluice"),
    ],
    swiftSettings: settings, plugins: [.plugin(name: "SluiceQueries", package: "Sluice")])
}

let package = Package(
  name: "outsider-app",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sluice", path: "../../..")],
  targets: [
    target("MainActor6", app), target("MainActor5", app + swift5),
    target("Nonisolated6", []), target("Nonisolated5", [.swiftLanguageMode(.v5)]),
  ]
)
