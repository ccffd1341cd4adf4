import Foundation
import TestSupport

/// The public symbols of the built modules, as the compiler reports them.
enum PublicSymbols {
  struct Symbol: Sendable {
    /// The type and the name with its labels, such as `Statement.bind(_:toParameter:)`.
    let name: String
    let declaration: String
    let isProperty: Bool
  }

  /// Returns all members and functions, without types and enumeration cases.
  static func members() throws -> [Symbol] {
    try entries.get().filter {
      !kindsThatDoNothing.contains($0.kind.identifier)
    }.map {
      Symbol(
        name: $0.name, declaration: $0.declarationFragments.map(\.spelling).joined(),
        isProperty: $0.kind.identifier.hasSuffix("property"))
    }
  }

  /// Returns the names of all public symbols, including types and cases.
  static func names() throws -> Set<String> { Set(try entries.get().map(\.name)) }

  /// The symbols of all modules, which several tests use.
  private static let entries = Result { try extracted() }

  private static func extracted() throws -> [Graph.Entry] {
    let folder = try TestFolder()
    for module in [
      "SluiceCore", "Sluice", "SluiceExtras", "SluiceModels", "SluiceData", "SluiceCluster",
      "SluiceTesting",
    ] {
      try extract(module, to: folder.url)
    }
    return try FileManager.default.contentsOfDirectory(
      at: folder.url, includingPropertiesForKeys: nil
    ).flatMap { file in
      let symbols = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols
      // Models have a separate matrix, because some situations apply only to them.
      return file.lastPathComponent.hasPrefix("SluiceModels@")
        ? symbols.filter { $0.pathComponents.first != "Connection" } : symbols
    }
  }

  private static let kindsThatDoNothing = [
    "swift.class", "swift.struct", "swift.enum", "swift.enum.case", "swift.protocol",
    "swift.typealias", "swift.associatedtype",
    // Operators only create conditions from values.
    "swift.func.op",
  ]

  private struct Graph: Decodable {
    let symbols: [Entry]

    struct Entry: Decodable {
      let kind: Kind
      let pathComponents: [String]
      let declarationFragments: [Fragment]
      var name: String { pathComponents.joined(separator: ".") }
    }
    struct Kind: Decodable { let identifier: String }
    struct Fragment: Decodable { let spelling: String }
  }

  private static func extract(_ module: String, to folder: URL) throws {
    let products = Program.products
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "swift", "symbolgraph-extract", "-module-name", module,
        "-target", products.deletingLastPathComponent().lastPathComponent,
        "-minimum-access-level", "public", "-skip-synthesized-members",
        "-output-dir", folder.path,
      ]
      + [
        products.appending(path: "Modules"),
        DocumentationTests.root.appending(path: "Sources/CSluice"),
      ].flatMap { ["-I", $0.path] }
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw SymbolsUnknown(module: module, status: process.terminationStatus)
    }
  }

  struct SymbolsUnknown: Error {
    let module: String
    let status: Int32
  }
}
