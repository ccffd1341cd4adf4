import Foundation
import LocalNodes
import SluiceCluster
import Testing

/// The rows of each table, and the SQL of the schema under the name `sqlite_schema`.
typealias Copy = [String: [[DatabaseValue]]]

extension TestCluster {
  /// Waits until the copies of all nodes are equal, checks their integrity, and returns their content.
  func copy(of database: String = "main") async throws -> Copy {
    try await waitUntilComplete()
    var copies: [Copy] = []
    try await wait("the copies of all nodes are equal") {
      copies = []
      for node in all {
        let copy = try await withCopy(of: database, at: address(of: node)) { connection in
          #expect(try connection.integrityProblems().isEmpty, "of node \(node.id)")
          return try content(of: connection)
        }
        guard let copy else { return false }
        copies.append(copy)
      }
      return copies.allSatisfy { $0 == copies[0] }
    }
    Figures.add(to: .comparisons)
    return copies[0]
  }

  /// Returns the result of `body`, which gets the copy of a node; nil if the node has none yet.
  func withCopy<T: Sendable>(
    of database: String = "main", at node: NodeAddress,
    _ body: @escaping @Sendable (Connection) throws -> T
  ) async throws -> T? {
    let folder = path("copy-\(UUID())")
    return try await blocking {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let file = folder + "/copy"
      do {
        try ClusterAdministrator(nodes: [node]).backup(database, to: file)
      } catch let error as ClusterAdministrationError where error.reason == .refused {
        return nil
      }
      return try body(Connection(path: file, create: false))
    }
  }
}

private func content(of connection: Connection) throws -> Copy {
  let schema = "SELECT name, type, sql FROM sqlite_schema ORDER BY name"
  var content = ["sqlite_schema": try connection.query(.values, sql: schema).map(\.values)]
  let tables = try connection.query(
    .column(.string),
    sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  for table in tables {
    content[table] = try connection.query(.values, sql: "SELECT * FROM \"\(table)\" ORDER BY 1")
      .map(\.values)
  }
  return content
}
