import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.statements)) struct `the statement cache` {
  private let folder: TestFolder
  private let connection: Connection

  init() throws {
    folder = try TestFolder()
    connection = try Connection(path: folder.file())
    try connection.execute(
      sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
  }

  private var hits: Int { connection.statementCacheStatistics.hits }
  private var count: Int { connection.statementCacheStatistics.count }

  @Test func `repeated SQL is compiled once`() throws {
    let before = connection.statementCacheStatistics
    for a in 1...2 {
      _ = try connection.first(
        .column(.string), sql: "SELECT b FROM t WHERE a = ?", parameters: .int(a))
    }
    let after = connection.statementCacheStatistics
    #expect(after.misses - before.misses == 1)
    #expect(after.hits - before.hits == 1)
    #expect(after.count - before.count == 1)
    #expect(after.capacity == 128)
  }

  @Test func `each method that accepts SQL uses the statement cache`() throws {
    let select = "SELECT b FROM t WHERE a = 1"
    try connection.execute(sql: select)
    try connection.execute(sql: select) { _ in }
    try connection.execute(sql: select, parameters: [])
    _ = try connection.query(.values, sql: select)
    _ = try connection.first(.values, sql: select)
    try connection.execute("SELECT b FROM t WHERE a = 1")
    #expect(hits == 5)
    #expect(count == 1)
  }

  @Test func `canonically equivalent SQL texts are cached separately`() throws {
    try connection.execute(sql: "SELECT 'é'")
    try connection.execute(sql: "SELECT 'e\u{301}'")
    #expect(hits == 0)
    let values = try ["SELECT 'é'", "SELECT 'e\u{301}'"].map {
      try connection.value($0)
    }
    #expect(values == ["é", "e\u{301}"])
    #expect(hits == 2)
  }

  @Test func `a cached statement does not reuse the parameters of an earlier call`() throws {
    let insert = "INSERT INTO t(a, b) VALUES (?, ?)"
    try connection.execute(sql: insert, parameters: 3, "z")
    #expect(failure { try connection.execute(sql: insert, parameters: 4) }?.code == .range)
    #expect(failure { try connection.execute(sql: insert) }?.code == .range)
    #expect(try connection.value("SELECT count(*) FROM t") == 3)
  }

  @Test func `a cached statement does not reuse the parameters of a failed call`() throws {
    let insert = "INSERT INTO t(a, b) VALUES (:a, :b)"
    try connection.execute(sql: insert, parameters: ["a": 3, "b": "z"])
    let poison = failure { try connection.execute(sql: insert, parameters: ["a": 3, "b": "old"]) }
    #expect(poison?.code == .constraintPrimaryKey)
    #expect(failure { try connection.execute(sql: insert, parameters: ["a": 4]) }?.code == .range)
    #expect(failure { try connection.execute(sql: insert, parameters: 4) }?.code == .range)
    #expect(failure { try connection.execute(sql: insert) }?.code == .range)
    try connection.execute(sql: insert, parameters: 4, .null)
    #expect(try connection.value("SELECT count(*) FROM t WHERE b = 'old'") == 0)
  }

  @Test func `a nested call with the same SQL does not share the statement in use`() throws {
    let select = "SELECT a FROM t ORDER BY a"
    var pairs: [[Int]] = []
    for _ in 1...2 {
      try connection.execute(sql: select) { outer in
        let first = try outer.get(.int, at: 0)
        try connection.execute(sql: select) { inner in
          pairs.append([first, try inner.get(.int, at: 0)])
        }
      }
    }
    #expect(pairs == [[1, 1], [1, 2], [2, 1], [2, 2], [1, 1], [1, 2], [2, 1], [2, 2]])
    #expect(count == 1)
  }

  @Test func `an SQL function can run the same SQL as the statement that calls it`() throws {
    let select = "SELECT f(?)"
    try connection.addFunction("f", arity: 1) { [unowned connection] values in
      let depth = try values.get(Int.self, at: 0)
      return depth == 0 ? 0 : try connection.value(select, .int(depth - 1))
    }
    for _ in 1...2 { #expect(try connection.value(select, 3) == 0) }
  }

  @Test func `a failed statement is not cached`() throws {
    let insert = "INSERT INTO t(a) VALUES (?)"
    #expect(
      failure { try connection.execute(sql: insert, parameters: 1) }?.code.primary == .constraint)
    #expect(count == 0)
    try connection.execute(sql: insert, parameters: 3)
    #expect(count == 1)
    #expect(failure { try connection.execute(sql: insert, parameters: 1) } != nil)
    #expect(count == 0)
    #expect(failure { try connection.execute(sql: "SELECT * FROM nothing") } != nil)
    #expect(count == 0)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try connection.execute(sql: "SELECT * FROM t") { _ in throw Stop() }
    }
    #expect(count == 0)
  }

  @Test func `a cached statement returns a column that another connection has added`() throws {
    let select = "SELECT * FROM t WHERE a = 1"
    #expect(try connection.first(.values, sql: select)?.columnNames == ["a", "b"])
    try Connection(path: folder.file()).execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 7")
    let row = try #require(try connection.first(.values, sql: select))
    #expect(row.columnNames == ["a", "b", "c"])
    #expect(row.values == [1, "x", 7])
    #expect(hits == 1)
  }

  @Test func `a cached statement reads a re-created table`() throws {
    let select = "SELECT b FROM t"
    #expect(try connection.query(.column(.string), sql: select) == ["x", "y"])
    try connection.execute(sql: "DROP TABLE t; CREATE TABLE t(c, b); INSERT INTO t VALUES (1, 'n')")
    #expect(try connection.query(.column(.string), sql: select) == ["n"])
    try connection.execute(sql: "DROP TABLE t")
    #expect(
      failure { try connection.execute(sql: select) }?.message.contains("no such table") == true)
  }

  @Test func `the statement cache evicts the least recently used statement`() throws {
    var configuration = Configuration()
    configuration.statementCacheSize = 2
    let connection = try Connection(configuration: configuration)
    func run(_ sql: String) throws -> Bool {
      let before = connection.statementCacheStatistics.hits
      try connection.execute(sql: sql)
      return connection.statementCacheStatistics.hits > before
    }
    #expect(try run("SELECT 1") == false)
    #expect(try run("SELECT 2") == false)
    #expect(try run("SELECT 1") == true)
    #expect(try run("SELECT 3") == false)
    #expect(try run("SELECT 1") == true)
    #expect(try run("SELECT 2") == false)
    #expect(connection.statementCacheStatistics.count == 2)
  }

  @Test(arguments: [0, -1, Int.min]) func `a size of zero or less disables the statement cache`(
    _ size: Int
  )
    throws
  {
    var configuration = Configuration()
    configuration.statementCacheSize = size
    let connection = try Connection(configuration: configuration)
    for _ in 1...2 { try connection.execute(sql: "SELECT 1") }
    #expect(connection.statementCacheStatistics.count == 0)
    #expect(connection.statementCacheStatistics.hits == 0)
  }

  @Test func `the statement cache can be cleared while a statement is in use`() throws {
    try connection.execute(sql: "SELECT 1")
    try connection.execute(sql: "SELECT 2") { _ in
      connection.clearStatementCache()
      // Clearing does not affect the statement in use, which is not cached before its first call ends.
      #expect(count == 0)
    }
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test(arguments: [
    "PRAGMA user_version", "BEGIN; COMMIT", "EXPLAIN SELECT 1", "/* a */ SELECT 1", "",
    "SELECT 1; SELECT 2", "CREATE TEMP TABLE IF NOT EXISTS x(a)",
  ])
  func `pragmas, EXPLAIN, DDL, scripts and SQL after a comment are not cached`(_ sql: String) throws
  {
    for _ in 1...2 { try connection.execute(sql: sql) }
    #expect(count == 0)
  }

  @Test func `a repeated pragma takes effect each time`() throws {
    for isOn in [true, false, true, false] {
      try connection.execute(sql: "PRAGMA foreign_keys = \(isOn)")
      #expect(try connection.value("PRAGMA foreign_keys") == DatabaseValue(booleanLiteral: isOn))
    }
  }

  /// SQLite executes some pragmas, and determines their results, when it prepares the statement.
  @Test(arguments: [
    ("cache_size", [100, 200]), ("busy_timeout", [1, 2]), ("temp_store", [1, 2]),
  ])
  func `a pragma that SQLite executes during preparation takes effect each time`(
    _ name: String, _ values: [Int64]
  ) throws {
    for value in values + values {
      try connection.execute(sql: "PRAGMA \(name) = \(value)")
      #expect(try connection.value("PRAGMA \(name)") == .integer(value))
      #expect(try connection.value("SELECT * FROM pragma_\(name)") == .integer(value))
    }
  }

  @Test(arguments: [
    "SELECT a FROM t", "  select a from t", "SELECT a FROM t;", "SELECT a FROM t;\n",
  ])
  func `SQL with leading white space or a final semicolon is cached`(_ sql: String) throws {
    for _ in 1...3 { #expect(try connection.query(.column(.int), sql: sql) == [1, 2]) }
    #expect(hits == 2)
  }

  @Test func `prepare returns a new statement instead of a cached one`() throws {
    try connection.execute(sql: "SELECT a FROM t")
    let first = try connection.prepare(sql: "SELECT a FROM t")
    let second = try connection.prepare(sql: "SELECT a FROM t")
    #expect(first !== second)
    #expect(hits == 0)
  }

  @Test func `cached statements neither retain the connection nor lock its tables`() throws {
    weak var weakConnection: Connection?
    do {
      let connection = try Connection(path: folder.file("other"))
      weakConnection = connection
      try connection.execute(sql: "CREATE TABLE u(a)")
      try connection.execute(sql: "SELECT a FROM u")
      try connection.execute(sql: "INSERT INTO u VALUES (1)")
      #expect(connection.statementCacheStatistics.count == 2)
      try connection.execute(sql: "DROP TABLE u")
    }
    #expect(weakConnection == nil)
  }

  @Test func `closing the connection empties the statement cache`() throws {
    try connection.execute(sql: "SELECT a FROM t")
    try connection.close()
    #expect(count == 0)
    #expect(failure { try connection.execute(sql: "SELECT a FROM t") }?.code == .misuse)
  }

  @Test func `closing the connection in a row closure ends the running statement`() throws {
    for _ in 1...2 { try connection.execute(sql: "SELECT a FROM t") }
    #expect(
      failure {
        try connection.execute(sql: "SELECT a FROM t") { _ in try connection.close() }
      }?.code == .misuse)
    #expect(!connection.isOpen)
    #expect(count == 0)
  }

  @Test func `a cached statement releases its bound objects when the call returns`() throws {
    final class Token: Sendable {}
    weak var token: Token?
    do {
      let object = Token()
      token = object
      try connection.execute(sql: "SELECT typeof(?)", parameters: .object(object))
    }
    #expect(token == nil)
    #expect(count == 1)
  }

  @Test func `the statement cache contains the last 128 of a thousand statements`() throws {
    for number in 0..<1000 {
      #expect(try connection.value("SELECT \(number)") == .integer(Int64(number)))
    }
    #expect(count == 128)
    for number in 872..<1000 {
      #expect(try connection.value("SELECT \(number)") == .integer(Int64(number)))
    }
    #expect(hits == 128)
  }

  @Test(arguments: ["CREATE TABLE u(a)", "/* a */ CREATE VIEW u(a) AS SELECT 1 WHERE 0"])
  func `a cached statement reads a new table that shadows one of another database`(
    _ sql: String
  ) throws {
    try connection.attach(path: folder.file("other"), as: "other")
    try connection.execute(sql: "CREATE TABLE other.u(a); INSERT INTO other.u VALUES (1)")
    let select = "SELECT count(*) FROM u"
    #expect(try connection.value(select) == 1)
    try connection.execute(sql: sql)
    #expect(try connection.value(select) == 0)
  }

  @Test func `a cached statement uses a renamed table that shadows one of another database`() throws
  {
    try connection.attach(path: folder.file("other"), as: "other")
    try connection.execute(sql: "CREATE TABLE other.u(a)")
    let insert = "INSERT INTO u(a) VALUES (3)"
    try connection.execute(sql: insert)
    try connection.prepare(sql: "ALTER TABLE t RENAME TO u").execute()
    try connection.execute(sql: insert)
    #expect(try connection.value("SELECT count(*) FROM main.u") == 3)
    #expect(try connection.value("SELECT count(*) FROM other.u") == 1)
  }

  @Test func `a cached statement reads a shadowing table that a released object has created`()
    throws
  {
    final class Last {
      let act: () -> Void
      init(_ act: @escaping () -> Void) { self.act = act }
      deinit { act() }
    }
    try connection.attach(path: folder.file("other"), as: "other")
    try connection.execute(sql: "CREATE TABLE other.u(a); INSERT INTO other.u VALUES (1)")
    try connection.addFunction("carry", arity: 0) { [unowned connection] values in
      try values.setResultObject(
        Last { _ = failure { try connection.execute(sql: "CREATE TABLE u(a)") } })
      return .null
    }
    let select = "SELECT count(*), carry() FROM u WHERE a = ?"
    // Because the statement that calls `run` is still running, the object is released only after the inner
    // statement has returned to the cache.
    try connection.addFunction("run", arity: 0) { [unowned connection] _ in
      try connection.first(.column(.value), sql: select, parameters: 1) ?? .null
    }
    #expect(try connection.value("SELECT run()") == 1)
    try connection.removeFunction("carry", arity: 0)
    try connection.addFunction("carry", arity: 0) { _ in .null }
    #expect(try connection.value(select, 1) == 0)
  }

  /// When a better-fitting function is added, SQLite does not re-prepare statements that call another
  /// function of the same name.
  @Test(arguments: ["of_any_number", "max"])
  func `a cached statement calls a new function with the exact arity`(
    _ name: String
  ) throws {
    try connection.addFunction("of_any_number", arity: -1) { _ in 2 }
    let select = "SELECT \(name)(1, 2)"
    #expect(try connection.value(select) == 2)
    try connection.addFunction(name, arity: 2) { _ in 7 }
    #expect(try connection.value(select) == 7)
    try connection.removeFunction(name, arity: 2)
    #expect(failure { _ = try connection.value(select) } != nil)
  }

  @Test func `a cached statement calls a function added while the statement ran`() throws {
    try connection.addFunction("f", arity: -1) { _ in 2 }
    let select = "SELECT f(1)"
    try connection.execute(sql: select) { _ in
      try connection.addFunction("f", arity: 1) { _ in 7 }
    }
    #expect(try connection.value(select) == 7)
  }

  @Test func `a cached statement calls a new aggregate function with the exact arity`() throws {
    final class Seven: SQLAggregateWindowFunction {
      func step(_ values: borrowing SQLFunctionArguments) {}
      func inverse(_ values: borrowing SQLFunctionArguments) {}
      func value() -> DatabaseValue { 7 }
      func final() -> DatabaseValue { 7 }
    }
    final class Eight: SQLAggregateFunction {
      func step(_ values: borrowing SQLFunctionArguments) {}
      func final() -> DatabaseValue { 8 }
    }
    try connection.addFunction("f", arity: -1) { _ in 2 }
    for sql in ["SELECT f(1)", "SELECT f(1, 2)"] { #expect(try connection.value(sql) == 2) }
    try connection.addAggregateFunction("f", arity: 1) { Seven() }
    try connection.addAggregateFunction("f", arity: 2) { Eight() }
    #expect(try connection.value("SELECT f(1)") == 7)
    #expect(try connection.value("SELECT f(1, 2)") == 8)
  }
}
