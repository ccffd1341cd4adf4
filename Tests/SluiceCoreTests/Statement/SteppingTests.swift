import SluiceCore
import TestSupport
import Testing

@Suite struct SteppingTests {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1), (2), (3)")
  }

  /// Returns a statement that fails at its second row.
  private func overflowing() throws -> Statement {
    try db.prepare(
      sql:
        "SELECT abs(x) FROM (SELECT 1 AS x UNION ALL SELECT -9223372036854775808 UNION ALL SELECT 3)"
    )
  }

  @Test func `step returns each row, nil after the last row, and then the first row again`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT a FROM t ORDER BY a")
    for _ in 1...3 {
      var values: [DatabaseValue] = []
      while let row = try statement.step() { values.append(try row.value(at: 0)) }
      #expect(values == [1, 2, 3])
    }
  }

  @Test func `each step runs a statement without rows`() throws {
    let statement = try db.prepare(sql: "INSERT INTO t VALUES (NULL)")
    for count in 1...3 {
      #expect(try statement.step() == nil)
      #expect(try db.value("SELECT count(*) FROM t WHERE a IS NULL") == .integer(Int64(count)))
    }
    try statement.reset()
    try statement.execute()
    #expect(try statement.step() == nil)
    #expect(try db.value("SELECT count(*) FROM t WHERE a IS NULL") == 5)
  }

  @Test(arguments: Use.allCases, [false, true])
  private func `a step after any use that ended the statement starts it again`(
    _ use: Use, isWriter: Bool
  ) throws {
    let statement = try db.prepare(
      sql: isWriter
        ? "INSERT INTO t SELECT max(a) + 1 FROM t RETURNING a"
        : "SELECT a FROM t ORDER BY a")
    try use.run(statement)
    let rows: [DatabaseValue] = isWriter ? [5] : [1, 2, 3]
    var values: [DatabaseValue] = []
    while let row = try statement.step() { values.append(try row.value(at: 0)) }
    #expect(values == rows)
    #expect(try db.value("SELECT count(*) FROM t") == (isWriter ? 5 : 3))
  }

  private enum Use: CaseIterable {
    case execute, forEachRow, map, query, rows, first, steps, failure

    func run(_ statement: Statement) throws {
      switch self {
      case .execute: try statement.execute()
      case .forEachRow: try statement.forEachRow { _ in }
      case .map: _ = try statement.map { _ in }
      case .query: _ = try statement.query(.values)
      case .rows: _ = try statement.rows()
      case .first: _ = try statement.first(.values)
      case .steps: while try statement.step() != nil {}
      case .failure:
        #expect(throws: ForeignError()) { try statement.forEachRow { _ in throw ForeignError() } }
      }
    }
  }

  @Test func `reset returns a statement to its first row`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t ORDER BY a")
    func next() throws -> DatabaseValue? { try statement.step()?.value(at: 0) }
    #expect(try next() == 1)
    #expect(try next() == 2)
    try statement.reset()
    #expect(try next() == 1)
    #expect(try [next(), next(), next(), next()] == [2, 3, nil, 1])
    try statement.reset()
    try statement.reset()
    #expect(try next() == 1)
  }

  @Test func `each method that runs a statement starts at its first row`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t ORDER BY a")
    let all: [[DatabaseValue]] = [[1], [2], [3]]
    _ = try statement.step()
    #expect(try statement.rows().map(\.values) == all)
    _ = try statement.step()
    #expect(try statement.map { [try $0.value(at: 0)] } == all)
    _ = try statement.step()
    #expect(try statement.query(.column(.int)) == [1, 2, 3])
    _ = try statement.step()
    #expect(try statement.first(.column(.int)) == 1)
    var lent: [[DatabaseValue]] = []
    _ = try statement.step()
    try statement.forEachRow { lent.append([try $0.value(at: 0)]) }
    #expect(lent == all)
    _ = try statement.step()
    try statement.execute()
    #expect(try statement.step()?.value(at: 0) == 1)
  }

  @Test func `a failing step throws after earlier rows are returned`() throws {
    let statement = try overflowing()
    var values: [DatabaseValue] = []
    let error = failure {
      while let row = try statement.step() { values.append(try row.value(at: 0)) }
    }
    #expect(values == [1])
    #expect(error?.code == .error)
    #expect(error?.message == "integer overflow")
    #expect(error?.sql == statement.sql)
  }

  @Test func `each method that reads every row throws an error at the second row`() throws {
    let statement = try overflowing()
    var count = 0
    let failures = [
      failure { try statement.execute() },
      failure { try statement.forEachRow { _ in count += 1 } },
      failure { try statement.map { _ in count += 1 } },
      failure { try statement.query(.column(.value)) },
      failure { try statement.query(.values) },
      failure { try statement.rows() },
      failure { try db.execute(sql: statement.sql) },
      failure { try db.execute(sql: statement.sql) { _ in count += 1 } },
      failure { try db.query(.values, sql: statement.sql) },
    ]
    #expect(failures.map { $0?.message } == failures.map { _ in "integer overflow" })
    #expect(count == 3)
    #expect(try statement.first(.column(.int)) == 1)
  }

  @Test func `calling first throws an error that occurs at the first row`() throws {
    let statement = try db.prepare(sql: "SELECT abs(?)")
    try statement.bind(.int64(.min))
    #expect(failure { try statement.first(.values) }?.message == "integer overflow")
  }

  @Test func `a failed statement restarts at its first row`() throws {
    let statement = try overflowing()
    for _ in 1...3 {
      var count = 0
      let error = failure { while try statement.step() != nil { count += 1 } }
      #expect(error?.message == "integer overflow")
      #expect(count == 1)
    }
  }

  @Test func `an interrupted statement throws and can run again`() throws {
    var isOn = true
    try db.addFunction("stop", arity: 0) { [unowned db] _ in
      if isOn { db.interrupt() }
      return 1
    }
    let statement = try db.prepare(sql: "SELECT stop() FROM t")
    let error = failure { try statement.rows() }
    #expect(error?.code == .interrupt)
    #expect(error?.code.rawValue == 9)
    isOn = false
    #expect(try statement.rows().count == 3)
  }

  @Test func `an SQL function can observe that its connection was interrupted`() throws {
    guard SQLiteLibrary.has(.interruptState) else {
      #expect(failure { try db.isInterrupted }?.code == .notFound)
      return
    }
    var found: [Bool] = []
    try db.addFunction("stop", arity: 0) { [unowned db] _ in
      found.append(try db.isInterrupted)
      db.interrupt()
      found.append(try db.isInterrupted)
      return 1
    }
    #expect(failure { try db.value("SELECT count(stop()) FROM t") }?.code == .interrupt)
    #expect(found == [false, true])
    #expect(try db.value("SELECT 1") == 1)
    #expect(try !db.isInterrupted)
    try db.close()
    #expect(failure { try db.isInterrupted }?.code == .misuse)
  }

  @Test func `a statement that throws busy can run again`() throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let first = try Connection(path: folder.file(), configuration: configuration)
    let second = try Connection(path: folder.file(), configuration: configuration)
    try first.execute(sql: "CREATE TABLE t(a); BEGIN IMMEDIATE")
    let statement = try second.prepare(sql: "INSERT INTO t VALUES (1)")
    #expect(failure { try statement.execute() }?.code == .busy)
    try first.execute(sql: "COMMIT")
    try statement.execute()
    #expect(try first.value("SELECT count(*) FROM t") == 1)
  }

  @Test func `an SQL function is called once per row, however often its column is read`() throws {
    var calls = 0
    try db.addFunction("count_up", arity: 0) { _ in
      calls += 1
      return .integer(Int64(calls))
    }
    let pairs = try db.prepare(sql: "SELECT count_up(), a FROM t ORDER BY a").map { row in
      [try row.value(at: 0), try row.value(at: 1), try row.value(at: 0)]
    }
    #expect(pairs == [[1, 1, 1], [2, 2, 2], [3, 3, 3]])
    #expect(calls == 3)
  }
}
