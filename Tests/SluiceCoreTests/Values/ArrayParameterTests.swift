import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.binding)) struct `array parameters` {
  private let connection: Connection

  init() throws { connection = try Connection() }

  private func values(of array: SQLParameter) throws -> [DatabaseValue] {
    try connection.query(
      .column(.value), sql: "SELECT value FROM array(?) ORDER BY rowid", parameters: array)
  }

  @Test func `an array preserves each kind of value`() throws {
    #expect(try values(of: .array([1, -2, Int64.max])) == [1, -2, .integer(.max)])
    #expect(try values(of: .array([0.5, -.infinity])) == [0.5, .real(-.infinity)])
    #expect(try values(of: .array(["", "a\0b", "ä"])) == ["", "a\0b", "ä"])
    #expect(
      try values(of: .array([[], [0], [1, 2]] as [[UInt8]])) == [
        .blob([]), .blob([0]), .blob([1, 2]),
      ])
    #expect(try values(of: .array([1, nil] as [Int?])) == [1, .null])
    #expect(try values(of: .array([] as [Int])) == [])
    #expect(try values(of: .array(Set(["x"]))) == ["x"])
    #expect(try values(of: .array(3...5)) == [3, 4, 5])
    let mixed: [SQLParameter] = [.int(1), .string("x"), .null]
    #expect(try values(of: .array(mixed)) == [1, "x", .null])
    let stored: [DatabaseValue] = [1, 0.5, "x", .blob([7]), .null]
    #expect(try values(of: .array(stored)) == stored)
  }

  @Test func `IN and NOT IN match the elements of an array`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB);
        INSERT INTO t VALUES (1, 'a', x'00'), (2, 'a' || char(0) || 'b', x''), (3, '', x'0102')
        """)
    func ids(_ condition: String, _ array: SQLParameter) throws -> [Int] {
      try connection.query(
        .column(.int), sql: "SELECT id FROM t WHERE \(condition) ORDER BY id", parameters: array)
    }
    #expect(try ids("id IN array(?)", .array([1, 3, 5])) == [1, 3])
    #expect(try ids("id IN array(?)", .array(["1", "3"])) == [1, 3])
    #expect(try ids("id IN array(?)", .array([] as [Int])) == [])
    #expect(try ids("id NOT IN array(?)", .array([1])) == [2, 3])
    #expect(try ids("id NOT IN array(?)", .array([] as [Int])) == [1, 2, 3])
    #expect(try ids("name IN array(?)", .array(["a\0b", ""])) == [2, 3])
    #expect(try ids("data IN array(?)", .array([[], [1, 2]] as [[UInt8]])) == [2, 3])
    #expect(try ids("id IN (SELECT value + 1 FROM array(?))", .array([1])) == [2])
  }

  @Test func `an array can be joined with itself and grouped`() throws {
    #expect(
      try connection.query(
        .values,
        sql: """
          SELECT a.value AS a, b.value AS b FROM array(?1) AS a, array(?1) AS b
          WHERE a.value < b.value ORDER BY 1, 2
          """, parameters: .array([1, 2, 3])
      ).map(\.values) == [[1, 2], [1, 3], [2, 3]])
    #expect(
      try connection.query(
        .column(.int), sql: "SELECT sum(value) FROM array(?) GROUP BY value % 2",
        parameters: .array([1, 2, 3])) == [2, 4])
  }

  @Test func `an array of 100,000 values binds to a single parameter`() throws {
    let many = Array(0..<100_000)
    #expect(
      try connection.first(
        .column(.int), sql: "SELECT sum(value) FROM array(?)", parameters: .array(many))
        == many.reduce(0, +))
  }

  @Test func `a statement can run again with another array`() throws {
    let statement = try connection.prepare(sql: "SELECT count(*) FROM array(?)")
    for count in [3, 0, 7] {
      #expect(try statement.bind(.array(0..<count)).first(.column(.int)) == count)
    }
  }

  @Test(arguments: ["SELECT * FROM array", "SELECT * FROM array(1)", "SELECT * FROM array(NULL)"])
  func `the array function rejects arguments other than arrays`(_ sql: String) throws {
    let error = try #require(failure { try connection.execute(sql: sql) })
    #expect(error.code == .mismatch)
    #expect(error.message.contains("array requires one argument"))
    try connection.execute(sql: "SELECT 1")
  }

  @Test func `the array function rejects an object that is not an array`() throws {
    #expect(
      failure {
        try connection.execute(sql: "SELECT * FROM array(?)", parameters: .object("x"))
      }?.code == .mismatch)
  }

  @Test func `binding an array with an element that cannot be stored throws`() throws {
    for element: SQLParameter in [.zeroBlob(count: 1), .array([1]), .uint64(.max)] {
      #expect(failure { try values(of: .array([element])) } != nil)
    }
    #expect(failure { try values(of: .array([UInt64.max])) }?.code == .range)
    #expect(failure { try values(of: .array([Double.nan])) }?.code == .mismatch)
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (:list)", "INSERT INTO t(a) VALUES (abs(1)), ((:list))",
    "REPLACE INTO t SELECT :list", "UPDATE t SET a = @list WHERE a IN array(?9)",
    "UPDATE t SET (a) = ($list)", "DELETE FROM t WHERE a IN (?)", "SELECT ?3 FROM array(?1)",
    "SELECT * FROM t WHERE a = (?) AND max(a, 1)", "SELECT CAST(? AS TEXT)",
    "SELECT length('array('), ?",
    "INSERT INTO t SELECT a FROM t WHERE a IN (SELECT a FROM t WHERE a = :list)",
    "INSERT INTO t VALUES (1) RETURNING a = -- array(\n:list", "SELECT a FROM t LIMIT (?)",
    "SELECT count(*) OVER (ORDER BY ?) FROM t", "INSERT INTO \"values\"(a) VALUES (?)",
  ])
  func `binding an array to a parameter that is no function argument throws before any write`(
    _ sql: String
  ) throws {
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE TABLE \"values\"(a)")
    let statement = try connection.prepare(sql: sql)
    let number = statement.parameterCount == 9 ? 1 : statement.parameterCount
    for array in [SQLParameter.array([1]), .object("x")] {
      let error = failure { try statement.bind(array, toParameter: number) }
      #expect(error?.code == .mismatch)
      #expect(error?.message.contains("cannot be bound to an array or object") == true)
      #expect(error?.sql == sql)
    }
    #expect(failure { try statement.execute() }?.code == .range)
    #expect(try connection.value("SELECT group_concat(a) FROM t") == "1")
  }

  @Test(arguments: [
    "SELECT 1 WHERE 0 AND 1 IN array(?)", "INSERT INTO t SELECT value FROM array(?) WHERE 0",
    "DELETE FROM t WHERE a IN \"array\"(?1) AND ?1 IS NULL",
    "SELECT 1 IN sluice_array /* ( */ (:a)",
    "SELECT 1 IN array($a::b(c))", "WITH list(p) AS (SELECT @a) SELECT typeof(p) FROM list",
    "WITH list(p) AS (VALUES (?)) SELECT typeof(p) FROM list",
    "SELECT coalesce(NULL, CASE 1 WHEN 1 THEN ? END)", "SELECT 1 IN (SELECT value FROM [array](?))",
  ])
  func `binding an array to a parameter that is a function argument always succeeds`(_ sql: String)
    throws
  {
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let statement = try connection.prepare(sql: sql)
    for _ in 1...2 { try statement.bind(.array([1])).execute() }
  }

  @Test func `a table named array hides the array function but not interpolated arrays`() throws {
    try connection.execute(sql: "CREATE TABLE array(value); INSERT INTO array VALUES (5)")
    #expect(try connection.value("SELECT value FROM array") == 5)
    let found = try connection.query(
      .column(.int), "SELECT value FROM array WHERE value IN \([4, 5])")
    #expect(found == [5])
  }

  @Test func `the array function rejects INSERT and CREATE VIRTUAL TABLE`() throws {
    #expect(
      failure {
        try connection.execute(sql: "INSERT INTO array(value) VALUES (1)")
      }?.code == .error)
    #expect(
      failure {
        try connection.execute(sql: "CREATE VIRTUAL TABLE x USING array")
      }?.code == .error)
  }

  @Test func `a bound object is released by rebinding, clearing or finalizing`() throws {
    weak var first: Token?
    weak var second: Token?
    weak var third: Token?
    var statement: Statement? = try connection.prepare(sql: "SELECT typeof(?)")
    func bind() throws -> Token {
      let token = Token()
      try statement?.bind(.object(token))
      return token
    }
    first = try bind()
    #expect(first != nil)
    second = try bind()
    #expect(first == nil)
    try statement?.clearBindings()
    #expect(second == nil)
    third = try bind()
    #expect(third != nil)
    statement = nil
    #expect(third == nil)
  }
}

private final class Token: Sendable {}

@Suite(.tags(.binding)) struct `zero-filled blobs` {
  @Test func `a zero-blob has the given number of zero bytes`() throws {
    let connection = try Connection()
    #expect(try connection.value("SELECT ?", .zeroBlob(count: 3)) == .blob([0, 0, 0]))
    #expect(try connection.value("SELECT typeof(?)", .zeroBlob(count: 0)) == "blob")
    #expect(try connection.value("SELECT length(?)", .zeroBlob(count: 1_000_000)) == 1_000_000)
  }

  @Test func `a zero-blob with an invalid byte count throws`() throws {
    let connection = try Connection()
    #expect(failure { try connection.value("SELECT ?", .zeroBlob(count: -1)) }?.code == .range)
    #expect(failure { try connection.value("SELECT ?", .zeroBlob(count: .min)) }?.code == .range)
    #expect(failure { try connection.value("SELECT ?", .zeroBlob(count: .max)) }?.code == .tooBig)
    #expect(
      failure { try connection.value("SELECT ?", .zeroBlob(count: 1 << 31)) }?.code == .tooBig)
  }
}
