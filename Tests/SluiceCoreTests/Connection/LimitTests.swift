import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `connection limits` {
  @Test func `a limit that the linked SQLite lacks throws notFound`() throws {
    let connection = try Connection()
    for limit in ConnectionLimit.allCases where !SQLiteVersion.limits.contains(limit) {
      let error = failure { try connection.limit(limit) }
      #expect(error?.code == .notFound)
      #expect(error?.message == "SQLite \(SQLiteLibrary.version) has no limit \(limit)")
      #expect(failure { try connection.setLimit(limit, to: 10) }?.code == .notFound)
    }
  }

  @Test(.enabled(if: SQLiteVersion.limits.contains(.parserDepth)))
  func `SQL that is nested too deeply for the parser throws`() throws {
    let connection = try Connection()
    let nested =
      "SELECT " + String(repeating: "(", count: 60) + "1" + String(repeating: ")", count: 60)
    #expect(try connection.value(nested) == 1)
    try connection.setLimit(.parserDepth, to: 40)
    #expect(failure { try connection.value(nested + " ") } != nil)
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test(arguments: SQLiteVersion.limits) func `a limit reads back the value that was set`(
    limit: ConnectionLimit
  ) throws {
    let connection = try Connection()
    let half = max(try connection.limit(limit) / 2, 1)
    try connection.setLimit(limit, to: half)
    #expect(try connection.limit(limit) == half)
    #expect(try Connection().limit(limit) != half)
  }

  @Test(
    arguments: [
      (.length, .tooBig, "SELECT zeroblob(1001)"), (.columns, .error, "SELECT 1, 2, 3"),
      (.expressionDepth, .error, "SELECT 1+1+1+1+1+1+1+1"),
      (.compoundSelects, .error, "SELECT 1 UNION SELECT 2 UNION SELECT 3"),
      (.functionArguments, .error, "SELECT max(1, 2, 3)"),
      (.attachedDatabases, .error, "ATTACH ':memory:' AS b"),
      (.likePatternLength, .error, "SELECT 'a' LIKE '%aa%'"),
      (.parameterNumber, .error, "SELECT ?3"),
      (.sqlLength, .tooBig, "SELECT 'more than twenty bytes'"),
    ] as [(ConnectionLimit, ResultCode, String)])
  func `a statement that exceeds a limit throws`(
    limit: ConnectionLimit, code: ResultCode, sql: String
  ) throws {
    let connection = try Connection()
    let limits: [ConnectionLimit: Int] = [
      .length: 1000, .attachedDatabases: 0, .sqlLength: 20, .expressionDepth: 4,
    ]
    let prepared = { try connection.prepare(sql: sql).execute() }
    if limit != .attachedDatabases, limit != .parameterNumber { #expect(failure(prepared) == nil) }
    try connection.setLimit(limit, to: limits[limit] ?? 2)
    #expect(failure(prepared)?.code == code)
  }

  @Test func `a low SQL length limit does not prevent a rollback`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    let error = failure {
      try connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
        try connection.setLimit(.sqlLength, to: 5)
      }
    }
    #expect(error?.code == .tooBig)
    #expect(connection.isInAutocommit)
    #expect(try connection.limit(.sqlLength) == 5)
    try connection.setLimit(.sqlLength, to: 1000)
    #expect(try connection.first(.column(.int), sql: "SELECT count(*) FROM t") == 0)
  }

  @Test(arguments: SQLiteVersion.limits)
  func `setting an out-of-range limit throws and changes nothing`(
    limit: ConnectionLimit
  ) throws {
    let connection = try Connection()
    let before = try connection.limit(limit)
    for number in [-1, .min, Int(Int32.min), Int(Int32.max) + 1, .max] {
      #expect(failure { try connection.setLimit(limit, to: number) }?.code == .range)
      #expect(try connection.limit(limit) == before)
    }
  }

  @Test(arguments: SQLiteVersion.limits)
  func `setting a limit above the compile-time maximum throws and changes nothing`(
    limit: ConnectionLimit
  ) throws {
    let connection = try Connection()
    let before = try connection.limit(limit)
    let error = failure { try connection.setLimit(limit, to: Int(Int32.max)) }
    #expect(error?.code == .range)
    #expect(error?.message.contains("\(limit)") == true)
    #expect(try connection.limit(limit) == before)
  }

  @Test func `each limit has the raw value of its C constant`() {
    let numbers: [ConnectionLimit: Int32] = [
      .length: SQLITE_LIMIT_LENGTH, .sqlLength: SQLITE_LIMIT_SQL_LENGTH,
      .columns: SQLITE_LIMIT_COLUMN, .expressionDepth: SQLITE_LIMIT_EXPR_DEPTH,
      .compoundSelects: SQLITE_LIMIT_COMPOUND_SELECT, .operations: SQLITE_LIMIT_VDBE_OP,
      .functionArguments: SQLITE_LIMIT_FUNCTION_ARG, .attachedDatabases: SQLITE_LIMIT_ATTACHED,
      .likePatternLength: SQLITE_LIMIT_LIKE_PATTERN_LENGTH,
      .parameterNumber: SQLITE_LIMIT_VARIABLE_NUMBER, .triggerDepth: SQLITE_LIMIT_TRIGGER_DEPTH,
      .workerThreads: SQLITE_LIMIT_WORKER_THREADS,
      // SQLITE_LIMIT_PARSER_DEPTH, which older headers lack.
      .parserDepth: 12,
    ]
    #expect(numbers.count == ConnectionLimit.allCases.count)
    for (limit, number) in numbers { #expect(limit.rawValue == number) }
  }

  @Test func `reading or setting a limit of a closed connection throws misuse`() throws {
    let connection = try Connection()
    try connection.close()
    #expect(failure { try connection.limit(.length) }?.code == .misuse)
    #expect(failure { try connection.setLimit(.length, to: 100) }?.code == .misuse)
  }
}
