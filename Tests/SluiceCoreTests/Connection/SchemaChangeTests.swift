import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.reliability)) struct `schema changes between prepare and step` {
  let folder: TestFolder
  let db: Connection
  let other: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file())
    try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
    other = try Connection(path: folder.file())
  }

  private func names(_ statement: Statement) throws -> [[String]] {
    [try #require(try statement.rows().first?.columnNames), statement.columnNames]
  }

  @Test func `a statement returns a column added between prepare and step`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM t")
    #expect(statement.columnNames == ["a", "b"])
    try other.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 3")
    #expect(try statement.rows().map(\.values) == [[1, 2, 3]])
    #expect(statement.columnCount == 3)
    #expect(try names(statement) == [["a", "b", "c"], ["a", "b", "c"]])
  }

  @Test func `a row has the names of columns added between prepare and step`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM t")
    try other.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 3")
    guard let row = try statement.step() else {
      Issue.record("There is a row")
      return
    }
    let (count, names) = (row.indices.count, row.columnNames)
    #expect(count == 3)
    #expect(names == ["a", "b", "c"])
    #expect(try statement.rows()[0]["c"] == 3)
  }

  @Test func `a statement does not return a column dropped between prepare and step`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM t")
    _ = statement.columnNames
    try other.execute(sql: "ALTER TABLE t DROP COLUMN a")
    guard let row = try statement.step() else {
      Issue.record("There is a row")
      return
    }
    let value = try row.value(at: 0)
    #expect(value == 2)
    #expect(failure { try row.value(at: 1) }?.code == .range)
    #expect(failure { try row.value(named: "a") }?.code == .range)
    #expect(statement.columnNames == ["b"])
  }

  @Test func `a column renamed between two runs of a statement has its new name`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM t")
    #expect(try statement.rows()[0]["a"] == 1)
    try other.execute(sql: "ALTER TABLE t RENAME COLUMN a TO z")
    #expect(try names(statement) == [["z", "b"], ["z", "b"]])
  }

  @Test func `a statement that returns no rows updates its columns when it runs`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM t WHERE a > 1")
    try other.execute(sql: "ALTER TABLE t ADD COLUMN c")
    try statement.execute()
    #expect(statement.columnCount == 3)
    #expect(statement.columnNames == ["a", "b", "c"])
    try other.execute(sql: "ALTER TABLE t DROP COLUMN c; ALTER TABLE t DROP COLUMN b")
    try statement.reset()
    let isEmpty = try statement.step() == nil
    #expect(isEmpty)
    #expect(statement.columnCount == 1)
    #expect(statement.columnNames == ["a"])
  }

  @Test func `a statement that fails after an automatic re-prepare has the new columns`() throws {
    let statement = try db.prepare(sql: "SELECT *, abs(?) FROM t")
    try statement.bind(.int64(.min))
    try other.execute(sql: "ALTER TABLE t ADD COLUMN c")
    #expect(failure { try statement.execute() }?.message == "integer overflow")
    #expect(statement.columnCount == 4)
    #expect(statement.columnNames == ["a", "b", "c", "abs(?)"])
  }

  @Test(
    arguments: zip(
      ["ALTER TABLE t ADD COLUMN c", "ALTER TABLE t DROP COLUMN b"],
      [["asked", "a", "b", "c"], ["asked", "a"]]))
  func `column names read during the first step after a schema change match the rows`(
    _ sql: String, _ names: [String]
  ) throws {
    var asking: Statement?
    try db.addFunction("ask", arity: 0) { _ in .integer(Int64(asking?.columnNames.count ?? 0)) }
    let statement = try db.prepare(sql: "SELECT ask() AS asked, * FROM t")
    asking = statement
    try other.execute(sql: sql)
    let row = try statement.rows().first
    #expect(row?.columnNames == names)
    #expect(row?["asked"] == .integer(Int64(names.count)))
    #expect(statement.columnCount == names.count)
    #expect(statement.columnNames == names)
    asking = nil
  }

  @Test func `a statement returns the current columns after each of twenty schema changes`() throws
  {
    let statement = try db.prepare(sql: "SELECT * FROM t")
    for number in 1...20 {
      try other.execute(sql: "ALTER TABLE t ADD COLUMN c\(number) DEFAULT \(number)")
      #expect(try statement.rows()[0].last?.name == "c\(number)")
    }
  }

  @Test func `stepping a statement whose table was dropped throws`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t")
    try other.execute(sql: "DROP TABLE t")
    let error = failure { try statement.step() }
    #expect(error?.code == .error)
    #expect(error?.message == "no such table: t")
    #expect(error?.sql == "SELECT a FROM t")
    #expect(error?.offset == nil || error?.offset == 14)
    try other.execute(sql: "CREATE TABLE t(x, a); INSERT INTO t VALUES (0, 9)")
    #expect(try statement.first(.column(.int)) == 9)
  }

  @Test func `stepping a statement whose database was detached throws`() throws {
    try db.execute(sql: "ATTACH ':memory:' AS extra; CREATE TABLE extra.u(a)")
    let statement = try db.prepare(sql: "SELECT a FROM extra.u")
    try db.execute(sql: "DETACH extra")
    #expect(failure { try statement.step() }?.code == .error)
    try db.execute(sql: "ATTACH ':memory:' AS extra; CREATE TABLE extra.u(b, a)")
    #expect(try statement.rows() == [])
  }

  @Test func `the bindings of a statement remain after a schema change`() throws {
    let statement = try db.prepare(sql: "SELECT *, ? FROM t")
    try statement.bind("kept")
    try other.execute(sql: "ALTER TABLE t ADD COLUMN c")
    #expect(try statement.rows().map(\.values) == [[1, 2, .null, "kept"]])
  }

  @Test func `a schema change while a statement reads rows does not affect the rows`() throws {
    try db.execute(sql: "PRAGMA journal_mode = wal; INSERT INTO t VALUES (3, 4)")
    let statement = try db.prepare(sql: "SELECT * FROM t ORDER BY a")
    var rows: [RowValues] = []
    try statement.forEachRow { row in
      if rows.isEmpty { try other.execute(sql: "ALTER TABLE t ADD COLUMN c") }
      rows.append(try row.values())
    }
    #expect(rows.map(\.values) == [[1, 2], [3, 4]])
    #expect(try statement.rows().map(\.columnNames) == [["a", "b", "c"], ["a", "b", "c"]])
  }
}
