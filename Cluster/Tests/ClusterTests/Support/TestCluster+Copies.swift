import Foundation
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
        guard let copy = try await copy(of: database, on: node) else { return false }
        copies.append(copy)
      }
      return copies.allSatisfy { $0 == copies[0] }
    }
    Figures.add(to: .comparisons)
    return copies[0]
  }

  /// Returns the content of the copy of one node; nil if the node has none yet.
  private func copy(of database: String, on node: TestNode) async throws -> Copy? {
    let administrator = self.administrator
    let folder = path("copy-\(UUID())")
    return try await blocking {
      let files: (database: [UInt8], wal: [UInt8])
      do { files = try administrator.dump(database, of: node.address) } catch {
        if (error as? ClusterAdministrationError)?.reason == .refused { return nil }
        throw error
      }
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try Data(files.database).write(to: URL(filePath: folder + "/copy"))
      try Data(files.wal).write(to: URL(filePath: folder + "/copy-wal"))
      let connection = try Connection(path: folder + "/copy", create: false)
      #expect(try connection.integrityProblems().isEmpty, "of node \(node.id)")
      return try content(of: connection)
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
