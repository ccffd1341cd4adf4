import Foundation
import Sluice
import SluiceSQL
import TestSupport
import Testing

/// A project with one table, and a migrated database.
private struct MeasuredProject {
  private let folder: TestFolder
  let database: Connection

  init(_ migration: String, _ query: String, declarations: String = "") throws {
    folder = try TestFolder()
    for (path, text) in [
      ("Migrations/0001_create.sql", migration), ("Queries/q.sql", "-- @query q\n\(query)"),
      ("Declarations.sql", declarations),
    ] {
      let url = folder.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    database = try CheckedSchema.connection(Project(folder: folder.url).declarations)
    try Migrator(Migration.files(in: folder.url.appending(path: "Migrations"))).migrate(database)
  }

  func advice(maximumSteps: Int? = nil) throws -> IndexAdvice {
    let project = Project(folder: folder.url)
    var check = ProjectCheck(project, only: nil)
    let result = try check.run()
    #expect(result.diagnostics.map(\.description) == [])
    let schema = try #require(result.schema)
    var copy = try MeasuredDatabase(copying: database, path: "app.db", project, schema)
    if let maximumSteps { copy.maximumSteps = maximumSteps }
    return try IndexAdvisor(schema, result.queries, measuredOn: copy).advice()
  }
}

@Suite(.tags(.checkedSQL)) struct `index advice for a database` {
  static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b TEXT);"
  static let rows = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO t(a, b) SELECT i % 100, 'text ' || i FROM n
    """

  @Test func `the measured steps are those of the statement`() throws {
    let sql = "SELECT id, b FROM t WHERE a = :a"
    let project = try MeasuredProject(Self.table, sql)
    try project.database.execute(sql: Self.rows)
    let gain = try #require(try project.advice().indexes.first?.serves.first?.gain)
    func steps() throws -> Int {
      let statement = try project.database.prepare(sql: sql).bind(7)
      try statement.execute()
      return try statement.count(of: .machineSteps)
    }
    #expect(try steps() == gain.stepsWithout)
    try project.database.execute(sql: "CREATE INDEX i ON t(a)")
    #expect(try steps() == gain.steps)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.serialization))) func `the copy has its own rows`() throws {
    let project = try MeasuredProject(Self.table, "DELETE FROM t WHERE a = :a")
    try project.database.execute(sql: Self.rows)
    let before = try project.database.serialize()
    #expect(try project.advice().indexes.count == 1)
    #expect(try project.database.serialize() == before)
  }

  @Test func `a query that takes too many steps is stopped`() throws {
    let project = try MeasuredProject(Self.table, "SELECT id, b FROM t WHERE a = :a")
    try project.database.execute(sql: Self.rows)
    let gain = try #require(
      try project.advice(maximumSteps: 2_000).indexes.first?.serves.first?.gain)
    #expect(gain.stepsWithout < 4_000)
    #expect(gain.steps * 2 <= gain.stepsWithout)
  }

  @Test func `a write that takes too many steps is not measured`() throws {
    let project = try MeasuredProject(Self.table, "UPDATE t SET b = 'x' WHERE a = :a")
    try project.database.execute(sql: Self.rows)
    let index = try #require(try project.advice(maximumSteps: 2_000).indexes.first)
    #expect(index.sql == "CREATE INDEX t_a ON t(a)")
    #expect(index.serves.first?.gain == nil)
    #expect(index.serves.first?.unmeasured == "the statement takes more than 2000 steps")
  }

  @Test func `values of several parameters come from the same row`() throws {
    let project = try MeasuredProject(
      Self.table, "SELECT id FROM t WHERE a = :a AND b = :b")
    try project.database.execute(sql: Self.rows)
    let index = try #require(try project.advice().indexes.first)
    #expect(index.sql.contains("(a, b)") || index.sql.contains("(b, a)"))
    // A search without a result takes fewer steps.
    let statement = try project.database.prepare(sql: "SELECT id FROM t WHERE a = 7 AND b = 'no'")
    try project.database.execute(sql: index.sql)
    try statement.execute()
    let gain = try #require(index.serves.first?.gain)
    #expect(try gain.steps > statement.count(of: .machineSteps))
  }

  @Test func `placeholders for functions do not stop the measurement`() throws {
    let project = try MeasuredProject(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, c TEXT NOT NULL AS (named(a)) STORED);",
      "SELECT id FROM t WHERE a = :a", declarations: "-- @function named(Int): String?\n")
    try project.database.addFunction("named", arity: 1, options: [.deterministic, .innocuous]) {
      _ in
      .text("name")
    }
    try project.database.execute(
      sql: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO t(a) SELECT i FROM n
        """)
    let index = try #require(try project.advice().indexes.first)
    #expect(index.serves.first?.gain != nil)
    #expect(index.cost?.stepsPerInsert == nil)
    #expect(index.cost != nil)
  }

  @Test(arguments: [
    "lower(b) = :b", "lower(b) = lower(:b)", ":b = lower(b)", "lower(b) IN (:b, :c)",
    "lower(b) BETWEEN :b AND :c", "a >= 0 AND lower(b) = :b LIMIT :count",
  ])
  func `parameters have the values of the expression with which they are compared`(
    condition: String
  ) throws {
    let project = try MeasuredProject(Self.table, "SELECT a FROM t WHERE \(condition)")
    try project.database.execute(sql: Self.rows)
    let advice = try project.advice()
    let index = try #require(advice.indexes.first)
    #expect(index.sql.hasPrefix("CREATE INDEX t_lower_b"))
    let gain = try #require(index.serves.first?.gain)
    #expect(gain.stepsWithout > 10 * gain.steps)
    // A search without a result takes fewer steps.
    let missing = condition.replacing(/:[bc]\b/, with: "'no'").replacing(":count", with: "10")
    let statement = try project.database.prepare(sql: "SELECT a FROM t WHERE \(missing)")
    try project.database.execute(sql: index.sql)
    try statement.execute()
    #expect(try gain.steps > statement.count(of: .machineSteps))
  }

  // With STAT4, SQLite compares the values of parameters with samples, and the first index pays.
  @Test(
    arguments: [("json_extract(b, '$.x')", "malformed JSON")]
      + (SQLiteLibrary.isBuilt(with: "ENABLE_STAT4") ? [] : [("a % 2", "steps with it")]))
  func `an index on an expression that does not pay or fails is dropped`(
    expression: String, reason: String
  ) throws {
    let project = try MeasuredProject(
      Self.table, "-- @param value: Int\nSELECT id, b FROM t WHERE \(expression) = :value")
    try project.database.execute(sql: Self.rows)
    let advice = try project.advice()
    #expect(advice.indexes == [])
    let dropped = try #require(advice.dropped.first)
    #expect(advice.dropped.count == 1)
    #expect(dropped.sql.hasSuffix("ON t(\(expression))"))
    #expect(dropped.reason.contains(reason))
  }

  @Test(arguments: [
    ("CREATE TABLE t(x INTEGER, y TEXT, a INTEGER, PRIMARY KEY(y, x)) WITHOUT ROWID;", "x, y, a"),
    ("CREATE TABLE t(rowid TEXT, oid TEXT, a INTEGER, x AS (a + 1));", "rowid, oid, a"),
    ("CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT UNIQUE, a INTEGER) STRICT;", "id, x, a"),
  ])
  func `the cost of inserting a row is measured for all kinds of tables`(
    table: String, columns: String
  ) throws {
    let project = try MeasuredProject(table, "SELECT count(*) AS n FROM t WHERE a = :a")
    try project.database.execute(
      sql: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO t(\(columns)) SELECT i, i, i % 100 FROM n
        """)
    let cost = try #require(try project.advice().indexes.first?.cost)
    // The record of the index is made and inserted.
    #expect(2...12 ~= cost.stepsPerInsert ?? 0)
    #expect(cost.bytes > 2000 * 3)
  }
}
