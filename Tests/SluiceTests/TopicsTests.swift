import Foundation
import Testing

/// Every public type appears in a Topics list of its module.
///
/// Types of `SluiceCore` also appear in one of `Sluice`.
@Suite struct TopicsTests {
  private static let modules = [
    ("SluiceCore", "SluiceCore"), ("SluiceCore", "Sluice"), ("Sluice", "Sluice"),
    ("SluiceModels", "SluiceModels"), ("SluiceData", "SluiceData"),
    ("SluiceCluster", "SluiceCluster"),
    ("SluiceTesting", "SluiceTesting"),
  ]

  @Test(arguments: modules)
  func `each public type appears in a Topics list`(_ module: String, _ catalog: String) throws {
    let types = try CFunctions.files("Sources/\(module)", ["swift"]).flatMap {
      Self.publicTypes(in: try String(contentsOf: $0, encoding: .utf8))
    }
    let listed = try CFunctions.files("Sources/\(catalog)", ["md"]).flatMap { file in
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## Topics\n")
        .dropFirst().flatMap { $0.matches(of: /(?m)^- ``(\w+)``$/).map { String($0.1) } }
    }
    // Without any type, the next line would check nothing.
    #expect(types.count > 5)
    #expect(Set(types).subtracting(listed).sorted() == [])
  }

  /// Returns the public top-level types of a file, except for types that the documentation hides.
  private static func publicTypes(in source: String) -> [String] {
    source.matches(
      of: /(?m)^(.*)\n(?:@\w+ )*public (?:\w+ )*(?:class|struct|enum|protocol|typealias) (\w+)/
    ).filter { !$0.1.contains("visibility: internal") }.map { String($0.2) }
  }
}
