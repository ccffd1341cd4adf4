import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.statements)) struct `statement counters` {
  typealias Counter = Statement.Counter
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE t(a, b);
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT i, i FROM n;
        CREATE TABLE u AS SELECT a AS c, b AS d FROM t WHERE a % 2 = 0;
        """)
  }

  /// Returns the nonzero counters of `statement`.
  private func counts(_ statement: Statement) throws -> [Counter: Int] {
    var counts: [Counter: Int] = [:]
    for counter in Counter.allCases {
      let count = try statement.count(of: counter)
      if count != 0 { counts[counter] = count }
    }
    return counts
  }

  @Test func `each counter of a statement that has not run is zero`() throws {
    #expect(try counts(db.prepare(sql: "SELECT a FROM t ORDER BY b")) == [:])
  }

  @Test func `runs, full-scan steps and sorts accumulate over runs`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t ORDER BY b")
    for run in 1...3 {
      try statement.execute()
      #expect(try statement.count(of: .runs) == run)
      #expect(try statement.count(of: .sorts) == run)
      #expect(try statement.count(of: .fullScanSteps) == run * 199)
      #expect(try statement.count(of: .machineSteps) > run * 200)
    }
    #expect(
      try Set(counts(statement).keys) == [.runs, .sorts, .fullScanSteps, .machineSteps])
  }

  @Test func `a statement that uses an index counts no full-scan steps`() throws {
    let statement = try db.prepare(sql: "SELECT a FROM t WHERE a = 7")
    try statement.execute()
    #expect(try statement.count(of: .fullScanSteps, reset: true) == 199)
    try db.execute(sql: "CREATE INDEX i ON t(a)")
    try statement.execute()
    #expect(try statement.count(of: .fullScanSteps) == 0)
  }

  @Test func `automaticIndexRows counts the rows of an automatic index`() throws {
    let statement = try db.prepare(sql: "SELECT count(*) FROM t, u WHERE b = d")
    try statement.execute()
    #expect(try statement.count(of: .automaticIndexRows) > 50)
    #expect(try statement.rows()[0].values == [100])
  }

  @Test func `the counters include Bloom filter hits and misses`() throws {
    try db.execute(sql: "ANALYZE")
    let statement = try db.prepare(
      sql: "SELECT count(*) FROM t JOIN u ON +t.b = u.d WHERE u.c > 150")
    try statement.execute()
    #expect(try statement.count(of: .filterHits) > 0)
    #expect(try statement.count(of: .filterMisses) > 0)
  }

  @Test(arguments: Counter.allCases)
  func `resetting a counter returns its value and leaves other counters unchanged`(
    _ counter: Counter
  ) throws {
    let statement = try db.prepare(sql: "SELECT t.a FROM t, u WHERE b = d ORDER BY t.b")
    try db.execute(sql: "CREATE TABLE new(a)")
    try statement.execute()
    let before = try counts(statement)
    #expect(try statement.count(of: counter, reset: true) == before[counter] ?? 0)
    var after = before
    after[counter] = nil
    #expect(try counts(statement) == after)
  }

  @Test func `repreparations counts a re-prepare after a schema change`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM t")
    for number in 1...3 {
      try db.execute(sql: "CREATE TABLE t\(number)(a)")
      try statement.execute()
      #expect(try statement.count(of: .repreparations) == number)
    }
  }

  @Test func `a statement returns current columns even if its repreparation counter is reset`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT * FROM t LIMIT 1")
    for number in 3...9 {
      try db.execute(sql: "ALTER TABLE t ADD COLUMN c\(number)")
      #expect(try statement.rows()[0].count == number)
      #expect(statement.columnCount == number)
      #expect(statement.columnNames.last == "c\(number)")
      #expect(try statement.count(of: .repreparations, reset: true) == 1)
      #expect(try statement.count(of: .repreparations) == 0)
    }
  }

  @Test
  func `a statement returns current columns even if a function resets its repreparation counter`()
    throws
  {
    weak var running: Statement?
    try db.addFunction("reset") { () throws -> Int? in
      try running?.count(of: .repreparations, reset: true)
    }
    let statement = try db.prepare(sql: "SELECT *, reset() FROM t LIMIT 1")
    running = statement
    for number in 3...9 {
      try db.execute(sql: "ALTER TABLE t ADD COLUMN c\(number)")
      #expect(try statement.rows()[0].values.count == number + 1)
      #expect(statement.columnNames.dropLast().last == "c\(number)")
    }
  }

  @Test func `the memory use of a statement is positive, and larger for a more complex statement`()
    throws
  {
    let small = try db.prepare(sql: "SELECT 1").memoryUsed
    let large = try db.prepare(sql: "SELECT * FROM t JOIN u ON a = c ORDER BY b, d").memoryUsed
    #expect(small > 0)
    #expect(large > small)
  }

  @Test
  func
    `reading the counters or memory use of a statement throws misuse after its connection closes`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT 1")
    try db.close()
    for counter in Counter.allCases {
      #expect(failure { try statement.count(of: counter) }?.code == .misuse)
      #expect(failure { try statement.count(of: counter, reset: true) }?.code == .misuse)
    }
    #expect(failure { try statement.memoryUsed }?.code == .misuse)
  }
}
