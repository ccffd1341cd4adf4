import SluiceCore
import TestSupport
import Testing

/// A writing statement that has not been stepped to its end prevents SQLite from ending a savepoint.
@Suite(.tags(.transactions, .reliability)) struct `unfinished writing statements in a scope` {
  struct Refused: Error {}

  let connection: Connection
  let statement: Statement

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    statement = try connection.prepare(sql: "INSERT INTO t VALUES (1), (2) RETURNING a")
  }

  private var rows: [Int] {
    get throws { try connection.query(.column(.int), sql: "SELECT a FROM t ORDER BY a") }
  }

  /// Writes both rows and steps only to the first one.
  private func leaveHalfWay() throws {
    try statement.reset()
    let isAtRow = try statement.step() != nil
    #expect(isAtRow)
  }

  @Test func `releasing a savepoint preserves the writes of an unfinished statement`() throws {
    try connection.savepoint { _, _ in try leaveHalfWay() }
    #expect(connection.isInAutocommit)
    #expect(try rows == [1, 2])
  }

  @Test func `committing a transaction commits the writes of an unfinished statement`() throws {
    try connection.transaction { _, _ in try leaveHalfWay() }
    #expect(connection.isInAutocommit)
    #expect(try rows == [1, 2])
  }

  @Test
  func `a savepoint that throws rolls back an unfinished statement and leaves no transaction open`()
    throws
  {
    #expect(throws: Refused.self) {
      try connection.savepoint { _, _ in
        try leaveHalfWay()
        throw Refused()
      }
    }
    #expect(connection.isInAutocommit)
    try connection.execute(sql: "INSERT INTO t VALUES (9)")
    #expect(try rows == [9])
  }

  @Test func `an inner transaction with an unfinished statement rolls back without the outer one`()
    throws
  {
    try connection.transaction { connection, _ in
      try connection.execute(sql: "INSERT INTO t VALUES (7)")
      #expect(throws: Refused.self) {
        try connection.transaction { _, _ in
          try leaveHalfWay()
          throw Refused()
        }
      }
      try connection.execute(sql: "INSERT INTO t VALUES (8)")
    }
    #expect(try rows == [7, 8])
  }

  @Test func `stepping a statement that a commit has ended throws instead of writing again`() throws
  {
    try connection.transaction { _, _ in try leaveHalfWay() }
    let error = #expect(throws: SQLiteError.self) { _ = try statement.step() != nil }
    #expect(error?.code == .misuse)
    #expect(try rows == [1, 2])
    try statement.execute()
    #expect(try rows == [1, 1, 2, 2])
  }

  @Test func `beginning a transaction ends an unfinished writing statement`() throws {
    try leaveHalfWay()
    try connection.transaction { connection, _ in
      try connection.execute(sql: "INSERT INTO t VALUES (7)")
    }
    let step = #expect(throws: SQLiteError.self) { _ = try statement.step() != nil }
    #expect(step?.code == .misuse)
    #expect(try rows == [1, 2, 7])
  }

  @Test func `rolling back a transaction preserves the writes of a statement begun before it`()
    throws
  {
    try leaveHalfWay()
    try connection.execute(sql: "INSERT INTO t VALUES (3)")
    #expect(throws: Refused.self) { try connection.transaction { _, _ in throw Refused() } }
    #expect(try rows == [1, 2, 3])
    try leaveHalfWay()
    try connection.begin()
    try connection.rollback()
    #expect(try rows == [1, 1, 2, 2, 3])
  }

  @Test func `a queue ends an unfinished statement when the body of the call returns`() throws {
    let queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE t(a)")
      let statement = try connection.prepare(sql: "INSERT INTO t VALUES (1), (2) RETURNING a")
      try connection.addFunction("keep", arity: 0) { _ in .text(statement.sql) }
      guard try statement.step() != nil else { throw Refused() }
    }
    try queue.sync { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
    #expect(throws: Refused.self) { try queue.syncTransaction { _, _ in throw Refused() } }
    let count = try queue.sync { try $0.first(.column(.int), sql: "SELECT count(*) FROM t") }
    #expect(count == 3)
  }
}
