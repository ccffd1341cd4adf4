import SluiceCore
import TestSupport
import Testing

/// SQL savepoint statements in a body cannot affect the savepoint of the body's scope.
@Suite(.tags(.transactions)) struct `SQL savepoint statements in a body` {
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

  @Test func `SQL can roll back to the savepoint of a scope by its name`() throws {
    try connection.savepoint("s") { _, _ in
      try insert(1)
      try connection.execute(sql: "ROLLBACK TO s")
      try insert(2)
    }
    #expect(try rows == [2])
    #expect(connection.isInAutocommit)
  }

  @Test func `a scope can still roll back after SQL has released its savepoint by name`() throws {
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
  func `rolling back a scope undoes a savepoint that SQL left open`(name: String) throws {
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

  @Test func `committing a scope commits a savepoint that SQL left open`() throws {
    try connection.savepoint { _, _ in
      try insert(1)
      try connection.execute(sql: "SAVEPOINT s")
      try insert(2)
    }
    #expect(connection.isInAutocommit)
    #expect(try rows == [1, 2])
  }

  @Test func `an inner transaction that throws undoes a savepoint that SQL left open`() throws {
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
