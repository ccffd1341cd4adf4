import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.transactions)) struct `scoped transactions` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a);
        CREATE TABLE child(parent REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TABLE parent(id INTEGER PRIMARY KEY)
        """)
  }

  private func insert(_ value: Int) throws {
    try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(value))
  }

  private var rows: [Int] { get throws { try connection.integers("SELECT a FROM t") } }

  @Test func `a transaction commits when its body returns, and returns the body's value`() throws {
    let (command, value) = try connection.transaction { connection, command -> Int64 in
      #expect(command == .commit)
      #expect(!connection.isInAutocommit)
      try insert(1)
      return connection.lastInsertRowid
    }
    #expect(command == .commit)
    #expect(value == 1)
    #expect(connection.isInAutocommit)
    #expect(try rows == [1])
  }

  @Test func `a transaction or savepoint returns the value of a body with one argument`() throws {
    let first = try connection.transaction { connection in
      #expect(!connection.isInAutocommit)
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
      return connection.lastInsertRowid
    }
    let second = try connection.savepoint { connection in
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
      return connection.lastInsertRowid
    }
    let count = try connection.transaction { try $0.first(.column(.int), "SELECT count(*) FROM t") }
    #expect([first, second] == [1, 2])
    #expect(count == 2)
    #expect(connection.isInAutocommit)
    #expect(throws: ForeignError("mine")) {
      try connection.savepoint { connection in
        try connection.execute(sql: "INSERT INTO t VALUES (3)")
        throw ForeignError("mine")
      }
    }
    #expect(try rows == [1, 2])
  }

  @Test func `the body of a transaction can request a rollback and still return a value`() throws {
    let (command, value) = try connection.transaction { _, command in
      try insert(1)
      command = .rollback
      return "undone"
    }
    #expect(command == .rollback)
    #expect(value == "undone")
    #expect(connection.isInAutocommit)
    #expect(try rows == [])
  }

  @Test func `a transaction whose body throws is rolled back and rethrows the error`() throws {
    #expect(throws: ForeignError("mine")) {
      try connection.transaction { _, _ in
        try insert(1)
        throw ForeignError("mine")
      }
    }
    #expect(connection.isInAutocommit)
    #expect(try rows == [])
  }

  @Test func `the body of a transaction or savepoint receives its connection`() throws {
    try connection.transaction { inner, _ in #expect(inner === connection) }
    try connection.savepoint { inner, _ in #expect(inner === connection) }
  }

  @Test func `a failing commit of a scoped transaction throws and rolls back`() throws {
    let error = failure {
      try connection.transaction { connection, _ in
        try insert(1)
        try connection.execute(sql: "INSERT INTO child VALUES (7)")
      }
    }
    #expect(error?.code == .constraintForeignKey)
    #expect(error?.message == "FOREIGN KEY constraint failed")
    #expect(error?.sql == "COMMIT")
    #expect(connection.isInAutocommit)
    #expect(try connection.transactionState() == .none)
    #expect(try rows == [])
    #expect(try connection.value("SELECT count(*) FROM child") == 0)
    try connection.transaction { _, _ in try insert(2) }
    #expect(try rows == [2])
  }

  @Test func `a failing release of an outermost savepoint throws and rolls back`() throws {
    let error = failure {
      try connection.savepoint("s") { connection, _ in
        try connection.execute(sql: "INSERT INTO child VALUES (7)")
      }
    }
    #expect(error?.code == .constraintForeignKey)
    #expect(connection.isInAutocommit)
    #expect(try connection.value("SELECT count(*) FROM child") == 0)
  }

  @Test func `a failing explicit commit throws and leaves the transaction open`() throws {
    try connection.begin()
    try connection.execute(sql: "INSERT INTO child VALUES (7)")
    #expect(failure { try connection.commit() }?.code == .constraintForeignKey)
    #expect(!connection.isInAutocommit)
    try connection.execute(sql: "INSERT INTO parent VALUES (7)")
    try connection.commit()
    #expect(connection.isInAutocommit)
    #expect(try connection.integers("SELECT parent FROM child") == [7])
  }

  @Test func `a transaction that cannot begin does not run its body`() throws {
    let folder = try TestFolder()
    let one = try Connection(path: folder.file(), configuration: .impatient)
    let other = try Connection(path: folder.file(), configuration: .impatient)
    try other.begin(.exclusive)
    var didRun = false
    #expect(failure { try one.transaction(.immediate) { _, _ in didRun = true } }?.code == .busy)
    #expect(!didRun)
    try other.rollback()
    try one.transaction(.immediate) { _, _ in didRun = true }
    #expect(didRun)
  }

  @Test func `commit and rollback throw misuse inside the body of a transaction`() throws {
    try connection.transaction { connection, _ in
      try insert(1)
      #expect(failure { try connection.commit() }?.code == .misuse)
      #expect(failure { try connection.rollback() }?.code == .misuse)
      #expect(!connection.isInAutocommit)
      try insert(2)
    }
    #expect(try rows == [1, 2])
  }

  @Test(arguments: ["COMMIT", "END", "ROLLBACK", "COMMIT; BEGIN", "ROLLBACK; BEGIN"])
  func `statements throw misuse after SQL in the body has ended the transaction`(_ sql: String)
    throws
  {
    let error = failure {
      try connection.transaction { connection, _ in
        _ = failure { try connection.execute(sql: sql) }
        #expect(failure { try insert(1) }?.code == .misuse)
        #expect(failure { try rows }?.code == .misuse)
        #expect(failure { try connection.transaction { _, _ in } }?.code == .misuse)
        #expect(connection.isInAutocommit)
      }
    }
    #expect(error?.code == .misuse)
    #expect(connection.isInAutocommit)
    #expect(try rows == [])
    try connection.transaction { _, _ in try insert(2) }
    #expect(try rows == [2])
  }

  @Test(arguments: [false, true])
  func `closing the connection inside a transaction's body rolls back and throws misuse`(
    _ isNested: Bool
  )
    throws
  {
    let folder = try TestFolder()
    let doomed = try Connection(path: folder.file())
    try doomed.execute(sql: "CREATE TABLE t(a)")
    let error = failure {
      try doomed.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
        if isNested {
          try connection.savepoint { connection, _ in try connection.close() }
        } else {
          try connection.close()
          #expect(failure { try connection.execute(sql: "SELECT 1") }?.code == .misuse)
        }
      }
    }
    #expect(error?.code == .misuse)
    #expect(!doomed.isOpen)
    let after = try Connection(path: folder.file())
    #expect(try after.value("SELECT count(*) FROM t") == 0)
  }

  @Test
  func `committing a transaction with an unfinished UPDATE applies all of the update or nothing`()
    throws
  {
    for value in 1...3 { try insert(value) }
    let statement = try connection.prepare(sql: "UPDATE t SET a = a + 10 RETURNING a")
    let error = failure {
      try connection.transaction { _, _ throws in #expect(try statement.step() != nil) }
    }
    #expect(error == nil || error?.code == .busy)
    #expect(connection.isInAutocommit)
    try statement.reset()
    #expect(try rows == (error == nil ? [11, 12, 13] : [1, 2, 3]))
  }
}
