import SluiceCore
import TestSupport
import Testing

/// A statement that writes and stands on a row keeps SQLite from ending a savepoint.
@Suite(.tags(.transactions, .reliability)) struct `writes that are left half way in a scope` {
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

  /// Writes both rows, and reads one of them.
  private func leaveHalfWay() throws {
    try statement.reset()
    let isAtRow = try statement.step() != nil
    #expect(isAtRow)
  }

  @Test func `a savepoint keeps what was written before all rows were read`() throws {
    try connection.savepoint { _, _ in try leaveHalfWay() }
    #expect(connection.isInAutocommit)
    #expect(try rows == [1, 2])
  }

  @Test func `a transaction keeps what was written before all rows were read`() throws {
    try connection.transaction { _, _ in try leaveHalfWay() }
    #expect(connection.isInAutocommit)
    #expect(try rows == [1, 2])
  }

  @Test func `a savepoint that throws leaves nothing open`() throws {
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

  @Test func `an inner transaction that throws is undone alone`() throws {
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

  @Test func `a statement that ended with its transaction does not write again`() throws {
    try connection.transaction { _, _ in try leaveHalfWay() }
    let error = #expect(throws: SQLiteError.self) { _ = try statement.step() != nil }
    #expect(error?.code == .misuse)
    #expect(try rows == [1, 2])
    try statement.execute()
    #expect(try rows == [1, 1, 2, 2])
  }

  @Test func `a transaction inside of a walk over what is written ends the walk`() throws {
    try leaveHalfWay()
    try connection.transaction { connection, _ in
      try connection.execute(sql: "INSERT INTO t VALUES (7)")
    }
    let step = #expect(throws: SQLiteError.self) { _ = try statement.step() != nil }
    #expect(step?.code == .misuse)
    #expect(try rows == [1, 2, 7])
  }

  @Test func `what was written before a transaction is not undone with it`() throws {
    try leaveHalfWay()
    try connection.execute(sql: "INSERT INTO t VALUES (3)")
    #expect(throws: Refused.self) { try connection.transaction { _, _ in throw Refused() } }
    #expect(try rows == [1, 2, 3])
    try leaveHalfWay()
    try connection.begin()
    try connection.rollback()
    #expect(try rows == [1, 1, 2, 2, 3])
  }

  @Test func `a statement that a body leaves half way on a queue is ended with the body`() throws {
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
