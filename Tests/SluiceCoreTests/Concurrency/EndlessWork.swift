import Foundation
import SluiceCore
import TestSupport
import Testing

/// Work that ends only when somebody stops it, and that tells when it has begun.
struct EndlessWork: Sendable {
  let begun = Gate()

  static let sql = """
    WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c
    """

  /// Runs a statement that goes on for ever.
  func run(_ connection: Connection) throws {
    try begin(connection)
    try connection.execute(sql: Self.sql)
  }

  /// Tells that it has begun, from inside of a statement.
  func begin(_ connection: Connection) throws {
    try connection.addFunction("begun", arity: 0) { [begun] _ in
      begun.open()
      return .null
    }
    try connection.execute(sql: "SELECT begun()")
  }

  /// Waits for the beginning, while other tasks run.
  func hasBegun() async -> Bool { await apart { begun.pass() } }
}

extension ConnectionQueue {
  /// Whether the next access gets its own answer, and finds no transaction.
  func serves(rows: Int) async throws -> Bool {
    try await perform { connection in
      guard connection.isInAutocommit else { return false }
      // What is no statement would meet an interruption that SQLite remembers.
      try connection.checkpoint()
      return try connection.integers("SELECT count(*) FROM t") == [rows]
    }
  }
}
