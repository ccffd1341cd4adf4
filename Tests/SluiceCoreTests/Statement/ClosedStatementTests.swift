import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct ClosedStatementTests {
  @Test(arguments: ["fresh", "at a row", "at the end"])
  func `each method of a statement throws misuse after its connection closes`(state: String) throws
  {
    let db = try Connection.inTestedMode()
    let statement = try db.prepare(sql: "SELECT :a AS x, :a")
    try statement.bind(1)
    if state != "fresh" { _ = try statement.step() }
    if state == "at the end" { _ = try statement.step() }
    try db.close()
    let failures = [
      failure { try statement.step() }, failure { try statement.execute() },
      failure { try statement.reset() }, failure { try statement.clearBindings() },
      failure { try statement.rows() }, failure { try statement.query(.values) },
      failure { try statement.first(.values) }, failure { try statement.map { _ in 1 } },
      failure { try statement.forEachRow { _ in } }, failure { try statement.bind(1) },
      failure { try statement.bind([1]) }, failure { try statement.bind(["a": 1]) },
      failure { try statement.bind(1, toParameter: 1) },
      failure { try statement.bind(1, toParameter: 99) },
      failure { try statement.bind(1, toParameter: ":a") },
      failure { try statement.bind(1, toParameter: "a") },
      failure { try statement.bind(1, toParameter: "nobody") },
    ]
    #expect(failures.map { $0?.code } == failures.map { _ in .misuse })
    #expect(statement.sql == "SELECT :a AS x, :a")
    #expect(!statement.connection.isOpen)
  }

  @Test(arguments: [false, true])
  func `a statement of a closed connection reports no columns and no parameters`(
    _ isRead: Bool
  ) throws {
    let db = try Connection.inTestedMode()
    let statement = try db.prepare(sql: "SELECT :a AS x")
    if isRead {
      #expect(statement.columnNames == ["x"])
      #expect(statement.parameterNames == [":a"])
    }
    #expect((statement.columnCount, statement.parameterCount) == (1, 1))
    try db.close()
    #expect(statement.columnNames == [])
    #expect(statement.parameterNames == [])
    #expect((statement.columnCount, statement.parameterCount) == (0, 0))
  }

  @Test func `an SQL function cannot use the statement that calls it`() throws {
    let db = try Connection.inTestedMode()
    var failures: [SQLiteError?] = []
    weak var running: Statement?
    try db.addFunction("inside", arity: 1) { [unowned db] _ in
      guard let statement = running else { return .null }
      failures = [
        failure { try statement.step() }, failure { try statement.execute() },
        failure { try statement.reset() }, failure { try statement.clearBindings() },
        failure { try statement.rows() }, failure { try statement.first(.values) },
        failure { try statement.forEachRow { _ in } }, failure { try statement.bind(2) },
        failure { try statement.bind(2, toParameter: "a") },
        failure { try statement.bind(2, toParameter: "nobody") }, failure { try db.close() },
      ]
      return 1
    }
    let statement = try db.prepare(sql: "SELECT inside(:a)")
    running = statement
    #expect(try statement.bind(1).first(.column(.int)) == 1)
    #expect(failures.count == 11)
    #expect(failures.map { $0?.code } == failures.map { _ in .misuse })
    #expect(try statement.first(.column(.int)) == 1)
  }

  @Test func `if a row closure closes the connection, forEachRow throws misuse`() throws {
    let db = try Connection.inTestedMode()
    let statement = try db.prepare(sql: "SELECT 1 UNION ALL SELECT 2")
    var count = 0
    let error = failure {
      try statement.forEachRow { row in
        count += 1
        try db.close()
        #expect(failure { try row.value(at: 0) }?.code == .misuse)
      }
    }
    #expect(error?.code == .misuse)
    #expect(count == 1)
    #expect(!db.isOpen)
  }
}
