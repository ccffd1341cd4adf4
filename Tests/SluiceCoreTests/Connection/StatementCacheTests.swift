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

  @Test func `SQL that comes again is not compiled again`() throws {
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

  @Test func `each call that runs SQL at once uses it`() throws {
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

  @Test func `SQL is the same only to the letter`() throws {
    try connection.execute(sql: "SELECT 'é'")
    try connection.execute(sql: "SELECT 'e\u{301}'")
    #expect(hits == 0)
    let values = try ["SELECT 'é'", "SELECT 'e\u{301}'"].map {
      try connection.value($0)
    }
    #expect(values == ["é", "e\u{301}"])
    #expect(hits == 2)
  }

  @Test func `values from before are not there any more`() throws {
    let insert = "INSERT INTO t(a, b) VALUES (?, ?)"
    try connection.execute(sql: insert, parameters: 3, "z")
    #expect(failure { try connection.execute(sql: insert, parameters: 4) }?.code == .range)
    #expect(failure { try connection.execute(sql: insert) }?.code == .range)
    #expect(try connection.value("SELECT count(*) FROM t") == 3)
  }

  @Test func `values that a statement failed with are not there for the next one`() throws {
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

  @Test func `a statement in use is not lent a second time`() throws {
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

  @Test func `a function that a statement calls can run the same SQL`() throws {
    let select = "SELECT f(?)"
    try connection.addFunction("f", arity: 1) { [unowned connection] values in
      let depth = try values.get(Int.self, at: 0)
      return depth == 0 ? 0 : try connection.value(select, .int(depth - 1))
    }
    for _ in 1...2 { #expect(try connection.value(select, 3) == 0) }
  }

  @Test func `a statement that failed is not kept`() throws {
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

  @Test func `a column that another connection adds is there`() throws {
    let select = "SELECT * FROM t WHERE a = 1"
    #expect(try connection.first(.values, sql: select)?.columnNames == ["a", "b"])
    try Connection(path: folder.file()).execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 7")
    let row = try #require(try connection.first(.values, sql: select))
    #expect(row.columnNames == ["a", "b", "c"])
    #expect(row.values == [1, "x", 7])
    #expect(hits == 1)
  }

  @Test func `a table that is made anew is the one that is read`() throws {
    let select = "SELECT b FROM t"
    #expect(try connection.query(.column(.string), sql: select) == ["x", "y"])
    try connection.execute(sql: "DROP TABLE t; CREATE TABLE t(c, b); INSERT INTO t VALUES (1, 'n')")
    #expect(try connection.query(.column(.string), sql: select) == ["n"])
    try connection.execute(sql: "DROP TABLE t")
    #expect(
      failure { try connection.execute(sql: select) }?.message.contains("no such table") == true)
  }

  @Test func `the one that was not used for the longest time goes first`() throws {
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

  @Test(arguments: [0, -1, Int.min]) func `a size of none keeps none`(_ size: Int) throws {
    var configuration = Configuration()
    configuration.statementCacheSize = size
    let connection = try Connection(configuration: configuration)
    for _ in 1...2 { try connection.execute(sql: "SELECT 1") }
    #expect(connection.statementCacheStatistics.count == 0)
    #expect(connection.statementCacheStatistics.hits == 0)
  }

  @Test func `it can be cleared`() throws {
    try connection.execute(sql: "SELECT 1")
    try connection.execute(sql: "SELECT 2") { _ in
      connection.clearStatementCache()
      // What is in use stays.
      #expect(count == 0)
    }
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test(arguments: [
    "PRAGMA user_version", "BEGIN; COMMIT", "EXPLAIN SELECT 1", "/* a */ SELECT 1", "",
    "SELECT 1; SELECT 2", "CREATE TEMP TABLE IF NOT EXISTS x(a)",
  ])
  func `what may do its work when it is compiled, and scripts, are not kept`(_ sql: String) throws {
    for _ in 1...2 { try connection.execute(sql: sql) }
    #expect(count == 0)
  }

  @Test func `a pragma does its work each time`() throws {
    for isOn in [true, false, true, false] {
      try connection.execute(sql: "PRAGMA foreign_keys = \(isOn)")
      #expect(try connection.value("PRAGMA foreign_keys") == DatabaseValue(booleanLiteral: isOn))
    }
  }

  /// SQLite does all that such a pragma does, and finds out what it tells, when it is compiled.
  @Test(arguments: [
    ("cache_size", [100, 200]), ("busy_timeout", [1, 2]), ("temp_store", [1, 2]),
  ])
  func `so does a pragma that does its work when it is compiled`(
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
  func `white space and a semicolon do no harm`(_ sql: String) throws {
    for _ in 1...3 { #expect(try connection.query(.column(.int), sql: sql) == [1, 2]) }
    #expect(hits == 2)
  }

  @Test func `what is prepared is not shared`() throws {
    try connection.execute(sql: "SELECT a FROM t")
    let first = try connection.prepare(sql: "SELECT a FROM t")
    let second = try connection.prepare(sql: "SELECT a FROM t")
    #expect(first !== second)
    #expect(hits == 0)
  }

  @Test func `kept statements keep neither the connection nor its tables`() throws {
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

  @Test func `closing finalizes what is kept`() throws {
    try connection.execute(sql: "SELECT a FROM t")
    try connection.close()
    #expect(count == 0)
    #expect(failure { try connection.execute(sql: "SELECT a FROM t") }?.code == .misuse)
  }

  @Test func `closing from a row closure ends the statement that is lent`() throws {
    for _ in 1...2 { try connection.execute(sql: "SELECT a FROM t") }
    #expect(
      failure {
        try connection.execute(sql: "SELECT a FROM t") { _ in try connection.close() }
      }?.code == .misuse)
    #expect(!connection.isOpen)
    #expect(count == 0)
  }

  @Test func `objects that were bound are released`() throws {
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

  @Test func `a thousand different statements leave what fits`() throws {
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
  func `a table that comes to stand before one of another database is the one that is read`(
    _ sql: String
  ) throws {
    try connection.attach(path: folder.file("other"), as: "other")
    try connection.execute(sql: "CREATE TABLE other.u(a); INSERT INTO other.u VALUES (1)")
    let select = "SELECT count(*) FROM u"
    #expect(try connection.value(select) == 1)
    try connection.execute(sql: sql)
    #expect(try connection.value(select) == 0)
  }

  @Test func `a table that is renamed comes to stand before one of another database`() throws {
    try connection.attach(path: folder.file("other"), as: "other")
    try connection.execute(sql: "CREATE TABLE other.u(a)")
    let insert = "INSERT INTO u(a) VALUES (3)"
    try connection.execute(sql: insert)
    try connection.prepare(sql: "ALTER TABLE t RENAME TO u").execute()
    try connection.execute(sql: insert)
    #expect(try connection.value("SELECT count(*) FROM main.u") == 3)
    #expect(try connection.value("SELECT count(*) FROM other.u") == 1)
  }

  @Test func `a table that a run lets go of makes stands before one of another database`() throws {
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
    // The object is held back until the statement is put away: the one that calls `run` still runs.
    try connection.addFunction("run", arity: 0) { [unowned connection] _ in
      try connection.first(.column(.value), sql: select, parameters: 1) ?? .null
    }
    #expect(try connection.value("SELECT run()") == 1)
    try connection.removeFunction("carry", arity: 0)
    try connection.addFunction("carry", arity: 0) { _ in .null }
    #expect(try connection.value(select, 1) == 0)
  }

  /// SQLite by itself does not compile anew what calls another function by that name.
  @Test(arguments: ["of_any_number", "max"])
  func `a function that fits better than one for any number of arguments is the one that is called`(
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

  @Test func `so is one that is added while the statement is lent`() throws {
    try connection.addFunction("f", arity: -1) { _ in 2 }
    let select = "SELECT f(1)"
    try connection.execute(sql: select) { _ in
      try connection.addFunction("f", arity: 1) { _ in 7 }
    }
    #expect(try connection.value(select) == 7)
  }

  @Test func `so is an aggregate function`() throws {
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
