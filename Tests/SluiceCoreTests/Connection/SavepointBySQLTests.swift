import SluiceCore
import TestSupport
import Testing

/// What SQL does to savepoints inside of a body cannot reach the one that the body runs in.
@Suite(.tags(.transactions)) struct `savepoints by SQL` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
  }

  private func insert(_ value: Int) throws {
    try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(value))
  }

  private var rows: [Int] {
    get throws { try connection.query(.column(.int), sql: "SELECT a FROM t ORDER BY a") }
  }

  @Test func `SQL can go back to the beginning of a savepoint by its name`() throws {
    try connection.savepoint("s") { _, _ in
      try insert(1)
      try connection.execute(sql: "ROLLBACK TO s")
      try insert(2)
    }
    #expect(try rows == [2])
    #expect(connection.isInAutocommit)
  }

  @Test func `SQL that releases a savepoint by its name leaves the body as it is`() throws {
    try connection.transaction { _, _ in
      try insert(1)
      try connection.savepoint("s") { _, command in
        try insert(2)
        try connection.execute(sql: "RELEASE s")
        command = .rollback
      }
      try insert(3)
    }
    #expect(try rows == [1, 3])
  }

  @Test(arguments: ["s", "transaction", "savepoint", "sluice"])
  func `a savepoint that SQL leaves open is undone with the one around it`(name: String) throws {
    let (command, _) = try connection.savepoint("s") { _, command in
      try insert(1)
      try connection.execute(sql: "SAVEPOINT \"\(name)\"")
      command = .rollback
    }
    #expect(command == .rollback)
    #expect(connection.isInAutocommit)
    try insert(2)
    #expect(try rows == [2])
  }

  @Test func `a savepoint that SQL leaves open is committed with the one around it`() throws {
    try connection.savepoint { _, _ in
      try insert(1)
      try connection.execute(sql: "SAVEPOINT s")
      try insert(2)
    }
    #expect(connection.isInAutocommit)
    #expect(try rows == [1, 2])
  }

  @Test func `an inner transaction that throws is undone, whatever SQL left open in it`() throws {
    struct Refused: Error {}
    try connection.transaction { _, _ in
      #expect(throws: Refused.self) {
        try connection.transaction { _, _ in
          try insert(1)
          try connection.execute(sql: "SAVEPOINT \"transaction\"")
          throw Refused()
        }
      }
      try insert(2)
    }
    #expect(try rows == [2])
  }
}
