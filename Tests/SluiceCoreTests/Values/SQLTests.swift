import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.binding)) struct `interpolated SQL` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, data BLOB);
      INSERT INTO t VALUES (1, 'one', x'01'), (2, 'two', NULL), (3, 'three', NULL)
      """)
  }

  @Test func `interpolated values are bound and never become SQL`() throws {
    let id = 4
    let name = "x'); DROP TABLE t; --"
    try connection.execute("INSERT INTO t(id, name) VALUES (\(id), \(name))")
    #expect(try connection.first(.column(.string), "SELECT name FROM t WHERE id = \(id)") == name)
    #expect(try connection.first(.column(.int), "SELECT count(*) FROM t") == 4)
  }

  @Test func `the SQL text has a question mark for each value`() throws {
    let sql: SQL = "SELECT \(1), \("x"), \(2.5), \(true), \(nil), \(.uint64(5))"
    #expect(sql.text == "SELECT ?, ?, ?, ?, ?, ?")
    #expect(sql.description == sql.text)
    let row = try #require(try connection.first(.values, sql))
    #expect(row.values == [1, "x", 2.5, 1, .null, 5])
  }

  @Test func `an interpolated optional binds NULL or its wrapped value`() throws {
    let none: String? = nil
    let some: String? = "x"
    let row = try #require(try connection.first(.values, "SELECT \(none), \(some)"))
    #expect(row.values == [.null, "x"])
  }

  private struct Point: SQLBindable {
    let x: Int
    var sqlParameter: SQLParameter { .string("point \(x)") }
  }

  @Test func `a bindable type is interpolated in its own representation`() throws {
    let point = Point(x: 1)
    let some: Point? = Point(x: 2)
    let none: Point? = nil
    let any: any SQLBindable = Point(x: 3)
    let number: any SQLBindable = 4
    let noParameter: SQLParameter? = nil
    let sql: SQL = "SELECT \(point), \(some), \(none), \(any), \(number), \(noParameter)"
    #expect(sql.text == "SELECT ?, ?, ?, ?, ?, ?")
    let row = try #require(try connection.first(.values, sql))
    #expect(row.values == ["point 1", "point 2", .null, "point 3", 4, .null])
  }

  @Test func `an array interpolated after IN can have any number of values`() throws {
    let converter = RowConverter.column(.int)
    for ids in [[], [2], [3, 1], Array(3...100_000)] {
      let found = try connection.query(
        converter, "SELECT id FROM t WHERE id IN \(ids) ORDER BY id")
      #expect(found == ids.filter { $0 <= 3 }.sorted())
    }
    let others = try connection.query(
      converter, "SELECT id FROM t WHERE name NOT IN \(["one", "two"])")
    #expect(others == [3])
  }

  @Test func `an interpolated array that does not follow IN throws`() throws {
    let connection = try Connection()
    for sql: SQL in ["SELECT \([1, 2])", "SELECT * FROM array(\([1, 2]))"] {
      let error = failure { try connection.execute(sql) }
      #expect(error?.code == .mismatch)
      #expect(error?.message == "An interpolated array is allowed only after IN")
    }
  }

  @Test func `an interpolated byte array binds a blob`() throws {
    let bytes: [UInt8] = [1]
    #expect(
      try connection.query(.column(.int), "SELECT id FROM t WHERE data = \(bytes)") == [1])
    #expect(
      try connection.query(.column(.int), "SELECT id FROM t WHERE data IN \([bytes])") == [1])
  }

  @Test func `an interpolated array of parameters preserves their representations`() throws {
    let parameters: [SQLParameter] = [.int(1), .string("x"), nil]
    #expect(
      try connection.query(.column(.value), "SELECT value FROM \(parameters)") == [1, "x", .null])
  }

  @Test func `interpolated identifiers are quoted`() throws {
    let name = #"a"b; DROP TABLE t"#
    try connection.execute("CREATE TABLE \(identifier: name)(\(identifier: "order") INTEGER)")
    try connection.execute("INSERT INTO \(identifier: name) VALUES (\(7))")
    #expect(
      try connection.query(
        .column(.int), "SELECT \(identifier: "order") FROM \(identifier: name)") == [7])
  }

  @Test func `interpolating an identifier with a NUL throws`() {
    #expect(failure { try connection.execute("DROP TABLE \(identifier: "t\0")") }?.code == .misuse)
  }

  @Test func `interpolated raw text is inserted unchanged`() throws {
    let order = "DESC"
    #expect(
      try connection.query(.column(.int), "SELECT id FROM t ORDER BY id \(raw: order)")
        == [3, 2, 1])
  }

  @Test func `SQL joined from parts binds their values in order`() throws {
    let conditions: [SQL] = ["id > \(1)", "name LIKE \("t%")", "id IN \([2, 3])"]
    let all = conditions.joined(separator: " AND ")
    let sql: SQL = "SELECT \(0) + id FROM t WHERE \(all) ORDER BY id"
    #expect(
      sql.text
        == "SELECT ? + id FROM t WHERE id > ? AND name LIKE ? AND id IN sluice_array(?) ORDER BY id"
    )
    #expect(try connection.query(.column(.int), sql) == [2, 3])
    var limited = sql + " LIMIT \(1)"
    #expect(try connection.query(.column(.int), limited) == [2])
    limited += " OFFSET \(1)"
    #expect(try connection.query(.column(.int), limited) == [3])
    #expect([SQL]().joined(separator: ",").text.isEmpty)
  }

  @Test func `a script binds its values to its statements in order`() throws {
    try connection.execute(
      "CREATE TABLE a(x); INSERT INTO a VALUES (\(1)), (\(2)); DELETE FROM a WHERE x = \(1)")
    #expect(try connection.query(.column(.int), "SELECT x FROM a") == [2])
  }

  @Test func `interpolating a value inside quotes throws`() {
    #expect(
      failure { try connection.execute("SELECT * FROM t WHERE name = '\("x")'") }?.code == .range)
    let error = failure {
      try connection.query(.column(.int), "SELECT id FROM t WHERE name LIKE '%\("x")%'")
    }
    #expect(error?.code == .range)
    #expect(
      error?.message
        == "There is no parameter 1; the statement has 0 parameters"
        + ", and a value inside quotes or a comment is not one"
    )
  }

  @Test func `preparing a literal binds its values, which can be rebound`() throws {
    let statement = try connection.prepare("SELECT name FROM t WHERE id = \(1)")
    #expect(try statement.first(.column(.string)) == "one")
    #expect(try statement.first(.column(.string)) == "one")
    #expect(try statement.bind(2).first(.column(.string)) == "two")
  }

  @Test func `execute passes each row to the closure`() throws {
    var names: [String] = []
    try connection.execute("SELECT name FROM t WHERE id < \(3)") { row in
      names.append(try row.get(.string, at: 0))
    }
    #expect(names == ["one", "two"])
  }

  @Test func `interpolating a value that cannot be bound throws, and nothing is stored`() throws {
    #expect(
      failure { try connection.execute("INSERT INTO t(id) VALUES (\(UInt64.max))") }?.code
        == .range)
    #expect(
      failure { try connection.execute("INSERT INTO t(id) VALUES (\(Double.nan))") }?.code
        == .mismatch)
    #expect(failure { try connection.execute("SELECT \([UInt64.max])") }?.code != nil)
    #expect(try connection.first(.column(.int), "SELECT count(*) FROM t") == 3)
  }

  @Test func `interpolated SQL can run on the connection of a queue`() async throws {
    let queue = try ConnectionQueue()
    let name = "x"
    try await queue.transaction { connection, _ in
      try connection.execute("CREATE TABLE t(name)")
      try connection.execute("INSERT INTO t VALUES (\(name))")
    }
    let names = try await queue.perform { connection in
      try connection.query(.column(.string), "SELECT name FROM t WHERE name = \(name)")
    }
    #expect(names == ["x"])
  }

  @Test(arguments: [
    ("1", "1"), ("1 -- one", "1 -- one\n"), ("1 -- one\n", "1 -- one\n"), ("--", "--\n"),
    ("1 /* one", "1 /* one */"), ("1 /* one */", "1 /* one */"), ("/*/", "/*/ */"),
    ("/**/ -- '", "/**/ -- '\n"), ("'--'", "'--'"), ("'it''s --'", "'it''s --'"),
    ("'a' -- it's", "'a' -- it's\n"), ("\"--\"", "\"--\""), ("[--]", "[--]"), ("`/*`", "`/*`"),
    ("2 - -1", "2 - -1"), ("6 / 2", "6 / 2"), ("/* -- */", "/* -- */"), ("-- /*", "-- /*\n"),
    ("", ""),
  ])
  func
    `a trailing comment in an interpolated or joined SQL fragment does not hide the SQL after it`(
      _ sql: String, _ expected: String
    )
  {
    let part: SQL = "\(raw: sql)"
    #expect(part.text == sql)
    #expect(("(\(part))" as SQL).text == "(\(expected))")
    #expect([part, "2"].joined(separator: ", ").text == "\(expected), 2")
    #expect((part + ", 2").text == "\(sql), 2")
  }

  @Test func `a trailing comment in an interpolated condition does not affect the query after it`()
    throws
  {
    let condition: SQL = "id > \(1) -- not the first"
    #expect(
      try connection.query(.column(.int), "SELECT id FROM t WHERE \(condition) ORDER BY id DESC")
        == [3, 2])
    #expect(
      try connection.query(
        .column(.int),
        "SELECT id FROM t WHERE \([condition, "id < \(3)"].joined(separator: " AND "))") == [2])
  }
}
