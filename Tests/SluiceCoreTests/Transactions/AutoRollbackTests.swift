import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.transactions, .reliability)) struct `automatic rollbacks by SQLite` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try RollbackCause.prepare(connection)
  }

  /// Expects that the body left no changes and that the next transaction succeeds.
  private func expectUndone() throws {
    #expect(connection.isInAutocommit)
    #expect(try connection.transactionState() == .none)
    #expect(try connection.rows == [0])
    try connection.transaction { connection, _ in try connection.insert(9) }
    #expect(try connection.rows == [0, 9])
  }

  /// Expects every further statement to throw the error of `cause`.
  private func expectDead(_ cause: RollbackCause) {
    #expect(connection.isInAutocommit)
    for value in 1...2 {
      #expect(cause.isNamed(by: failure { try connection.insert(value) }))
      #expect(cause.isNamed(by: failure { try connection.rows }))
      #expect(cause.isNamed(by: failure { try connection.prepare(sql: "SELECT 1") }))
      #expect(cause.isNamed(by: failure { try connection.begin() }))
      #expect(cause.isNamed(by: failure { try connection.transaction { _, _ in } }))
      #expect(cause.isNamed(by: failure { try connection.savepoint { _, _ in } }))
    }
  }

  @Test(arguments: RollbackCause.allCases)
  func `a transaction whose body rethrows the error of an automatic rollback leaves no changes`(
    _ cause: RollbackCause
  ) throws {
    let error = failure {
      try connection.transaction { connection, _ in
        try connection.insert(1)
        try cause.strike(connection)
        try connection.insert(2)
      }
    }
    #expect(cause.isNamed(by: error))
    try expectUndone()
  }

  @Test(arguments: RollbackCause.allCases)
  func `after an automatic rollback, a body that ignores the error cannot run statements`(
    _ cause: RollbackCause
  ) throws {
    let error = failure {
      try connection.transaction { connection, _ in
        try connection.insert(1)
        #expect(cause.isNamed(by: failure { try cause.strike(connection) }))
        expectDead(cause)
      }
    }
    #expect(cause.isNamed(by: error))
    try expectUndone()
  }

  @Test(arguments: RollbackCause.allCases)
  func `a transaction throws an error that its body ignored, even if the body requests a rollback`(
    _ cause: RollbackCause
  )
    throws
  {
    let error = failure {
      try connection.transaction { connection, command in
        _ = failure { try cause.strike(connection) }
        command = .rollback
      }
    }
    #expect(cause.isNamed(by: error))
    try expectUndone()
  }

  @Test(arguments: RollbackCause.allCases)
  func `a transaction rethrows an error that its body throws after ignoring the first error`(
    _ cause: RollbackCause
  )
    throws
  {
    #expect(throws: ForeignError()) {
      try connection.transaction { connection, _ in
        _ = failure { try cause.strike(connection) }
        throw ForeignError()
      }
    }
    try expectUndone()
  }

  @Test(arguments: RollbackCause.allCases)
  func `after an automatic rollback, statements prepared earlier do not run until the body ends`(
    _ cause: RollbackCause
  )
    throws
  {
    let insert = try connection.prepare(sql: "INSERT INTO t VALUES (1)")
    let select = try connection.prepare(sql: "SELECT 1 UNION ALL SELECT 2")
    let error = failure {
      try connection.transaction { connection, _ throws in
        #expect(try select.step() != nil)
        _ = failure { try cause.strike(connection) }
        #expect(cause.isNamed(by: failure { try insert.execute() }))
        #expect(cause.isNamed(by: failure { try select.step() == nil }))
      }
    }
    #expect(cause.isNamed(by: error))
    try select.reset()
    try expectUndone()
    try insert.execute()
    #expect(try connection.rows == [0, 1, 9])
  }

  @Test(arguments: RollbackCause.allCases)
  func `an outer body that ignores an inner scope's automatic rollback cannot run statements`(
    _ cause: RollbackCause
  ) throws {
    let error = failure {
      try connection.transaction { connection, _ in
        try connection.insert(1)
        let inner = failure {
          try connection.transaction { connection, _ in
            try connection.insert(2)
            try cause.strike(connection)
          }
        }
        #expect(cause.isNamed(by: inner))
        expectDead(cause)
      }
    }
    #expect(cause.isNamed(by: error))
    try expectUndone()
  }

  @Test(arguments: RollbackCause.allCases)
  func `after an inner body ignores an automatic rollback, neither body can run statements`(
    _ cause: RollbackCause
  ) throws {
    let error = failure {
      try connection.savepoint("outer") { connection, _ in
        try connection.insert(1)
        let inner = failure {
          try connection.savepoint("inner") { connection, command in
            try connection.insert(2)
            _ = failure { try cause.strike(connection) }
            expectDead(cause)
            command = .rollback
          }
        }
        #expect(cause.isNamed(by: inner))
        expectDead(cause)
      }
    }
    #expect(cause.isNamed(by: error))
    try expectUndone()
  }

  @Test(arguments: RollbackCause.allCases)
  func `an automatic rollback in a scope also undoes the explicit transaction around the scope`(
    _ cause: RollbackCause
  ) throws {
    try connection.begin()
    try connection.insert(1)
    let error = failure {
      try connection.transaction { connection, _ in _ = failure { try cause.strike(connection) } }
    }
    #expect(cause.isNamed(by: error))
    try expectUndone()
  }

  @Test func `a ROLLBACK in an SQL function prevents further statements in the body`() throws {
    try connection.addFunction("undo", arity: 0) { [unowned connection] _ in
      try connection.execute(sql: "ROLLBACK")
      return .null
    }
    let error = failure {
      try connection.transaction { connection, _ in
        try connection.insert(1)
        let own = failure { try connection.value("SELECT undo() FROM t") }
        #expect(own == nil || own?.code.primary == .abort)
        #expect(failure { try connection.insert(2) }?.code == .misuse)
      }
    }
    #expect(error?.code == .misuse)
    try expectUndone()
  }

  private static let fill = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
    INSERT INTO large SELECT zeroblob(9999 + i) FROM n
    """

  @Test func `a full-database error that undoes only its statement leaves the transaction open`()
    throws
  {
    try connection.transaction { connection, _ in
      try connection.insert(1)
      #expect(failure { try connection.execute(sql: Self.fill) }?.code == .full)
      #expect(!connection.isInAutocommit)
      try connection.insert(2)
    }
    #expect(try connection.rows == [0, 1, 2])
    #expect(try connection.value("SELECT count(*) FROM large") == 0)
  }

  @Test func `a transaction whose body rethrows a full-database error is rolled back`() throws {
    let error = failure {
      try connection.transaction { connection, _ in
        try connection.insert(1)
        try connection.execute(sql: Self.fill)
      }
    }
    #expect(error?.code == .full)
    try expectUndone()
  }

  @Test func `a constraint failure and an interrupted read leave the transaction open`() throws {
    try connection.transaction { connection, _ in
      try connection.insert(1)
      #expect(failure { try connection.insert(0) }?.code == .constraintUnique)
      let read = failure {
        try connection.value(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
          SELECT sum(interrupting(i)) FROM n
          """)
      }
      #expect(read?.code == .interrupt)
      #expect(!connection.isInAutocommit)
      try connection.insert(2)
    }
    #expect(try connection.rows == [0, 1, 2])
  }
}
