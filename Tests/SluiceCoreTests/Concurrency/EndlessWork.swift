import Foundation
import SluiceCore
import TestSupport
import Testing

/// Work that runs until it is interrupted, and that signals when it has begun.
struct EndlessWork: Sendable {
  let begun = Gate()

  static let sql = """
    WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c
    """

  /// Runs a statement that never ends.
  func run(_ connection: Connection) throws {
    try begin(connection)
    try connection.execute(sql: Self.sql)
  }

  /// Opens the gate from inside a statement.
  func begin(_ connection: Connection) throws {
    try connection.addFunction("begun", arity: 0) { [begun] _ in
      begun.open()
      return .null
    }
    try connection.execute(sql: "SELECT begun()")
  }

  /// Waits for the work to begin without blocking other tasks.
  func hasBegun() async -> Bool { await apart { begun.pass() } }
}

extension ConnectionQueue {
  /// Returns whether the next access finds no open transaction, and `rows` rows in `t`.
  func serves(rows: Int) async throws -> Bool {
    try await perform { connection in
      guard connection.isInAutocommit else { return false }
      // A checkpoint is not a statement, so it would throw if an earlier interrupt were still pending in SQLite.
      try connection.checkpoint()
      return try connection.integers("SELECT count(*) FROM t") == [rows]
    }
  }
}
