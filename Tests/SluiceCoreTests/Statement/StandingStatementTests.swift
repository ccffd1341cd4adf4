import SluiceCore
import TestSupport
import Testing

/// Statements that have returned some of their rows when a transaction begins or ends.
@Suite struct `unfinished statements at a transaction boundary` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
  }

  /// Returns a SELECT statement that has been stepped to its first row.
  private func reading() throws -> Statement {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    #expect(try statement.step()?.integer(at: 0) == 1)
    return statement
  }

  @Test(arguments: [TransactionCommand.commit, .rollback])
  func `a partly read SELECT continues while a transaction begins and ends`(
    _ command: TransactionCommand
  ) throws {
    let statement = try reading()
    try connection.transaction { connection, end in
      try connection.execute(sql: "INSERT INTO t VALUES (4)")
      #expect(try statement.step()?.integer(at: 0) == 2)
      end = command
    }
    #expect(try statement.step()?.integer(at: 0) == 3)
  }

  @Test func `rolling back a schema change aborts an unfinished SELECT`()
    throws
  {
    let statement = try reading()
    try connection.transaction { connection, command in
      try connection.execute(sql: "CREATE TABLE u(a)")
      command = .rollback
    }
    #expect(failure { try statement.step() != nil }?.code == .abortRollback)
  }

  @Test func `beginning a transaction ends an unfinished writing statement`() throws {
    let statement = try connection.prepare(sql: "INSERT INTO t VALUES (4), (5) RETURNING a")
    #expect(try statement.step()?.integer(at: 0) == 4)
    try connection.transaction { _, _ in }
    #expect(failure { try statement.step() != nil }?.code == .misuse)
    #expect(try connection.integers("SELECT max(a) FROM t") == [5])
  }

  @Test func `committing a transaction ends an unfinished writing statement`() throws {
    var statement: Statement?
    try connection.transaction { connection, _ in
      statement = try connection.prepare(sql: "INSERT INTO t VALUES (4), (5) RETURNING a")
      #expect(try statement?.step()?.integer(at: 0) == 4)
    }
    #expect(failure { try statement?.step() != nil }?.code == .misuse)
    #expect(try connection.integers("SELECT max(a) FROM t") == [5])
  }
}
