import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `types of columns and parameters` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    if SQLiteLibrary.has(.fts5) {
      try connection.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(title)")
    }
    try connection.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, i INT NOT NULL, v VARCHAR(10), d DOUBLE, b BLOB,
          f BOOLEAN, n, s TEXT NOT NULL);
        CREATE TABLE w(k TEXT PRIMARY KEY, v INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE g(secs INTEGER NOT NULL, k TEXT AS (secs) STORED, v REAL AS (secs) VIRTUAL);
        CREATE INDEX g_v ON g(v);
        CREATE TABLE virt(id INTEGER PRIMARY KEY, secs INTEGER NOT NULL, note TEXT,
          at DATETIME AS (secs), code TEXT AS (secs), num INTEGER AS (note), half REAL AS (secs / 2),
          flag BOOL AS (secs > 1), blb BLOB AS (note), j TEXT AS (substr(note, 2)),
          nn TEXT NOT NULL AS (secs + 1));
        CREATE INDEX virt_secs ON virt(secs);
        CREATE TABLE strict(i INTEGER NOT NULL, s TEXT, h INTEGER AS (s) STORED) STRICT;
        CREATE VIEW shown AS SELECT code, flag AS f FROM virt WHERE num > 2;
        """)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.jsonb)))
  func `JSON functions of newer versions have types`() throws {
    #expect(
      try columns(
        """
        SELECT jsonb(s) AS a, jsonb_set(s, '$', i) AS b, jsonb_array(i) AS c, json_pretty(s) AS d,
          json_error_position(s) AS e FROM t
        """, in: connection) == [
          "a: [UInt8]?", "b: [UInt8]?", "c: [UInt8]", "d: String?", "e: Int?",
        ])
    #expect(
      try columns("SELECT jsonb_group_array(i) AS a FROM t", in: connection) == ["a: [UInt8]"])
  }

  @Test(arguments: [
    (
      "SELECT * FROM t",
      "id: Int, i: Int, v: String?, d: Double?, b: [UInt8]?, f: Bool?, n: DatabaseValue, s: String"
    ),
    (
      "SELECT count(*) AS c, max(v) AS v, max(f) AS f, avg(i) AS a, sum(d) AS d FROM t",
      "c: Int, v: String?, f: Bool?, a: Double?, d: Double?"
    ),
    (
      "SELECT total(i) AS i, total(h) AS h FROM strict", "i: Double, h: Double?"
    ),
    ("SELECT f FROM t UNION SELECT f FROM t", "f: Bool?"),
    ("SELECT i AS x FROM t UNION SELECT d FROM t", "x: Double?"),
    (
      "SELECT i + 1 AS a, i * 1.5 AS b, s || 'x' AS c, s IS NULL AS d FROM t",
      "a: Int, b: Double?, c: String, d: Int"
    ),
    (
      "SELECT code, num, half, flag, blb, j, nn FROM virt",
      "code: String?, num: Int?, half: Double?, flag: Bool?, blb: [UInt8]?, j: String?, nn: String"
    ),
    (
      "SELECT max(code) AS m, f, (SELECT code FROM virt ORDER BY secs) AS c FROM shown GROUP BY f",
      "m: String?, f: Bool?, c: String?"
    ),
    ("SELECT code FROM virt WHERE secs > 2", "code: String?"),
    ("SELECT t.id, nn FROM t LEFT JOIN virt USING (id)", "id: Int, nn: String?"),
    ("INSERT INTO virt(secs) VALUES (1) RETURNING code, flag", "code: String?, flag: Bool?"),
    (
      "SELECT abs(s) AS a, abs(i) AS b, CURRENT_TIMESTAMP AS c, current_date AS d FROM t",
      "a: Double?, b: Int?, c: String, d: String"
    ),
    ("SELECT x.s FROM (SELECT s FROM t LIMIT 1) x", "s: String"),
    (
      "SELECT substr(b, 2) AS part, substr(s, 2) AS rest FROM t",
      "part: [UInt8]?, rest: String?"
    ),
    (
      "INSERT INTO t(i, s) VALUES (:i, :s) RETURNING id, i, s, v",
      "id: Int, i: Int, s: String, v: String?"
    ),
  ])
  func `a generated property has the type of the result column's declaration or expression`(
    _ sql: String, _ expected: String
  ) throws {
    #expect(try columns(sql, in: connection).joined(separator: ", ") == expected)
  }

  @Test func `a virtual table's column has a type if column metadata is available`() throws {
    try expect(
      "SELECT value, key FROM json_each('[]')", "value: DatabaseValue, key: DatabaseValue")
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `the columns and parameters of a full-text table have types`() throws {
    try expect("SELECT title, rowid AS id, rank FROM f", "title: String?, id: Int, rank: Double?")
    #expect(
      try parameters("SELECT rowid AS id FROM f WHERE f MATCH :words", in: connection) == [
        "words: String"
      ])
    #expect(
      try parameters("INSERT INTO f(rowid, title) VALUES (:id, :title)", in: connection) == [
        "id: Int", "title: String",
      ])
  }

  /// Checks the columns of a query that reads a virtual table.
  private func expect(_ sql: String, _ expected: String) throws {
    if SQLiteLibrary.has(.columnMetadata) {
      #expect(try columns(sql, in: connection).joined(separator: ", ") == expected)
    } else {
      let (_, diagnostics) = try check("-- @query q\n\(sql)", in: connection)
      #expect(diagnostics.first?.contains("write \"-- @column ") == true)
    }
  }

  @Test(arguments: [
    ("SELECT id FROM t WHERE s = :s AND d > :d AND f = :f", "s: String, d: Double, f: Bool"),
    ("SELECT id FROM t WHERE id IN (:a, :b, :c)", "a: Int, b: Int, c: Int"),
    ("SELECT id FROM t WHERE v IS :v LIMIT :l OFFSET :o", "v: String?, l: Int, o: Int"),
    ("SELECT id FROM t WHERE v LIKE :like OR s GLOB :glob", "like: String, glob: String"),
    ("SELECT id FROM t WHERE :v IS NULL OR v = :v", "v: String?"),
    (
      "SELECT id FROM t WHERE (:v IS NULL OR v = :v) AND v = ifnull(:w, 'x')",
      "v: String?, w: String?"
    ),
    ("SELECT id FROM t WHERE :a = :b AND :b = :c AND s = :c", "a: String, b: String, c: String"),
    ("SELECT id FROM t WHERE s LIKE '%' || :q || '%' AND i & :bits = 2", "q: String, bits: Int"),
    (
      "UPDATE t SET i = i - :less, d = :more + d",
      "less: Int, more: Double"
    ),
    ("SELECT id FROM t LIMIT :size OFFSET (:page - 1) * :size", "size: Int, page: Int"),
    ("SELECT id FROM t WHERE :x || s > '' AND d > :x", "x: Double"),
    (
      "INSERT INTO t VALUES (:id, :i, :v, :d, :b, :f, :n, :s)",
      "id: Int, i: Int, v: String?, d: Double?, b: [UInt8]?, f: Bool?, n: DatabaseValue, s: String"
    ),
    ("SELECT id FROM virt WHERE j = :j AND flag = :f", "j: String, f: Bool"),
    ("INSERT INTO g(secs) VALUES (:s)", "s: Int"),
    ("UPDATE g SET secs = :s WHERE rowid = :id", "s: Int, id: Int"),
    ("UPDATE t SET v = :new_value WHERE id = :id", "newValue: String?, id: Int"),
    ("INSERT INTO w VALUES (:k, :v) ON CONFLICT (k) DO UPDATE SET v = v + :v", "k: String, v: Int"),
    ("DELETE FROM w WHERE k = :k", "k: String"),
    ("SELECT CAST(:x AS INTEGER) FROM t WHERE length(s) > :n", "x: Int, n: Int"),
    ("SELECT id FROM t WHERE s = lower(:s) AND id = @id AND i = $i", "s: String, id: Int, i: Int"),
  ])
  func `a generated parameter has the type of the value or column with which it is used`(
    _ sql: String, _ expected: String
  ) throws {
    #expect(try parameters(sql, in: connection).joined(separator: ", ") == expected)
  }

  @Test(arguments: [
    ("t(i)", "SELECT i FROM t WHERE i < :x"), ("t(i DESC)", "SELECT i FROM t WHERE i >= :x"),
    ("t(s, i, d)", "SELECT id FROM t WHERE s = :s AND i = :i AND d < :d"),
    ("t(lower(s))", "SELECT lower(s) AS l, length(s) AS n FROM t WHERE lower(s) = :n"),
    ("t(i + 1 DESC, s)", "SELECT i + 1 AS p, s FROM t WHERE i + 1 > :x ORDER BY i + 1 DESC"),
    ("t(i & 7)", "SELECT (i & 7) * 2 AS n FROM t WHERE i & 7 > :n"),
    ("t(i + d)", "SELECT i + d AS p FROM t WHERE i + d BETWEEN :low AND :high"),
    (
      "t(substr(v, 1, 3) COLLATE NOCASE)",
      "SELECT id FROM t WHERE substr(v, 1, 3) COLLATE NOCASE = :prefix"
    ),
    (
      "t(CASE WHEN i > 0 THEN 'a,(' ELSE s END, CAST(d AS REAL) DESC)",
      """
      SELECT CASE WHEN i > 0 THEN 'a,(' ELSE s END AS c, CAST(d AS REAL) AS r FROM t
      WHERE CASE WHEN i > 0 THEN 'a,(' ELSE s END = :c AND CAST(d AS REAL) = :r
      """
    ),
    ("w(v + 1) WHERE v > 0", "SELECT v + 1 AS p FROM w WHERE v > 0 AND v + 1 = :x"),
    ("virt(half * 2)", "SELECT half * 2 AS h FROM virt WHERE half * 2 > :x"),
    ("t(distance(i, 1))", "SELECT distance(i, 1) AS e FROM t WHERE distance(i, 1) < :e"),
  ])
  func `an index does not change the types of a query`(
    _ index: String, _ sql: String
  ) throws {
    try connection.addFunction("distance", arity: 2, options: [.deterministic, .innocuous]) { _ in
      .real(1)
    }
    func types() throws -> [String] {
      let (queries, diagnostics) = try check(
        "-- @query q\n\(sql)", in: connection, "-- @function distance(Int, Int): Double")
      let query = try #require(queries.first, "\(diagnostics)")
      return query.columns.map(\.type.swift) + ["from"] + query.parameters.map(\.type.swift)
    }
    let before = try types()
    try connection.execute(sql: "CREATE INDEX \"on (a, b)\" ON \(index)")
    let plan = try connection.prepare(sql: "EXPLAIN QUERY PLAN \(sql)")
    let nulls = SQLParameters(repeatElement(.null, count: plan.parameterCount))
    let steps = try plan.bind(nulls).query(.column(.string, at: 3))
    #expect(steps.joined().contains("on (a, b)"))
    #expect(try types() == before)
  }

  @Test func `@type overrides the type of a generated column`() throws {
    let (queries, diagnostics) = try check(
      """
      -- @query q
      SELECT at, max(at) AS m, j FROM virt WHERE at > :at
      """, in: connection,
      "-- @type DATETIME: Date as timeIntervalSince1970\n-- @type virt.j: [String] as json")
    #expect(diagnostics == [])
    #expect(queries.first?.columns.map(\.type.swift) == ["Date?", "Date?", "[String]?"])
    #expect(queries.first?.parameters.map(\.type.swift) == ["Date"])
  }

  @Test func `annotations and declarations override inferred types`() throws {
    let (queries, diagnostics) = try check(
      """
      -- @query q
      -- @param s: Name
      -- @column i: Int64?
      -- @column s: Name as quoted
      SELECT id, i, s, distance(i, 1) AS e FROM t WHERE s = :s
      """, in: connected(), "-- @type t.id: ID<Book>\n-- @function distance(Int, Int): Double")
    #expect(diagnostics == [])
    #expect(
      queries.first?.columns.map(\.type.swift) == ["ID<Book>", "Int64?", "Name", "Double"])
    #expect(queries.first?.parameters.map(\.type.swift) == ["Name"])
  }

  private func connected() throws -> Connection {
    try connection.addFunction("distance", arity: 2) { _ in .real(1) }
    return connection
  }
}
